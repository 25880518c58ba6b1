"""Calls that add, subtract or multiply chosen numbers at a few positions, for every reduction of an operation that does so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from conformance.cases.draws.elements import as_tensor
from conformance.cases.forms.numbers import call_along
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, tensor
from conformance.specification.model import Operation

Word = Literal["sums", "differences", "products"]
_PROBE = (7, (2, 3, 1, 1))
_WORDS: dict[int, Word] = {14: "sums", 0: "differences", 42: "products"}
"""By what becomes of the numbers of the probe, what is computed."""


@dataclass(frozen=True)
class Accumulation:
    """An operation with a choice of its optional arguments with which it adds, subtracts or multiplies."""

    word: Word
    choices: tuple[tuple[str, Argument], ...]
    """The arguments that choose what it does."""
    operation: Operation
    turn: int

    def call(self, dtype: str, starts: Sequence[float], terms: Sequence[Sequence[float]]) -> Applied:
        """The call that adds these terms at each position to what is there, in order. Without a target, that is a term too."""
        made = _call(self.operation, self.turn, len(starts), len(terms[0]))
        assert made is not None
        return made.with_numbers(dtype, starts, terms)

    def long_call(self, dtype: str, text: str, count: int) -> Applied:
        """The call that adds ``count`` terms, which a constructor gives, at one position."""
        made = _call(self.operation, self.turn, 1, count, first=0)
        assert made is not None
        source = made.call.data[made.source]
        shaped = text if source.rank == 1 else f"reshape({text}, {list(source.shape)})"
        changed: dict[str, Argument] = {made.source: tensor(dtype, shaped)}
        for name, value in made.call.tensors.items():
            if name != made.source:
                zeros = tensor("int64" if name not in made.call.data else dtype, f"zeros({list(value.shape)})")
                changed[name] = zeros
        return made.call.with_arguments(changed)


@dataclass(frozen=True)
class _Made:
    call: Applied
    target: str | None
    source: str

    def with_numbers(self, dtype: str, starts: Sequence[float], terms: Sequence[Sequence[float]]) -> Applied:
        data = self.call.data
        rows = [
            list(row) if self.target is not None else [start, *row] for start, row in zip(starts, terms, strict=True)
        ]
        changed = {self.source: as_tensor(dtype, np.array(rows).reshape(data[self.source].shape))}
        if self.target is not None:
            changed[self.target] = as_tensor(dtype, np.array(starts).reshape(data[self.target].shape))
        return self.call.with_arguments(changed)


def accumulations(operation: Operation, reference: Reference) -> Iterator[Accumulation]:
    """Each choice of optional arguments with which an operation adds, subtracts or multiplies."""
    seen = set()
    for turn in range(1 + max((len(spec.choices) for spec in operation.arguments.values()), default=0)):
        start, terms = _PROBE
        made = _call(operation, turn, 1, len(terms))
        if made is None or not made.call.accumulates:
            continue
        try:
            [result] = reference(made.with_numbers("int64", [start], [terms])).array.reshape(-1)
        except ReferenceFailed:
            continue
        word, choices = _WORDS.get(int(result)), choices_of(made.call)
        if word is not None and (word, choices) not in seen:
            seen.add((word, choices))
            yield Accumulation(word, choices, operation, turn)


def choices_of(call: Applied) -> tuple[tuple[str, Argument], ...]:
    """The arguments that choose what a call does, such as ``reduce``."""
    return tuple(
        (name, call.arguments[name])
        for name, spec in call.operation.arguments.items()
        if "choice" in spec.kinds and isinstance(call.arguments.get(name), str)
    )


def _call(operation: Operation, turn: int, positions: int, count: int, first: int | None = None) -> _Made | None:
    """A call with ``count`` terms for each of the first positions of an axis, and what is there as another one without a target."""
    layout = operation.layout
    assert layout is not None
    [name, *_] = layout.indices
    indexing = layout.indices[name].indexing
    if not indexing.holds_positions:
        return None
    target = indexing.into if "tensor" in getattr(operation.arguments.get(indexing.into), "kinds", ()) else None
    more = 0 if target is not None or first is not None else 1
    places = np.repeat(np.arange(positions), count + more)
    call = call_along(operation, layout, name, positions, places, "int64", turn)
    if call is None or call.broken_rules:
        return None
    sources = [each for each, value in call.data.items() if each != target and value.size == places.size]
    return _Made(call, target, sources[0]) if len(sources) == 1 else None
