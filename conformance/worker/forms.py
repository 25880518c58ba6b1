"""The forms of calls that an API takes: what adapters ask of arguments, and keys for functions that take none.

Adapters import these functions, which know no framework, and scripts of ``conformance repro`` quote them.
"""

from __future__ import annotations

from typing import Any, Optional

from conformance.adapter import Unsupported


def only(name: str, value: Any, *allowed: Any) -> None:
    """Raise Unsupported for another value of an argument than an API has: a word, a number or None."""
    if value not in allowed:
        raise Unsupported(f"only {name}={' or '.join(map(repr, allowed))}")


def only_a_tensor(name: str, value: Any) -> None:
    """Raise Unsupported for a number or a list in place of a tensor."""
    if isinstance(value, (bool, int, float, complex, list, tuple)):
        raise Unsupported(f"only a tensor as {name}")


def only_add(reduce: Any, src: Any) -> None:
    """Raise Unsupported for another reduction than add, or for a number in place of the tensor that is added."""
    only("reduce", reduce, "add")
    only_a_tensor("src", src)


def only_an_index(index: Any) -> None:
    """Raise Unsupported for a call that has a mask instead."""
    if index is None:
        raise Unsupported("only an index")


def only_a_mask(mask: Any) -> None:
    """Raise Unsupported for a call that has an index instead."""
    if mask is None:
        raise Unsupported("only a mask")


def only_indices(key: Any, values: Any) -> None:
    """Raise Unsupported for a key that has more than tensors, or a number in place of values."""
    if any(item is None or item is ... or isinstance(item, (slice, bool, int, list, tuple)) for item in key):
        raise Unsupported("only indices")
    only_a_tensor("values", values)


def of_elements(tensor: Any, mask: Any) -> None:
    """Raise Unsupported for a mask of the first axes of a tensor, which an API that broadcasts takes for one of the last."""
    if len(mask.shape) < len(tensor.shape) and tuple(mask.shape) == tuple(tensor.shape)[: len(mask.shape)]:
        raise Unsupported("no slices: a mask of fewer axes is one of the last axes")


def slices(dim: int, index: Any) -> tuple[Any, ...]:
    """What stands in brackets to select slices along an axis by an index."""
    return (slice(None),) * dim + (index,) if dim >= 0 else (..., index) + (slice(None),) * (-1 - dim)


def one_item(key: Any, kind: type) -> tuple[int, Any]:
    """The axis and the item of a key that has one item beside slices of everything before it; Unsupported for any other key."""
    *others, item = key if isinstance(key, tuple) else (key,)
    if type(item) is not kind or any(not isinstance(other, slice) or other != slice(None) for other in others):
        raise Unsupported(f"only a {kind.__name__} of one axis")
    return len(others), item


def one_part(key: Any, shape: Any) -> tuple[int, int, int]:
    """The axis, start and length of a key that is one slice between two positions of an axis; Unsupported for any other key."""
    dim, item = one_item(key, slice)
    length = shape[dim] if dim < len(shape) else 0
    ends = item.start, item.stop
    if item.step not in (None, 1) or not all(type(end) is int and -length <= end <= length for end in ends):
        raise Unsupported("only a slice between two positions")
    if (item.start < 0) != (item.stop < 0) or item.start > item.stop:
        raise Unsupported("only a slice whose length is known without that of the axis")
    return dim, item.start, item.stop - item.start


def cut(key: Any, rank: int, most: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """The axes, starts, ends and steps of the slices of a key; Unsupported for a key that has anything else.

    most: the largest number, which stands for an end that is left open; where a step goes down, the smallest does.
    """
    items = key if isinstance(key, tuple) else (key,)
    if any(item is ... for item in items):
        place = [item is ... for item in items].index(True)
        items = (*items[:place], *[slice(None)] * (rank - len(items) + 1), *items[place + 1 :])
    if not items or not all(isinstance(item, slice) for item in items):
        raise Unsupported("only slices, and dots")
    starts = [_end(item.start, item.step, 0, most) for item in items]
    ends = [_end(item.stop, item.step, most, -most - 1) for item in items]
    return list(range(len(items))), starts, ends, [1 if item.step is None else item.step for item in items]


def _end(end: Optional[int], step: Optional[int], up: int, down: int) -> int:
    """An end of a slice; where it is left open, that of a slice that goes up or down."""
    if end is not None:
        return end
    return up if step is None or step > 0 else down
