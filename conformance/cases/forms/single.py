"""Forms with axes of length one, for which implementations have paths of their own by dtype, shape and stride."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from conformance.cases.forms.calls import ORDINARY, FormCall, form_in_dtype, telling_call
from conformance.cases.forms.geometries import (
    Lengths,
    changed,
    index_groups,
    indexed_groups,
    only_in_indices,
    usual_lengths,
    usual_profiles,
)
from conformance.cases.forms.values import NARROWER
from conformance.cases.reference import Reference
from conformance.specification.applied import Applied
from conformance.specification.layout import Layout
from conformance.specification.literals import Tensor, misfit
from conformance.specification.model import Operation

DTYPES = (ORDINARY, "float64", "int64", "bool")
LOOSE = "loose"


def single_forms(operation: Operation, reference: Reference) -> Iterator[FormCall]:
    """Calls with a group of axes, all axes of an index but one, or all axes of a slice of length one."""
    layout = operation.layout
    assert layout is not None
    turns = count()
    for name, geometries in _geometries(layout):
        if not geometries:  # a group that never has axes has none of length one
            continue
        for number, dtype in enumerate(DTYPES):
            turn = next(turns)
            form = f"{name}.{dtype}"
            call = first_call(operation, reference, rotated(geometries, turn), dtype, turn, form)
            if call is None:
                continue
            made = form_in_dtype(form, call, dtype)
            yield made
            loose = _loose(call)
            if number == turn // len(DTYPES) % 2 and loose is not call:
                base = _loose(made.base) if made.base is not None else None
                yield replace(made, name=f"{form}.{LOOSE}", call=loose, base=base)


def first_call(
    operation: Operation, reference: Reference, geometries: Iterable[Lengths], dtype: str, turn: int, seed: str
) -> Applied | None:
    """The first telling call of these lengths, if possible with data that only their dtype holds; with another key if one is not telling."""
    layout = operation.layout
    assert layout is not None
    keys = max((len(operation.arguments[name].choices) for name in layout.keys), default=1)
    for lengths in geometries:
        for own_values in (True, False) if dtype in NARROWER else (False,):
            for each in range(turn, turn + keys):
                call = telling_call(operation, reference, lengths, dtype, each, seed, own_values=own_values)
                if call is not None:
                    return call
    return None


def rotated(items: Sequence[Lengths], turn: int) -> Sequence[Lengths]:
    """The items, beginning with that of a turn."""
    first = turn % len(items)
    return [*items[first:], *items[:first]]


def _geometries(layout: Layout) -> Iterator[tuple[str, list[Lengths]]]:
    """By name, the lengths of each form in several profiles."""
    for group in layout.groups:
        yield f"one-{group}", _made_single(layout, [group])
    of_indices = index_groups(layout)
    if len(of_indices) > 1:
        yield "one-index", _made_single(layout, of_indices)
    others = (*of_indices, *indexed_groups(layout))
    slices = [group.name for group in layout.groups.values() if group.name not in others and group.other is None]
    if slices and not any(indices.indexing.is_aligned for indices in layout.indices.values()):
        yield "slices-of-one", _made_single(layout, slices)
    yield from _lines(layout, of_indices)


def _made_single(layout: Layout, groups: list[str]) -> list[Lengths]:
    made: list[Lengths] = []
    profiles = usual_profiles(layout, *groups) or usual_profiles(layout, groups[0])
    for number, profile in enumerate(profiles):
        made.append(_all_single(layout, groups, usual_lengths(layout, profile, shorter=number % 2 == 1)))
    # There may be too few positions left for indices that must differ.
    return [*made, *(_all_single(layout, only_in_indices(layout), lengths) for lengths in made)]


def _all_single(layout: Layout, groups: Iterable[str], lengths: Lengths) -> Lengths:
    for group in groups:
        lengths = changed(layout, lengths, group, 1)
    return lengths


def _lines(layout: Layout, of_indices: list[str]) -> Iterator[tuple[str, list[Lengths]]]:
    """Indices with a single axis of more than one element, along each of their axes in turn."""
    by_line: dict[str, list[Lengths]] = {}
    for number, profile in enumerate(usual_profiles(layout)):
        lengths = usual_lengths(layout, profile, shorter=number % 2 == 1)
        axes = [(group, axis) for group in of_indices for axis in range(len(lengths[group]))]
        for kept, (kept_group, kept_axis) in enumerate(axes if len(axes) > 1 else ()):
            line: Lengths = lengths
            for group, axis in axes:
                if (group, axis) != (kept_group, kept_axis):
                    line = changed(layout, line, group, 1, [axis])
            by_line.setdefault(f"line-along-{kept}", []).append(line)
    yield from by_line.items()


def _loose(call: Applied) -> Applied:
    """The call with other strides for axes of length one, where they do not matter; itself if it has no such axes."""
    loose = {
        name: replace(value, view=LOOSE)
        for name, value in call.arguments.items()
        if isinstance(value, Tensor) and misfit(LOOSE, value.array) is None
    }
    return call.with_arguments(loose) if loose else call
