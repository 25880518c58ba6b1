"""Keys: what stands in brackets behind a tensor, as in ``x[i, :, j]``, and where the axes of its indices go in the result.

The items of a key are indices by their names, slices, ``...``, ``None``, numbers, ``True`` and ``False``. An index and a number
beside one are advanced: they are broadcast against each other, and their axes replace the axes that they index if all of them stand
beside each other; if a slice, ``...`` or ``None`` stands between them, their axes come first. A mask stands for as many indices as
it has axes: the positions of its true elements. ``True`` and ``False`` are masks without axes: of no axis of the tensor, they stand for
an index of length one or zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import EllipsisType
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Item = str | slice | EllipsisType | int | bool | None
"""An index by its name, or what Python has for the other items."""

_SLICE = re.compile(r"(-?\d+)?:(-?\d+)?(?::(-?\d+)?)?")
_ALL = slice(None, None, None)
_CONSTANTS: Mapping[str, Item] = {"...": ..., "None": None, "True": True, "False": False}


@dataclass(frozen=True)
class Key:
    """The items in brackets behind a tensor."""

    items: tuple[Item, ...]
    is_alone: bool = False
    """It is its only item, as in ``x[0]``, and not a tuple of one, as in ``x[0,]``."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its indices, in order."""
        return tuple(item for item in self.items if isinstance(item, str))

    @property
    def text(self) -> str:
        """It as it is written in specs."""
        written = ", ".join(map(_text, self.items))
        return written if self.is_alone or len(self.items) > 1 else f"{written},"

    @property
    def rank(self) -> int:
        """The number of axes that a tensor must have at least."""
        return sum(takes_an_axis(item) for item in self.items)

    def axes(self, rank: int) -> dict[str, int]:
        """By index, the axis of a tensor of this rank that it points along; ValueError if the tensor has too few."""
        axes: dict[str, int] = {}
        axis = 0
        for item in self._expanded(rank):
            if isinstance(item, str):
                axes[item] = axis
            axis += takes_an_axis(item)
        return axes

    def shape(self, target: Sequence[int], *indices: Sequence[int]) -> Shape:
        """The shape of what it selects of a target; ValueError or LookupError if it does not fit. indices: their shapes, in order."""
        lengths = iter(target)
        selected: list[int] = []
        advanced: list[int] = []
        place: int | None = None
        for number, item in enumerate(self._expanded(len(target))):
            if item is None:
                selected.append(1)
            elif isinstance(item, slice):
                length = next(lengths)
                selected.append(length if item == _ALL else len(range(*item.indices(length))))
            else:
                length = next(lengths) if takes_an_axis(item) else 0
                if takes_an_axis(item) and isinstance(item, int) and not -length <= item < length:
                    raise IndexError(f"{item} is no position of an axis of length {length}")
                place = len(selected) if place is None else place
                advanced.append(number)
        is_together = not advanced or advanced[-1] - advanced[0] == len(advanced) - 1
        # Three dots separate even where they stand for no axis.
        is_together = is_together and not self._dots_between
        first = (place or 0) if is_together else 0
        truths = [(int(item),) for item in self.items if isinstance(item, bool)]
        return (*selected[:first], *broadcast([*indices, *truths]), *selected[first:])

    def numbers_fit(self, target: Sequence[int]) -> bool:
        """Whether each number is a position of its axis; True if the target has too few axes, which is another mistake."""
        if len(target) < self.rank:
            return True
        items = [item for item in self._expanded(len(target)) if takes_an_axis(item)]
        return all(
            -length <= item < length for item, length in zip(items, target, strict=True) if isinstance(item, int)
        )

    @property
    def has_steps(self) -> bool:
        """Whether no slice has a step of 0."""
        return not any(isinstance(item, slice) and item.step == 0 for item in self.items)

    def without_masks(self, ranks: Mapping[str, int]) -> Key:
        """The key with as many indices in the place of each of these masks as it has axes."""
        items: list[Item] = []
        for item in self.items:
            items += _indices_of(item, ranks[item]) if isinstance(item, str) and item in ranks else [item]
        return Key(tuple(items), self.is_alone and len(items) == 1)

    def native(self, indices: Mapping[str, Array]) -> Any:
        """The key for a NumPy array, with these indices, as Python puts it in brackets."""
        items = tuple(indices[item] if isinstance(item, str) else item for item in self.items)
        return items[0] if self.is_alone else items

    @property
    def _dots_between(self) -> bool:
        advanced = [number for number, item in enumerate(self.items) if isinstance(item, str | int)]
        return any(item is ... for item in self.items[advanced[0] : advanced[-1]]) if advanced else False

    @property
    def _has_dots(self) -> bool:
        return any(item is ... for item in self.items)

    def _expanded(self, rank: int) -> Iterator[Item]:
        """The items with a slice for each axis that no item names."""
        if rank < self.rank:
            raise ValueError(f"the key names {self.rank} axes, and the tensor has {rank}")
        for item in self.items if self._has_dots else (*self.items, ...):
            if item is ...:
                yield from (_ALL for _ in range(rank - self.rank))
            else:
                yield item


@cache
def key_of(text: str) -> Key:
    """The key that is written like this; ValueError if it is none."""
    written = text.removesuffix(",") if ", " not in text else text
    items = tuple(map(_item, written.split(", ")))
    if sum(item is ... for item in items) > 1:
        raise ValueError(f"{text!r} has more than one ...")
    return Key(items, is_alone=len(items) == 1 and written == text)


def takes_an_axis(item: Item) -> bool:
    """Whether an item is about an axis of the tensor; dots are about those that no other item names."""
    return item is not None and item is not ... and not isinstance(item, bool)


def _indices_of(mask: str, rank: int) -> tuple[str, ...]:
    """The names of the indices for which a mask stands, by axis."""
    return tuple(f"{mask}.{axis}" for axis in range(rank))


def _text(item: Item) -> str:
    if isinstance(item, slice):
        bounds = ["" if bound is None else str(bound) for bound in (item.start, item.stop, item.step)]
        return ":".join(bounds if item.step is not None else bounds[:2])
    return "..." if item is ... else str(item)


def _item(text: str) -> Item:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"[a-z][a-z0-9_]*", text):
        return text
    bounds = _SLICE.fullmatch(text)
    if bounds is None:
        raise ValueError(
            f"{text!r} is no item of a key; allowed: the name of an index, START:STOP:STEP, ..., None, a number, True, False"
        )
    return slice(*(int(bound) if bound else None for bound in bounds.groups()))


def broadcast(shapes: Sequence[Sequence[int]]) -> Shape:
    """The shape to which these are broadcast; ValueError if they cannot be."""
    rank = max(map(len, shapes), default=0)
    result: list[int] = []
    for axis in range(-rank, 0):
        lengths = [shape[axis] for shape in shapes if len(shape) >= -axis]
        longer = [length for length in lengths if length != 1]
        if len(set(longer)) > 1:
            raise ValueError(f"shapes {', '.join(str(tuple(shape)) for shape in shapes)} cannot be broadcast")
        result.append(longer[0] if longer else lengths[0])
    return tuple(result)


def broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether a tensor of one shape can be broadcast to another."""
    return len(shape) <= len(to) and all(
        length in (1, other) for length, other in zip(reversed(shape), reversed(to), strict=False)
    )


class Index(Protocol):
    """A tensor in a key."""

    @property
    def array(self) -> Array: ...

    @property
    def shape(self) -> Shape: ...


class Filled:
    """A key with the tensors that stand in it, masks among them."""

    def __init__(self, text: str, indices: Sequence[Index]) -> None:
        """indices: in the order in which they stand in the key; ValueError if it is no key, or needs more or fewer."""
        written = key_of(text)
        self._indices = dict(zip(written.names, indices, strict=True))
        self._masks = {name: index for name, index in self._indices.items() if index.array.dtype == bool}
        self.key = written.without_masks({name: len(mask.shape) for name, mask in self._masks.items()})

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of the indices, those that masks stand for among them."""
        shapes: list[Shape] = []
        for name, index in self._indices.items():
            is_mask = name in self._masks
            shapes += [(int(np.count_nonzero(index.array)),)] * len(index.shape) if is_mask else [index.shape]
        return tuple(shapes)

    def arrays(self) -> dict[str, Array]:
        """The indices, those that masks stand for among them."""
        arrays: dict[str, Array] = {}
        for name, index in self._indices.items():
            if name in self._masks:
                arrays |= zip(_indices_of(name, len(index.shape)), np.nonzero(index.array), strict=True)
            else:
                arrays[name] = index.array
        return arrays

    def lengths(self, target: Shape) -> Shape:
        """By index, the length of its axis, by mask that of its first; ValueError or LookupError if an axis is missing."""
        return tuple(target[start] for start in self._starts(target).values())

    def masks_fit(self, target: Shape) -> bool:
        """Whether each mask has the shape of the axes at which it stands; ValueError if these are too few."""
        starts = self._starts(target) if self._masks else {}
        return all(mask.shape == target[starts[name] :][: len(mask.shape)] for name, mask in self._masks.items())

    def taken(self, target: Shape) -> Shape:
        """The shape of what it selects of a target; ValueError or LookupError if it does not fit."""
        if not self.masks_fit(target):
            raise ValueError("a mask has not the shape of the axes at which it stands")
        return self.key.shape(target, *self.shapes)

    def _starts(self, target: Shape) -> dict[str, int]:
        """By tensor in the key, the first axis at which it stands."""
        axes = self.key.axes(len(target))
        return {name: axes[f"{name}.0" if name in self._masks else name] for name in self._indices}


@dataclass(frozen=True, eq=False)
class Keyed:
    """A key with its indices, none of which is a mask, and the shape of what it is applied to."""

    key: Key
    indices: Mapping[str, Array]
    target: Shape

    @property
    def fits(self) -> bool:
        """Whether it can be applied to the target: the indices can be broadcast, and numbers are positions."""
        try:
            return len(self.taken) >= 0
        except (ValueError, LookupError):
            return False

    @property
    def taken(self) -> Shape:
        """The shape of what it selects; ValueError or LookupError if it does not fit."""
        return self.key.shape(self.target, *(self.indices[name].shape for name in self.key.names))

    def positions(self, outside: int) -> Array:
        """By element of ``taken``, its row-major position in the target, or ``outside``."""
        axes = self.key.axes(len(self.target))
        # One more place at the end of each axis that is indexed stands for all that do not exist.
        longer = [(0, int(axis in axes.values())) for axis in range(len(self.target))]
        numbers = np.arange(int(np.prod(self.target, dtype=object))).reshape(self.target)
        padded = np.pad(numbers, longer, constant_values=outside)
        inside = {name: _inside(self.indices[name], self.target[axis]) for name, axis in axes.items()}
        return np.asarray(padded[self.key.native(inside)])


def _inside(index: Array, length: int) -> Array:
    """The index with each number outside replaced by the length."""
    inside = (index >= 0) & (index < length)
    # The dtype of the index may not hold the length.
    return np.where(inside, np.where(inside, index, 0).astype(np.intp), length)
