"""Defects in keys of slices, numbers, dots, None, True, False and index tensors without axes, and in windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.judging.vocabulary import Divergence
from tests.planted.defect import (
    BASIC_GET,
    BASIC_SET,
    DYNAMIC_SLICE,
    DYNAMIC_UPDATE,
    Array,
    Defect,
    Right,
    Wrong,
    defect,
)


def _items(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _is_number(item: Any) -> bool:
    return isinstance(item, int) and not isinstance(item, bool)


def _of_key(change: Callable[[tuple[Any, ...], Array], tuple[Any, ...]]) -> Wrong:
    """A function that takes another key for the one that it is given. change: gives it for a key and what it is applied to."""

    def wrong(right: Right, input: Array, key: Any, **given: Any) -> Array:
        return right(input=input, key=change(_items(key), input), **given)

    return wrong


def _of_items(change: Callable[[Any], Any]) -> Wrong:
    return _of_key(lambda key, _: tuple(map(change, key)))


def _by_axis(change: Callable[[Any, int], Any]) -> Wrong:
    """As ``_of_key``, item by item, each with the length of its axis; keys with dots stay as they are."""

    def changed(key: tuple[Any, ...], target: Array) -> tuple[Any, ...]:
        if any(item is ... for item in key):
            return key
        lengths = iter(target.shape)
        return tuple(item if item is None or isinstance(item, bool) else change(item, next(lengths, 0)) for item in key)

    return _of_key(changed)


def _without_a_negative_step(item: Any) -> Any:
    is_negative = isinstance(item, slice) and item.step is not None and item.step < 0
    return slice(None, None, -item.step) if is_negative else item


def _wrapped(item: Any, length: int) -> Any:
    """With an end beyond the axis counted from the start again."""
    if not isinstance(item, slice) or not length:
        return item
    start, stop = (end % length if end is not None and end > length else end for end in (item.start, item.stop))
    return slice(start, stop, item.step)


def _from_zero(item: Any, length: int) -> Any:
    """With an end before the axis taken for one counted from its end again."""
    if not isinstance(item, slice) or not length:
        return item
    start, stop = (end % length if end is not None and end < -length else end for end in (item.start, item.stop))
    return slice(start, stop, item.step)


def _clipped(item: Any, length: int) -> Any:
    if _is_number(item):
        return min(max(item, -length), length - 1)
    return np.clip(item, -length, length - 1) if isinstance(item, np.ndarray) else item


def _with_a_step(item: Any) -> Any:
    return slice(item.start, item.stop) if isinstance(item, slice) and item.step == 0 else item


def _with_dots(key: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    """With the dots at another place of the key."""
    others = [item for item in key if item is not ...]
    if len(others) == len(key):
        return key
    return (*others[:place], ..., *others[place:])


def _both(name: str, wrong: Wrong, read: Any, written: Any) -> tuple[Defect, ...]:
    """A defect of reading and writing, with how each is reported."""
    return tuple(
        Defect(name, wrong, caught, (operation,))
        for operation, caught in ((BASIC_GET, read), (BASIC_SET, written))
        if caught is not None
    )


OF_SLICES = (
    *_both("ignores a negative step", _of_items(_without_a_negative_step), "value", "value"),
    *_both("wraps an end beyond the axis", _by_axis(_wrapped), "shape", "rejected"),
    *_both("counts an end before the axis from its end again", _by_axis(_from_zero), "shape", "rejected"),
    *_both("takes a step of 0 for one", _of_items(_with_a_step), "accepted", None),
)
OF_OTHERS = (
    *_both("drops None", _of_key(lambda key, _: tuple(i for i in key if i is not None) or (...,)), "shape", "rejected"),
    *_both("takes True for the number 1", _of_items(lambda item: 1 if item is True else item), "shape", "value"),
    *_both("takes False for True", _of_items(lambda item: True if item is False else item), "shape", "value"),
    *_both("has dots at the end", _of_key(lambda key, _: _with_dots(key, len(key))), "shape", "value"),
    *_both("has dots at the beginning", _of_key(lambda key, _: _with_dots(key, 0)), "shape", "value"),
    *_both(
        "clips a number",
        _by_axis(lambda item, n: _clipped(item, n) if _is_number(item) else item),
        "accepted",
        "accepted",
    ),
    *_both(
        "clips an index without axes",
        _by_axis(lambda item, n: item if _is_number(item) else _clipped(item, n)),
        "accepted",
        "accepted",
    ),
    *_both(
        "keeps the axis of an index without axes",
        _of_items(lambda item: item[None] if isinstance(item, np.ndarray) else item),
        "shape",
        None,
    ),
    *_both(
        "takes an index without axes from the start",
        _of_items(lambda item: np.maximum(item, 0) if isinstance(item, np.ndarray) else item),
        "value",
        "value",
    ),
)


@defect("rejected", BASIC_GET, BASIC_SET)
def refuses_an_end_beyond_the_axis(right: Right, input: Array, key: Any, **given: Any) -> Array:
    longest = max(input.shape, default=0)
    for item in _items(key):
        ends = (item.start, item.stop) if isinstance(item, slice) else ()
        if any(end is not None and abs(end) > longest for end in ends):
            raise IndexError("a slice ends beyond the axis")
    return right(input=input, key=key, **given)


@defect("value", BASIC_SET)
def misses_the_last_position_of_a_slice(right: Right, input: Array, key: Any, **given: Any) -> Array:
    result = right(input=input, key=key, **given)
    where = [slice(None)] * input.ndim
    for axis, item in enumerate(_items(key)):
        if item is None or item is ... or isinstance(item, bool):
            break
        where[axis] = item
        if isinstance(item, slice) and len(range(*item.indices(input.shape[axis]))) > 1:
            last = range(*item.indices(input.shape[axis]))[-1]
            where[axis] = last  # type: ignore[call-overload]
            result[tuple(where)] = input[tuple(where)]
            break
    return result


@defect("value", BASIC_SET)
def writes_the_values_from_their_end_by_a_slice(right: Right, values: Any, **given: Any) -> Array:
    is_row = isinstance(values, np.ndarray) and values.ndim > 0
    return right(values=values[::-1] if is_row else values, **given)


@defect("value", BASIC_SET)
def writes_only_the_first_of_the_rows(right: Right, input: Array, key: Any, **given: Any) -> Array:
    result = right(input=input, key=key, **given)
    if input.ndim > 1:
        result[1:] = input[1:]
    return result


def _with_starts(change: Callable[[int, int, int], int]) -> Wrong:
    """A function that takes other starts of a window. change: gives one for a start, the length of the axis and that of the window."""

    def wrong(right: Right, input: Array, starts: tuple[int, ...], **given: Any) -> Array:
        sizes = given["sizes"] if "sizes" in given else given["update"].shape
        if not len(starts) == len(sizes) == input.ndim:
            return right(input=input, starts=starts, **given)
        changed = tuple(map(change, starts, input.shape, sizes))
        return right(input=input, starts=changed, **given)

    return wrong


def _refused(start: int, length: int, size: int) -> int:
    if start + size > length:
        raise IndexError("the window ends beyond the axis")
    return start


_OF_STARTS: tuple[tuple[str, Callable[[int, int, int], int], Divergence], ...] = (
    ("wraps a start that is too late", lambda start, length, size: start % (length - size + 1), "value"),
    ("begins at the first position where a window does not fit", lambda a, n, size: 0 if a + size > n else a, "value"),
    ("takes a negative start for the first position", lambda start, length, size: max(start, 0), "value"),
    ("refuses a start from which a window does not fit", _refused, "rejected"),
    ("moves every start back", lambda start, length, size: max(start - 1, 0) if start > 0 else start, "value"),
)
WINDOWS = tuple(
    Defect(name, _with_starts(change), caught, (DYNAMIC_SLICE, DYNAMIC_UPDATE)) for name, change, caught in _OF_STARTS
)
