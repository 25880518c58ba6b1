"""The axes of a concrete call by the groups of its operation's layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from conformance.specification.indexing import shape_of
from conformance.specification.layout import Group, Layout, Part
from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Operation

RESULT = "result"


class _Length(int):
    """The length of an axis that remembers the group, through slices and sums of shapes."""

    group: str

    @classmethod
    def of(cls, length: int, group: str) -> _Length:
        made = cls(length)
        made.group = group
        return made


@dataclass(frozen=True)
class _Known:
    """A tensor as the expression of the result's shape sees it."""

    tensor: Tensor
    shape: tuple[int, ...]

    def __getattr__(self, name: str) -> object:
        return getattr(self.tensor, name)


def axes_of(operation: Operation, call: Call) -> dict[str, tuple[str, ...]] | None:
    """For each tensor, each shape and the result the group of each axis, ``rank(outer)`` for one that counts axes.

    None where the operation has no layout, or the call does not keep it. A range of ranks only bounds what is drawn: a
    call with more axes, or fewer, may be as valid and has groups as well.
    """
    layout = operation.layout
    if layout is None:
        return None
    values = _given(operation, layout, call)
    ranks = _ranks(layout, values)
    if ranks is None or not _keeps(layout, values, ranks):
        return None
    groups = {
        name: _names(layout.arguments[name], ranks) for name, value in values.items() if not isinstance(value, int)
    }
    result = _result(operation, call, values, groups)
    if result is not None:
        groups[RESULT] = result
    return groups


_Value = tuple[int, ...] | int
"""The lengths of a tensor or a shape; or the number that an argument is."""


def _given(operation: Operation, layout: Layout, call: Call) -> dict[str, _Value]:
    """What the layout speaks of and the call has; an axis counted from the end as counted from the front."""
    given: dict[str, _Value] = {}
    for name, value in operation.values(call).items():
        if name not in layout.arguments:
            continue
        if isinstance(value, Tensor):
            given[name] = value.shape
        elif type(value) is tuple and all(isinstance(length, int) for length in value):
            given[name] = value  # a shape in any other form is about that form
        elif isinstance(value, int) and layout.arguments[name][0].rank:
            given[name] = _from_the_front(layout, call, name, value)
    return given


def _from_the_front(layout: Layout, call: Call, along: str, value: int) -> int:
    for indexing in (indices.indexing for indices in layout.indices.values()):
        target = shape_of(call.arguments.get(indexing.into))
        axes = indexing.axes((), target, value) if indexing.along == along and target is not None else None
        if axes is not None:
            return axes[0]
    return value


def _ranks(layout: Layout, values: Mapping[str, _Value]) -> dict[str, int] | None:
    """How many axes each group has, worked out one after another; None where some group's number is not to be had."""
    ranks: dict[str, int] = {}
    for group in layout.groups.values():
        if group.low == group.high:
            ranks[group.name] = group.low
    while True:
        before = len(ranks)
        for name, value in values.items():
            for group_name, rank in _follows(layout.arguments[name], value, ranks):
                ranks.update(dict.fromkeys(_family(layout, group_name), rank))
        if len(ranks) == before:
            break
    needed = {part.group for name in values for part in layout.arguments[name]}
    return ranks if needed <= ranks.keys() else None


def _family(layout: Layout, name: str) -> Iterator[str]:
    """The groups that have as many axes as this one."""
    return (one for one in layout.groups if layout.root(one) == layout.root(name))


def _follows(parts: tuple[Part, ...], value: _Value, ranks: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The numbers of axes that one argument gives away."""
    if isinstance(value, int):
        yield parts[0].group, value
        return
    sizes = [1 if part.rank else ranks.get(part.group) for part in parts]
    if sizes.count(None) == 1:
        yield parts[sizes.index(None)].group, len(value) - sum(size for size in sizes if size is not None)
    for number, part in enumerate(parts):
        place = _place(sizes, number)
        if part.rank and place is not None and -len(value) <= place < len(value):
            yield part.group, value[place]


def _place(sizes: list[int | None], number: int) -> int | None:
    """The axis at which a part begins, from the front or else from the end; None while neither is known."""
    front, back = sizes[:number], sizes[number:]
    if None not in front:
        return sum(size for size in front if size is not None)
    return None if None in back else -sum(size for size in back if size is not None)


def _keeps(layout: Layout, values: Mapping[str, _Value], ranks: Mapping[str, int]) -> bool:
    """Whether every argument is laid out so, with the same lengths wherever a group stands."""
    lengths: dict[str, tuple[int, ...]] = {}
    for name, value in values.items():
        if isinstance(value, int):
            if value != ranks[layout.arguments[name][0].group]:
                return False
            continue
        for part, piece in _pieces(layout.arguments[name], value, ranks):
            expected = (ranks[part.group],) if part.rank else lengths.setdefault(part.group, piece)
            if piece != expected:
                return False
        if len(value) != len(_names(layout.arguments[name], ranks)) or min(value, default=0) < 0:
            return False
    return all(_related(group, lengths) for group in layout.groups.values())


def _pieces(
    parts: tuple[Part, ...], value: tuple[int, ...], ranks: Mapping[str, int]
) -> Iterator[tuple[Part, tuple[int, ...]]]:
    ends = list(accumulate(1 if part.rank else ranks[part.group] for part in parts))
    for part, start, end in zip(parts, [0, *ends], ends, strict=False):
        yield part, tuple(value[start:end])


def _related(group: Group, lengths: Mapping[str, tuple[int, ...]]) -> bool:
    mine, others = lengths.get(group.name), lengths.get(group.other or "")
    if mine is None or others is None:
        return True
    pairs = zip(mine, others, strict=True)
    return all(one <= other if group.comparison == "at most" else one >= other for one, other in pairs)


def _names(parts: tuple[Part, ...], ranks: Mapping[str, int]) -> tuple[str, ...]:
    names: list[str] = []
    for part in parts:
        names += [f"rank({part.group})"] if part.rank else [part.group] * ranks[part.group]
    return tuple(names)


def _result(
    operation: Operation, call: Call, values: Mapping[str, _Value], groups: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...] | None:
    """The groups of the result's axes, where its shape is put together from the arguments' lengths."""
    seen = operation.values(call)
    for name, names in groups.items():
        value = values[name]
        assert not isinstance(value, int)
        lengths = tuple(map(_Length.of, value, names))
        argument = seen[name]
        seen[name] = _Known(argument, lengths) if isinstance(argument, Tensor) else lengths
    try:
        shape = operation.result_shape.value(seen)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
    if not isinstance(shape, tuple) or not all(isinstance(length, _Length) for length in shape):
        return None
    return tuple(length.group for length in shape)
