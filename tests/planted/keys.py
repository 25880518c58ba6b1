"""Defects in what stands in brackets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.planted.defect import ADVANCED_GET, ADVANCED_SET, Array, Defect, Right, Wrong, defect


@dataclass(frozen=True)
class Item:
    """An item of a key."""

    written: str
    axis: int
    """The axis of the tensor that it is about, or the first of them."""
    axes: int
    """The number of axes that it leaves to the result, if it is no index."""
    is_number: bool = False
    is_tensor: bool = False

    @property
    def is_index(self) -> bool:
        return self.is_number or self.is_tensor


def items_of(key: str, rank: int, tensors: Mapping[str, Array]) -> list[Item]:
    """The items of a key for a tensor of this rank."""
    written = key.split(", ")
    taken = {name: tensors[name].ndim if tensors[name].dtype == bool else 1 for name in tensors}
    unnamed = rank - sum(taken.get(item, 1) for item in written if item not in ("None", "..."))
    items, axis = [], 0
    for item in written if "..." in written else [*written, "..."]:
        if item in tensors:
            items.append(Item(item, axis, 0, is_tensor=True))
        elif item.lstrip("-").isdigit():
            items.append(Item(item, axis, 0, is_number=True))
        else:
            items.append(Item(item, axis, unnamed if item == "..." else 1))
        axis += {"None": 0, "...": unnamed}.get(item, taken.get(item, 1))
    return items


Place = Callable[[list[Item]], int]
"""How many axes of the result stand before those of the indices."""


def _axes_before(items: list[Item], is_index: Callable[[Item], bool]) -> int:
    first = next(number for number, item in enumerate(items) if is_index(item))
    return sum(item.axes for item in items[:first])


def in_their_place(items: list[Item]) -> int:
    return _axes_before(items, lambda item: item.is_index)


def in_their_place_if_together(items: list[Item]) -> int:
    """As it is right."""
    numbers = [number for number, item in enumerate(items) if item.is_index]
    return 0 if numbers[-1] - numbers[0] >= len(numbers) else in_their_place(items)


def at_the_beginning(_: list[Item]) -> int:
    return 0


def as_if_numbers_were_slices(items: list[Item]) -> int:
    numbers = [number for number, item in enumerate(items) if item.is_tensor]
    together = numbers[-1] - numbers[0] < len(numbers)
    return _axes_before(items, lambda item: item.is_tensor) if together else 0


def _indices(given: Mapping[str, Any]) -> dict[str, Array]:
    return {name: given[name] for name in ("i", "j")}


def _with_place(place: Place) -> Wrong:
    """A function that has the axes of the indices in another place of the result, or expects them there in values."""

    def wrong(right: Right, **given: Any) -> Array:
        right(**given)  # it refuses what is to be refused
        indices = _indices(given)
        items = items_of(given["key"], given["input"].ndim, indices)
        shapes = [(int(each.sum()),) if each.dtype == bool else each.shape for each in indices.values()]
        count = len(np.broadcast_shapes(*shapes))
        due, taken = (range(first, first + count) for first in (in_their_place_if_together(items), place(items)))
        if "values" not in given:
            return np.moveaxis(right(**given), [*due], [*taken])
        selected = _reading(given, items)
        values = np.broadcast_to(given["values"], np.moveaxis(selected, [*due], [*taken]).shape)
        return right(**{**given, "values": np.moveaxis(values, [*taken], [*due])})

    return wrong


def _reading(given: Mapping[str, Any], items: list[Item]) -> Array:
    """What NumPy reads with a key, which has the shape that values are broadcast to."""
    key: list[Any] = []
    for item in items:
        if item.is_tensor:
            key.append(given[item.written])
        elif item.is_number:
            key.append(int(item.written))
        elif item.written in ("None", "..."):
            key.append(None if item.written == "None" else ...)
        else:
            key.append(slice(*(int(bound) if bound else None for bound in item.written.split(":"))))
    read: Array = given["input"][tuple(key)]
    return read


PLACES = tuple(
    Defect(name, _with_place(place), "shape" if operation == ADVANCED_GET else "rejected", (operation,))
    for operation in (ADVANCED_GET, ADVANCED_SET)
    for name, place in (
        ("leaves the axes of indices in their place if something stands between them", in_their_place),
        ("puts the axes of indices first in any case", at_the_beginning),
        ("takes a number for no index", as_if_numbers_were_slices),
    )
)


@defect("accepted", ADVANCED_GET, ADVANCED_SET)
def clips_an_index_that_stands_in_a_key(right: Right, input: Array, key: str, **given: Any) -> Array:
    for item in items_of(key, input.ndim, _indices(given)):
        index = given[item.written] if item.is_tensor else None
        if index is not None and index.dtype.kind in "iu":
            given[item.written] = np.minimum(index, input.shape[item.axis] - 1)
    return right(input=input, key=key, **given)


@defect("value", ADVANCED_GET, ADVANCED_SET)
def takes_the_indices_from_their_end_where_they_are_broadcast(right: Right, **given: Any) -> Array:
    right(**given)
    for name, index in _indices(given).items():
        if index.dtype != bool:
            given[name] = np.flip(index, tuple(axis for axis, length in enumerate(index.shape) if length > 2))
    return right(**given)
