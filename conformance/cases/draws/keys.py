"""Keys without index tensors with axes: those of valid calls, and what is wrong in others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from conformance.cases.draws.choices import Choose, Rejected, choose_item
from conformance.specification.indices.keys import Item, Key, key_of, takes_an_axis

FARTHEST = 9
"""The largest bound of a slice, beyond the end of most axes."""
STEPS = (None, 2, 3, 1)
DOWNWARDS = (-1, -2)

_NUMBERS: Mapping[str, Callable[[int], int]] = {
    "number-at-the-length": lambda length: length,
    "number-below-minus-the-length": lambda length: -length - 1,
}
STEP, MORE = "step-of-zero", "one-item-more"
KINDS = (*_NUMBERS, STEP, MORE)
"""The kinds of mutations of a key."""


def draw_key(choose: Choose, rank: int, *, downwards: bool) -> str:
    """A key for a tensor of as many axes, whose numbers are positions of axes of any length.

    downwards: whether slices may have a negative step.
    """
    items: list[Item] = [_item(choose, downwards=downwards) for _ in range(choose(1, rank))]
    if choose(0, 3) == 3:
        items.insert(choose(0, len(items)), ...)
    if choose(0, 3) == 3:
        items.insert(choose(0, len(items)), None)
    return Key(tuple(items), is_alone=len(items) == 1).text


def _item(choose: Choose, *, downwards: bool) -> Item:
    kind = choose(0, 5)
    if kind == 4:
        return choose(-1, 0)
    if kind == 5:
        return slice(None, None, None)
    steps = (*STEPS, *DOWNWARDS) if downwards else STEPS
    return slice(_bound(choose), _bound(choose), choose_item(choose, steps))


def _bound(choose: Choose) -> int | None:
    return choose(-FARTHEST, FARTHEST) if choose(0, 1) else None


def key_mutations(text: str) -> Iterator[tuple[str, int]]:
    """By kind, the number of an item that can be made wrong: numbers among those that take an axis, steps among all items."""
    key = key_of(text)
    for axis, _ in enumerate(filter(takes_an_axis, key.items)):
        yield from ((kind, axis) for kind in _NUMBERS)
    yield from ((STEP, number) for number, item in enumerate(key.items) if isinstance(item, slice))
    yield MORE, 0


def mutated_key(text: str, kind: str, number: int, target: tuple[int, ...]) -> str:
    """The key with a mistake. target: the shape of what it is applied to."""
    key = key_of(text)
    items = list(key.items)
    if kind == MORE:
        more = [slice(None)] * (len(target) + 1 - key.rank)
        return Key((*items, *more)).text
    place = _place(key, kind, number)
    item = items[place]
    if kind == STEP and isinstance(item, slice):
        items[place] = slice(item.start, item.stop, 0)
    elif kind in _NUMBERS and not isinstance(item, str):
        has_dots_before = any(each is ... for each in items[:place])
        axis = len(target) - key.rank + number if has_dots_before else number
        items[place] = _NUMBERS[kind](target[axis])
    else:
        raise Rejected
    return replace(key, items=tuple(items)).text


def _place(key: Key, kind: str, number: int) -> int:
    """The place of an item in a key; Rejected if it has none with this number."""
    is_counted: Callable[[Item], bool] = takes_an_axis if kind in _NUMBERS else lambda _: True
    places = [place for place, item in enumerate(key.items) if is_counted(item)]
    if number >= len(places):
        raise Rejected
    return places[number]
