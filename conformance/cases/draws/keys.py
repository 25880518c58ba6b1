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
    """By kind, the place of an item that can be made wrong."""
    items = key_of(text).items
    for place, item in enumerate(items):
        if takes_an_axis(item) and not isinstance(item, str):
            yield from ((kind, place) for kind in _NUMBERS)
        if isinstance(item, slice):
            yield STEP, place
    yield MORE, len(items)


def mutated_key(text: str, kind: str, place: int, target: tuple[int, ...]) -> str:
    """The key with a mistake; Rejected if it has none of this kind at this place. target: the shape of what it is applied to."""
    key = key_of(text)
    if kind == MORE:
        return Key((*key.items, *[slice(None)] * (len(target) + 1 - key.rank))).text
    if (kind, place) not in key_mutations(text):
        raise Rejected
    item, before = key.items[place], key.items[:place]
    if isinstance(item, slice) and kind == STEP:
        wrong: Item = slice(item.start, item.stop, 0)
    else:
        axis = sum(map(takes_an_axis, before)) + (len(target) - key.rank if any(each is ... for each in before) else 0)
        wrong = _NUMBERS[kind](target[axis])
    return replace(key, items=(*before, wrong, *key.items[place + 1 :])).text
