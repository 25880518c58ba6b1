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

    written: Any
    axis: int
    """The axis of the tensor that it is about, or the first of them."""
    axes: int
    """The number of axes that it leaves to the result, if it is no index."""
    is_number: bool = False
    is_tensor: bool = False

    @property
    def is_index(self) -> bool:
        return self.is_number or self.is_tensor


def items_of(key: Any, rank: int) -> list[Item]:
    """The items of a key for a tensor of this rank."""
    written = list(key) if isinstance(key, tuple) else [key]
    unnamed = rank - sum(map(_axes_of, written))
    items, axis = [], 0
    for item in written if any(each is ... for each in written) else [*written, ...]:
        taken = unnamed if item is ... else _axes_of(item)
        if isinstance(item, np.ndarray):
            items.append(Item(item, axis, 0, is_tensor=True))
        elif isinstance(item, int):
            items.append(Item(item, axis, 0, is_number=True))
        else:
            items.append(Item(item, axis, unnamed if item is ... else 1))
        axis += taken
    return items


def _axes_of(item: Any) -> int:
    """The number of axes of the tensor that an item names; dots name none."""
    if isinstance(item, np.ndarray) and item.dtype == bool:
        return item.ndim
    return 0 if item is None or item is ... or isinstance(item, bool) else 1


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
        items = items_of(given["key"], given["input"].ndim)
        shapes = [(int(each.sum()),) if each.dtype == bool else each.shape for each in indices.values()]
        count = len(np.broadcast_shapes(*shapes))
        due, taken = (range(first, first + count) for first in (in_their_place_if_together(items), place(items)))
        if "values" not in given:
            return np.moveaxis(right(**given), [*due], [*taken])
        selected = given["input"][given["key"]]
        values = np.broadcast_to(given["values"], np.moveaxis(selected, [*due], [*taken]).shape)
        return right(**{**given, "values": np.moveaxis(values, [*taken], [*due])})

    return wrong


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
def clips_an_index_that_stands_in_a_key(right: Right, input: Array, key: tuple[Any, ...], **given: Any) -> Array:
    def clipped(item: Item) -> Any:
        is_index = item.is_tensor and item.written.dtype.kind in "iu"
        return np.minimum(item.written, input.shape[item.axis] - 1) if is_index else item.written

    has_dots = any(item is ... for item in key)
    items = items_of(key, input.ndim)
    return right(input=input, key=tuple(map(clipped, items if has_dots else items[:-1])), **given)


@defect("value", ADVANCED_GET, ADVANCED_SET)
def takes_the_indices_from_their_end_where_they_are_broadcast(
    right: Right, key: tuple[Any, ...], **given: Any
) -> Array:
    def flipped(item: Any) -> Any:
        if not isinstance(item, np.ndarray) or item.dtype == bool:
            return item
        return np.flip(item, tuple(axis for axis, length in enumerate(item.shape) if length > 2))

    right(key=key, **given)
    return right(key=tuple(map(flipped, key)), **given)
