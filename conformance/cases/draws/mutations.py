"""Mutations of valid calls, some of which break a rule. Mistakes are listed in ``conformance.cases.draws.mistakes``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.cases.draws.geometry import Geometry, layout_of
from conformance.cases.draws.keys import KINDS as OF_KEYS
from conformance.cases.draws.keys import key_mutations
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor

INDEX_CASTS = ("float32", "float64", "bool", "int16", "uint8")
DATA_CASTS = ("bool", "float64", "complex64", "int64")
OUTSIDE = ("the-length", "past-the-length", "minus-one", "minus-the-length", "below-minus-the-length")
NEXT_AXIS, PREVIOUS_AXIS = "the-next-axis", "the-previous-axis"
POSITIONS = "list-of-positions"
"""One-dimensional indices with as many updates."""
MISTAKES = (
    "inner-axis-left-out", "inner-axis-first", POSITIONS, NEXT_AXIS, PREVIOUS_AXIS,
    "one-row", "flat", "index-axes-first", "index-axes-last",
)  # fmt: skip


@dataclass(frozen=True)
class Mutation:
    """A mutation of an argument, or of a group of axes in all arguments that have it."""

    kind: str
    target: str
    axis: int = 0
    """Of a key, the place of an item."""

    @property
    def of_group(self) -> bool:
        return self.kind.startswith("group-")

    @property
    def of_values(self) -> bool:
        """It moves an index out of bounds."""
        return self.kind in OUTSIDE

    @property
    def of_axis(self) -> bool:
        """It makes indices refer to another axis."""
        return self.kind in (NEXT_AXIS, PREVIOUS_AXIS)

    @property
    def is_mistake(self) -> bool:
        """It may break several rules; any other mutation is meant to break one."""
        return self.kind in MISTAKES

    @property
    def family(self) -> tuple[str, str]:
        """The kind and target, which mutations of several axes share."""
        return self.kind, self.target

    def __str__(self) -> str:
        words = self.kind.removeprefix("group-").replace("-", " ")
        part = "axis" if self.kind in AXIS_KINDS else "item" if self.kind in OF_KEYS else None
        return f"{self.target}: {words}" if part is None else f"{self.target}, {part} {self.axis}: {words}"


AXIS_KINDS = (
    "one-longer", "one-shorter", "of-length-one", "left-out", "put-before", "two-put-before", "swapped-with-the-next",
    "joined-with-the-next", "of-length-zero", "of-negative-length", "group-left-out", "group-put-before",
    "group-of-length-zero",
)  # fmt: skip


def mutations(geometry: Geometry, call: Applied) -> Iterator[Mutation]:
    """All mutations that apply to a call of this geometry."""
    layout = layout_of(call.operation)
    for name, value in call.arguments.items():
        if isinstance(value, Tensor):
            yield from _of_shape(name, value.shape)
            casts = INDEX_CASTS if call.operation.arguments[name].index else DATA_CASTS
            yield from (Mutation(f"as-{dtype}", name) for dtype in casts if dtype != value.dtype)
            if name in layout.indices and value.array.size and layout.indices[name].indexing.holds_positions:
                yield from (Mutation(kind, name) for kind in OUTSIDE)
        elif isinstance(value, str) and name in layout.keys:
            yield from (Mutation(kind, name, number) for kind, number in key_mutations(value))
        elif isinstance(value, tuple):
            yield from _of_shape(name, value)
            yield from _of_vector(name, value)
        elif isinstance(value, int):
            # A slightly different number from the layout may be valid, or break another rule.
            near = () if layout.has(name) else ("one-more", "one-less")
            yield from (Mutation(kind, name) for kind in (*near, "ten-more", "ten-less"))
            if any(not part.rank for part in layout.arguments.get(name, ())):
                yield Mutation("of-negative-length", name)
    for name, group in layout.groups.items():
        if group.other is None:
            yield from _of_group(name, geometry)


def _of_shape(name: str, shape: tuple[int, ...]) -> Iterator[Mutation]:
    for axis, length in enumerate(shape):
        yield Mutation("one-longer", name, axis)
        if length > 1:
            yield Mutation("one-shorter", name, axis)
        if length > 2:
            yield Mutation("of-length-one", name, axis)
        yield Mutation("left-out", name, axis)
        if axis + 1 < len(shape):
            yield Mutation("joined-with-the-next", name, axis)
            if length != shape[axis + 1]:
                yield Mutation("swapped-with-the-next", name, axis)
    for axis in range(len(shape) + 1):
        yield Mutation("put-before", name, axis)
        yield Mutation("two-put-before", name, axis)


def _of_vector(name: str, vector: tuple[int, ...]) -> Iterator[Mutation]:
    for axis in range(len(vector)):
        yield Mutation("of-length-zero", name, axis)
        yield Mutation("of-negative-length", name, axis)
    yield from (Mutation(kind, name) for kind in ("as-a-list", "as-an-int32-tensor", "as-an-int64-tensor"))


def _of_group(name: str, geometry: Geometry) -> Iterator[Mutation]:
    count = len(geometry.lengths[name])
    for axis in range(count):
        yield Mutation("group-left-out", name, axis)
        yield Mutation("group-of-length-zero", name, axis)
    yield Mutation("group-put-before", name, count)
