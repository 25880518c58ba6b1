"""The reference: the formulas of the documents as plain NumPy loops, easy to check by eye.

It raises what the documents call an error: ValueError for a rule about ranks and shapes, TypeError for a rule
about types, IndexError for an out-of-bounds index. Of duplicates whose order is unspecified, the last wins.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.adapter import api

Position = tuple[int, ...]
REDUCTIONS = ("add", "multiply", "amax", "amin", "mean")
COMBINED = {
    "add": np.add, "sum": np.add, "mean": np.add,  # which is divided at the end
    "multiply": np.multiply, "prod": np.multiply,
    "sub": np.subtract, "amax": np.maximum, "amin": np.minimum,
}  # fmt: skip
"""What each reduction makes of an element and the value that comes to it."""
ALL_DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"),
)
BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
"""The dtypes that NumPy lacks, with the dtypes of their bits."""


def describe() -> dict[str, Any]:
    return {"framework": "reference", "dtypes": ["float8_e4m3fn", "float8_e5m2"]}


def to_native(array: np.ndarray, dtype: str) -> np.ndarray:
    if dtype not in BITS:
        return array
    import ml_dtypes

    return array.view(getattr(ml_dtypes, dtype))


def to_numpy(value: np.ndarray) -> Any:
    name = value.dtype.name
    return (value.view(BITS[name]), name) if name in BITS else value


def vjp(function: Any, tensors: dict[str, np.ndarray], of: str, cotangent: np.ndarray) -> Any:
    """The derivative element by element: how much each changes the sum of the result times the cotangent."""
    derivative = np.zeros_like(tensors[of])
    for position, change in changes(function, tensors, of):
        derivative[position] = np.sum(change * cotangent.astype(np.float64))
    return function(**tensors), derivative


def jvp(function: Any, tensors: dict[str, np.ndarray], of: str, tangent: np.ndarray) -> Any:
    """The derivative element by element: how much each changes the result, times its part of the tangent."""
    result = function(**tensors)
    derivative = np.zeros(result.shape)
    for position, change in changes(function, tensors, of):
        derivative += change * float(tangent[position])
    return result, derivative.astype(result.dtype)


def changes(function: Any, tensors: dict[str, np.ndarray], of: str) -> Any:
    """The position of each element of an argument, and how much it changes the result: a central difference in float64."""
    for position in np.ndindex(tensors[of].shape):
        ends = []
        for step in (-0.25, 0.25):
            moved = {
                name: value.astype(np.float64) if value.dtype.kind not in "iub" else value
                for name, value in tensors.items()
            }
            moved[of][position] += step
            ends.append(function(**moved))
        yield position, (ends[1] - ends[0]) / 0.5


def vmap(function: Any, tensors: dict[str, np.ndarray], axes: dict[str, int]) -> Any:
    """The results of a batch of calls, one after another."""
    [size] = {tensors[name].shape[axis] for name, axis in axes.items()}
    singles = []
    for number in range(size):
        given = {name: np.array(np.take(tensors[name], number, axis)) for name, axis in axes.items()}
        singles.append(function(**{**tensors, **given}))
    # A derivative comes with the result of the call.
    return tuple(map(np.stack, zip(*singles, strict=True))) if isinstance(singles[0], tuple) else np.stack(singles)


transpose = np.transpose
expand = np.broadcast_to
reshape = np.reshape


def view(tensor: np.ndarray) -> np.ndarray:
    return tensor


def flip(tensor: np.ndarray) -> np.ndarray:
    return tensor[::-1].copy()


def copy(tensor: np.ndarray) -> np.ndarray:
    return tensor.copy()


def arange(length: int, index: np.ndarray) -> np.ndarray:
    return np.arange(length, dtype=index.dtype)


def total(tensor: np.ndarray) -> np.ndarray:
    return np.asarray(tensor.sum(0, dtype=tensor.dtype))


def stacked(tensor: np.ndarray) -> np.ndarray:
    return np.stack([tensor[row] for row in range(tensor.shape[0])])


def fill(tensor: np.ndarray, number: int) -> None:
    tensor[...] = number


def write(tensor: np.ndarray, values: np.ndarray) -> None:
    tensor[...] = values.copy()


def add(tensor: np.ndarray, values: Any) -> None:
    tensor[...] = tensor + values


@api("reference.tensor_scatter_nd_update", operation="tensor_scatter_nd_update", dtypes=ALL_DTYPES)
def tensor_scatter_nd_update(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    _require_scatter_shapes(tensor.shape, indices, updates)
    result = tensor.copy()
    for batch, where in _index_vectors(indices, tensor.shape):
        result[where] = updates[batch]
    return result


@api("reference.tensor_scatter_nd_add", operation="tensor_scatter_nd_add", dtypes=ALL_DTYPES)
@np.errstate(all="ignore")
def tensor_scatter_nd_add(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    _require_scatter_shapes(tensor.shape, indices, updates)
    result = tensor.copy()
    for batch, where in _index_vectors(indices, tensor.shape):
        result[where] = np.add(result[where], updates[batch])
    return result


@api("reference.tensor_scatter_nd_reduce", operation="tensor_scatter_nd_reduce", dtypes=ALL_DTYPES)
@np.errstate(all="ignore")
def tensor_scatter_nd_reduce(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray, reduce: str) -> np.ndarray:
    _require_scatter_shapes(tensor.shape, indices, updates)
    combined = np.not_equal if reduce == "sub" and tensor.dtype.kind == "b" else COMBINED[reduce]
    result = tensor.copy()
    for batch, where in _index_vectors(indices, tensor.shape):
        result[where] = combined(result[where], updates[batch])
    return result


@api("reference.scatter_nd", operation="scatter_nd", dtypes=ALL_DTYPES)
def scatter_nd(indices: np.ndarray, updates: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    _require_output_shape(shape)
    return tensor_scatter_nd_add(np.zeros(shape, updates.dtype), indices, updates)


@api("reference.gather_nd", operation="gather_nd", dtypes=ALL_DTYPES)
def gather_nd(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    _require_index_vectors(params.ndim, indices, rank=1)
    depth = indices.shape[-1]
    result = np.empty(indices.shape[:-1] + params.shape[depth:], params.dtype)
    for batch, where in _index_vectors(indices, params.shape):
        result[batch] = params[where]
    return result


@api("reference.gather_elements", operation="gather_elements", dtypes=ALL_DTYPES)
def gather_elements(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    if index.size == 0:
        return np.empty(index.shape, input.dtype)
    axis = _require_element_index(input, dim, index)
    result = np.empty(index.shape, input.dtype)
    for position in np.ndindex(index.shape):
        result[position] = input[_along(axis, position, index[position], input.shape)]
    return result


@api("reference.scatter_elements", operation="scatter_elements", dtypes=ALL_DTYPES)
@np.errstate(all="ignore")
def scatter_elements(input: np.ndarray, dim: int, index: np.ndarray, src: Any, reduce: Any = None) -> np.ndarray:
    if index.size == 0:
        return input.copy()
    axis = _require_element_index(input, dim, index)
    _require(reduce in (None, *REDUCTIONS), f"reduce is {reduce!r}, not None or one of {', '.join(REDUCTIONS)}")
    source = src if isinstance(src, np.ndarray) else np.full(index.shape, src, input.dtype)
    _require_reach("src", source.shape, index.shape, range(index.ndim))
    count = np.ones(input.shape, int)
    result = input.copy()
    for position in np.ndindex(index.shape):
        where = _along(axis, position, index[position], input.shape)
        count[where] += 1
        value = source[position]
        result[where] = value if reduce is None else COMBINED[reduce](result[where], value)
    if reduce == "mean":
        result = _quotient(result, count)
    return result


@api("reference.index_select", operation="index_select", dtypes=ALL_DTYPES)
def index_select(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    _require_integers("index", index)
    axis = _require_axis(input, dim)
    result = np.empty((*input.shape[:axis], *index.shape, *input.shape[axis + 1 :]), input.dtype)
    for position in np.ndindex(result.shape):
        of_index = position[axis : axis + index.ndim]
        along = (*position[:axis], 0, *position[axis + index.ndim :])
        result[position] = input[_along(axis, along, index[of_index], input.shape)]
    return result


@api("reference.batched_index_select", operation="batched_index_select", dtypes=ALL_DTYPES)
def batched_index_select(input: np.ndarray, dim: int, index: np.ndarray, batch_dims: int) -> np.ndarray:
    _require_integers("index", index)
    axis = _require_axis(input, dim)
    paired = _require_batch(input.shape, index.shape, batch_dims)
    _require(paired <= axis, f"{paired} batch axes reach beyond axis {axis}")
    count = index.ndim - paired
    result = np.empty((*input.shape[:axis], *index.shape[paired:], *input.shape[axis + 1 :]), input.dtype)
    for position in np.ndindex(result.shape):
        of_index = (*position[:paired], *position[axis : axis + count])
        along = (*position[:axis], 0, *position[axis + count :])
        result[position] = input[_along(axis, along, index[of_index], input.shape)]
    return result


@api("reference.batched_gather_nd", operation="batched_gather_nd", dtypes=ALL_DTYPES)
def batched_gather_nd(params: np.ndarray, indices: np.ndarray, batch_dims: int) -> np.ndarray:
    fewest = min(params.ndim, indices.ndim)
    _require(0 <= batch_dims < fewest, f"{batch_dims} batch axes, and shapes {params.shape} and {indices.shape}")
    paired = _require_batch(params.shape, indices.shape[:-1], batch_dims)
    _require_index_vectors(params.ndim - paired, indices, rank=1)
    result = np.empty(indices.shape[:-1] + params.shape[paired + indices.shape[-1] :], params.dtype)
    for batch, where in _index_vectors(indices, params.shape[paired:]):
        result[batch] = params[batch[:paired]][where]
    return result


@api("reference.index_copy", operation="index_copy", dtypes=ALL_DTYPES)
def index_copy(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> np.ndarray:
    axis = _require_index_of_slices(input, dim, index)
    _require_slices(input.shape, axis, len(index), source)
    result = input.copy()
    for position in np.ndindex(source.shape):
        result[_along(axis, position, index[position[axis]], input.shape)] = source[position]
    return result


@api("reference.index_add", operation="index_add", dtypes=ALL_DTYPES)
@np.errstate(all="ignore")
def index_add(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, alpha: Any = 1) -> np.ndarray:
    axis = _require_index_of_slices(input, dim, index)
    _require_slices(input.shape, axis, len(index), source)
    factor = np.asarray(alpha).astype(source.dtype)
    result = input.copy()
    for position in np.ndindex(source.shape):
        where = _along(axis, position, index[position[axis]], input.shape)
        result[where] = np.add(result[where], np.multiply(factor, source[position]))
    return result


@api("reference.index_fill", operation="index_fill", dtypes=ALL_DTYPES)
def index_fill(input: np.ndarray, dim: int, index: np.ndarray, value: Any) -> np.ndarray:
    axis = _require_index_of_slices(input, dim, index)
    _require(np.ndim(value) == 0, "value has axes")
    result = input.copy()
    for number in index:
        _require_inside(int(number), input.shape[axis], axis)
        for position in np.ndindex(input.shape):
            if position[axis] == number:
                result[position] = np.asarray(value).astype(input.dtype)
    return result


@api("reference.index_reduce", operation="index_reduce", dtypes=ALL_DTYPES)
@np.errstate(all="ignore")
def index_reduce(
    input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, reduce: str, include_self: str | None = None
) -> np.ndarray:
    axis = _require_index_of_slices(input, dim, index)
    _require_slices(input.shape, axis, len(index), source)
    count = np.full(input.shape, int(include_self != "no"))
    result = input.copy()
    for position in np.ndindex(source.shape):
        where = _along(axis, position, index[position[axis]], input.shape)
        value = source[position]
        result[where] = value if count[where] == 0 else COMBINED[reduce](result[where], value)
        count[where] += 1
    if reduce == "mean":
        result = _quotient(result, np.maximum(count, 1))
    return result


@api("reference.take", operation="take", dtypes=ALL_DTYPES)
def take(input: np.ndarray, index: np.ndarray) -> np.ndarray:
    _require_integers("index", index)
    result = np.empty(index.shape, input.dtype)
    for position in np.ndindex(index.shape):
        result[position] = input[_numbered(index[position], input.shape)]
    return result


@api("reference.masked_select", operation="masked_select", dtypes=ALL_DTYPES)
def masked_select(input: np.ndarray, mask: np.ndarray) -> np.ndarray:
    target, mask = _masked(input, mask)
    places = [place for place in np.ndindex(mask.shape) if mask[place]]
    result = np.empty((len(places), *target.shape[mask.ndim :]), target.dtype)
    for number, place in enumerate(places):
        result[number] = target[place]
    return result


@api("reference.masked_fill", operation="masked_fill", dtypes=ALL_DTYPES)
def masked_fill(input: np.ndarray, mask: np.ndarray, value: Any) -> np.ndarray:
    target, mask = _masked(input, mask)
    _require(np.ndim(value) == 0, "value has axes")
    result = target.copy()
    for place in np.ndindex(mask.shape):
        if mask[place]:
            result[place] = np.asarray(value).astype(target.dtype)
    return result


@api("reference.masked_scatter", operation="masked_scatter", dtypes=ALL_DTYPES)
def masked_scatter(input: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    target, mask = _masked(input, mask)
    result = target.copy()
    number = 0
    for place in np.ndindex(target.shape):
        if mask[place[: mask.ndim]]:
            _require(number < source.size, f"source has only {source.size} elements")
            result[place] = source[np.unravel_index(number, source.shape)]
            number += 1
    return result


@api("reference.put", operation="put", dtypes=ALL_DTYPES)
@np.errstate(all="ignore")
def put(input: np.ndarray, index: np.ndarray, source: np.ndarray, reduce: str | None = None) -> np.ndarray:
    _require_integers("index", index)
    _require(index.size == source.size, f"index has {index.size} elements and source has {source.size}")
    result = input.copy()
    for number, counted in enumerate(index.reshape(-1)):
        where = _numbered(counted, input.shape)
        value = source[np.unravel_index(number, source.shape)]
        result[where] = value if reduce is None else np.add(result[where], value)
    return result


@api("reference.take_into", operation="take_into", dtypes=ALL_DTYPES)
def take_into(input: np.ndarray, index: np.ndarray, out: str) -> np.ndarray:
    _require(input.ndim == 1 and index.ndim == 1, "input and index must have one axis")
    if out in np.sctypeDict:
        raise TypeError(f"the dtype of out is {out}")
    return take(input, index)


@api("reference.take_into_view", operation="take_into_view", dtypes=ALL_DTYPES)
def take_into_view(
    input: np.ndarray, target: np.ndarray, view: str, index: np.ndarray | None = None, mask: np.ndarray | None = None
) -> np.ndarray:
    _require((index is None) != (mask is None), "needs either an index or a mask")
    _require(target.ndim == (1 if view == "every-second" else 2), "the view must have one axis")
    if index is None:
        assert mask is not None
        _require(mask.dtype == bool and mask.shape == input.shape, "the mask is none of the vector")
        taken = [value for value, is_selected in zip(input, mask, strict=True) if is_selected]
    else:
        taken = list(take(input, index))
    result = target.copy()
    places = range(1, len(target), 2) if view == "every-second" else range(len(target))
    _require(len(places) == len(taken), f"the view has {len(places)} places for {len(taken)} elements")
    for place, value in zip(places, taken, strict=True):
        result[place if view == "every-second" else (place, 1)] = value
    return result


@api("reference.typed_gather", operation="typed_gather", dtypes=ALL_DTYPES)
def typed_gather(input: np.ndarray, index: np.ndarray, dtype: str) -> np.ndarray:
    if dtype != "its-own":
        raise TypeError(f"the input is {input.dtype}, not {dtype}")
    _require_integers("index", index)
    result = np.empty((*index.shape, *input.shape[1:]), input.dtype)
    for place in np.ndindex(index.shape):
        position = int(index[place])
        _require_inside(position, input.shape[0], 0)
        result[place] = input[position]
    return result


@api("reference.diagonal_scatter", operation="diagonal_scatter", dtypes=ALL_DTYPES)
def diagonal_scatter(input: np.ndarray, src: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    _require(input.ndim >= 2, "input must have at least two axes")
    _require(dim1 != dim2 and min(dim1, dim2) >= 0 and max(dim1, dim2) < input.ndim, "there are no two such axes")
    rows, columns = input.shape[dim1] + min(offset, 0), input.shape[dim2] - max(offset, 0)
    others = [axis for axis in range(input.ndim) if axis not in (dim1, dim2)]
    shape = (*(input.shape[axis] for axis in others), max(0, min(rows, columns)))
    _require(src.shape == shape, f"src has shape {src.shape}, not {shape}")
    result = input.copy()
    for position in np.ndindex(shape):
        place = dict(zip(others, position, strict=False))
        place[dim1], place[dim2] = position[-1] + max(-offset, 0), position[-1] + max(offset, 0)
        result[tuple(place[axis] for axis in range(input.ndim))] = src[position]
    return result


def _numbered(index: Any, shape: Position) -> Position:
    """The position of the element with this number, counted in row-major order from 0."""
    number = int(index)
    size = math.prod(shape)
    if not 0 <= number < size:
        raise IndexError(f"index {number} is out of bounds for {size} elements")
    position: Position = ()
    for length in reversed(shape):
        position = (number % length, *position)
        number //= length
    return position


@api("reference.unsorted_segment_reduce", operation="unsorted_segment_reduce", dtypes=ALL_DTYPES)
@np.errstate(all="ignore")
def unsorted_segment_reduce(data: np.ndarray, segment_ids: np.ndarray, num_segments: int, reduce: str) -> np.ndarray:
    _require_integers("segment_ids", segment_ids)
    _require(num_segments >= 0, f"num_segments is {num_segments}, which is less than 0")
    labelled = data.shape[: segment_ids.ndim]
    _require(segment_ids.shape == labelled, f"segment_ids has shape {segment_ids.shape}, not {labelled}")
    if reduce == "mean" and data.dtype.kind in "biu":
        raise TypeError(f"means of {data.dtype} may be fractions")
    lowest, highest = _limits(data.dtype, reduce)
    empty = {"sum": 0, "mean": 0, "prod": 1, "amax": lowest, "amin": highest}[reduce]
    result = np.full((num_segments, *data.shape[segment_ids.ndim :]), empty, data.dtype)
    count = np.zeros(num_segments, int)
    for position in np.ndindex(segment_ids.shape):
        segment = int(segment_ids[position])
        if segment < 0:
            continue
        _require_inside(segment, num_segments, 0)
        count[segment] += 1
        result[segment] = COMBINED[reduce](result[segment], data[position])
    if reduce == "mean":
        for segment in range(num_segments):
            result[segment] = _quotient(result[segment], np.maximum(count[segment], 1))
    return result


@api("reference.split_reduce", operation="split_reduce", dtypes=ALL_DTYPES)
def split_reduce(
    data: np.ndarray,
    reduce: str,
    axis: int,
    offsets: np.ndarray | None = None,
    lengths: np.ndarray | None = None,
) -> np.ndarray:
    _require((offsets is None) != (lengths is None), "needs either offsets or lengths")
    given = offsets if lengths is None else lengths
    assert given is not None
    _require_integers("offsets or lengths", given)
    _require(0 <= axis < data.ndim, f"data has no axis {axis}")
    _require(given.shape[:-1] == data.shape[:axis] and given.ndim == axis + 1, "there are not as many as rows of data")
    if lengths is None:
        _require(given.shape[-1] > 0, "there is no offset")
        ends = given
    else:
        ends = np.concatenate([np.zeros((*given.shape[:-1], 1), given.dtype), np.cumsum(given, axis=-1)], axis=-1)
        _require(bool((ends[..., -1] == data.shape[axis]).all()), "the lengths do not add up")
    _require(bool(((ends >= 0) & (ends <= data.shape[axis])).all()), "an offset is out of bounds")
    segments = ends.shape[-1] - 1
    result = np.zeros((*data.shape[:axis], segments, *data.shape[axis + 1 :]), data.dtype)
    for row in np.ndindex(*data.shape[:axis]):
        bounds = ends[row].tolist()
        _require(bounds == sorted(bounds), "an offset is less than the one before")
        for segment, (begin, end) in enumerate(itertools.pairwise(bounds)):
            if begin == end:
                result[(*row, segment)] = _OF_NONE[reduce]
            else:
                [result[(*row, segment)]] = segment_reduce(
                    data[row][begin:end], np.zeros(end - begin, np.int64), reduce
                )
    return result


_OF_NONE = {"sum": 0, "prod": 1, "amax": 0, "amin": 0, "mean": 0}
"""What an empty segment is reduced to."""


@api("reference.segment_reduce", operation="segment_reduce", dtypes=ALL_DTYPES)
@np.errstate(all="ignore")
def segment_reduce(data: np.ndarray, segment_ids: np.ndarray, reduce: str) -> np.ndarray:
    _require_integers("segment_ids", segment_ids)
    _require(segment_ids.ndim == 1, f"segment_ids has rank {segment_ids.ndim}, not 1")
    _require(data.ndim >= 1, "data has no axes")
    _require(len(segment_ids) == len(data), f"segment_ids has length {len(segment_ids)}, not {len(data)}")
    if reduce in ("amax", "amin") and data.dtype.kind == "c":
        raise TypeError("complex numbers are not ordered")
    ids = [int(segment) for segment in segment_ids]
    _require(ids == sorted(ids), "segment_ids are not in ascending order")
    for segment in ids:
        _require(segment >= 0, f"segment id {segment} is negative")
    result = np.full((ids[-1] + 1 if ids else 0, *data.shape[1:]), int(reduce == "prod"), data.dtype)
    count = np.zeros(len(result), int)
    for position, segment in enumerate(ids):
        count[segment] += 1
        value = data[position]
        result[segment] = value if count[segment] == 1 else COMBINED[reduce](result[segment], value)
    if reduce == "mean":
        for segment in range(len(result)):
            result[segment] = _quotient(result[segment], np.maximum(count[segment], 1))
    return result


@api("reference.advanced_index_get", operation="advanced_index_get", dtypes=ALL_DTYPES)
def advanced_index_get(input: np.ndarray, i: np.ndarray, j: np.ndarray, key: Any) -> np.ndarray:
    return _read(input, key)


@api("reference.advanced_index_set", operation="advanced_index_set", dtypes=ALL_DTYPES)
def advanced_index_set(
    input: np.ndarray, i: np.ndarray, j: np.ndarray, values: Any, key: Any, reduce: str | None = None
) -> np.ndarray:
    return _written(input, key, values, reduce)


@api("reference.basic_index_get", operation="basic_index_get", dtypes=ALL_DTYPES)
def basic_index_get(
    input: np.ndarray, key: Any, i: np.ndarray | None = None, j: np.ndarray | None = None
) -> np.ndarray:
    return _read(input, key)


@api("reference.basic_index_set", operation="basic_index_set", dtypes=ALL_DTYPES)
def basic_index_set(
    input: np.ndarray, key: Any, values: Any, i: np.ndarray | None = None, j: np.ndarray | None = None
) -> np.ndarray:
    return _written(input, key, values, None)


def _read(input: np.ndarray, key: Any) -> np.ndarray:
    items = _items(key, input.shape)
    result = np.empty(_selected_shape(items, input.shape), input.dtype)
    for position in np.ndindex(result.shape):
        result[position] = input[_selected(items, position, input.shape)]
    return result


@np.errstate(all="ignore")
def _written(input: np.ndarray, key: Any, values: Any, reduce: str | None) -> np.ndarray:
    items = _items(key, input.shape)
    shape = _selected_shape(items, input.shape)
    source = values if isinstance(values, np.ndarray) else np.full((), values, input.dtype)
    _require(source.ndim <= len(shape), f"values have rank {source.ndim}, more than {len(shape)}")
    for axis in range(-source.ndim, 0):
        _require(source.shape[axis] in (1, shape[axis]), f"values {source.shape} cannot be broadcast to {shape}")
    result = input.copy()
    for position in np.ndindex(shape):
        where = _selected(items, position, input.shape)
        value = source[_broadcast_position(position, source.shape)]
        result[where] = np.add(result[where], value) if reduce == "add" else value
    return result


@api("reference.dynamic_slice", operation="dynamic_slice", dtypes=ALL_DTYPES)
def dynamic_slice(input: np.ndarray, starts: Position, sizes: Position) -> np.ndarray:
    begins = _begins(input.shape, starts, sizes)
    result = np.empty(sizes, input.dtype)
    for position in np.ndindex(*sizes):
        result[position] = input[tuple(begin + each for begin, each in zip(begins, position, strict=True))]
    return result


@api("reference.dynamic_update_slice", operation="dynamic_update_slice", dtypes=ALL_DTYPES)
def dynamic_update_slice(input: np.ndarray, update: np.ndarray, starts: Position) -> np.ndarray:
    begins = _begins(input.shape, starts, update.shape)
    result = input.copy()
    for position in np.ndindex(update.shape):
        result[tuple(begin + each for begin, each in zip(begins, position, strict=True))] = update[position]
    return result


def _begins(shape: Position, starts: Position, sizes: Position) -> Position:
    """Where a window begins along each axis: a negative start counts from the end, and one that is too late is moved back."""
    _require(len(starts) == len(sizes) == len(shape), f"{starts} and {sizes} are not one for each axis of {shape}")
    _require(
        all(0 <= size <= length for size, length in zip(sizes, shape, strict=True)), f"{sizes} are not within {shape}"
    )
    from_front = (start + length if start < 0 else start for start, length in zip(starts, shape, strict=True))
    return tuple(
        min(max(start, 0), length - size) for start, length, size in zip(from_front, shape, sizes, strict=True)
    )


@dataclass(frozen=True)
class _Item:
    """What stands at a place of a key, once dots are slices and masks are indices."""

    axis: int
    """The axis of the tensor that it is about, or that follows."""
    places: Sequence[int] | None = None
    """Of a slice, the positions that it selects."""
    index: np.ndarray | None = None
    """Of an index, a number or a truth, the positions along its axis."""
    is_truth: bool = False
    """It is about no axis of the tensor: True or False, which is an index of as many positions."""
    is_new: bool = False
    """None, which is an axis of the result of length one; otherwise, without any of these, dots that stand for no axis."""


def _items(key: Any, shape: Position) -> list[_Item]:
    """The items of a key for a tensor of this shape, with a slice for each axis that no item names."""
    written = list(key) if isinstance(key, tuple) else [key]
    named = sum(map(_axes_of, written))
    dots = sum(item is ... for item in written)
    _require(dots <= 1, "the key has more than one ...")
    _require(named <= len(shape), f"the key names {named} axes, and the tensor has {len(shape)}")
    items: list[_Item] = []
    axis = 0
    for item in written if dots else [*written, ...]:
        if item is ...:
            unnamed = range(axis, axis + len(shape) - named)
            # Without an axis they select nothing, and separate what stands around them.
            items += [_Item(each, places=range(shape[each])) for each in unnamed] or [_Item(axis)]
            axis += len(unnamed)
        else:
            items += _items_of(item, axis, shape)
            axis += _axes_of(item)
    return items if dots or named < len(shape) else items[:-1]


def _axes_of(item: Any) -> int:
    """The number of axes of the tensor that an item names."""
    if item is None or item is ... or isinstance(item, bool):
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == np.bool_ else 1


def _items_of(item: Any, axis: int, shape: Position) -> list[_Item]:
    """An item at an axis; a mask is as many indices as it has axes, which are the positions of its true elements."""
    if item is None:
        return [_Item(axis, is_new=True)]
    if isinstance(item, bool):
        return [_Item(axis, index=np.zeros(int(item), np.int64), is_truth=True)]
    if isinstance(item, slice):
        return [_Item(axis, places=_places_of(item, shape[axis]))]
    if isinstance(item, int):
        item = np.array(item)
    if item.dtype == np.bool_:
        if item.shape != shape[axis : axis + item.ndim]:
            raise IndexError(f"a mask of shape {item.shape} stands at axis {axis} of {shape}")
        true = [position for position in np.ndindex(item.shape) if item[position]]
        positions = [np.array([position[each] for position in true], np.int64) for each in range(item.ndim)]
        return [_Item(axis + each, index=index) for each, index in enumerate(positions)]
    _require_integers("an index", item)
    for position in np.ndindex(item.shape):
        _from_either_end(int(item[position]), shape[axis], axis)
    return [_Item(axis, index=item)]


def _places_of(item: slice, size: int) -> list[int]:
    """The positions of an axis that a slice selects: it begins and ends within the axis, whatever it says."""
    step = 1 if item.step is None else item.step
    _require(step != 0, "the step of a slice is 0")
    first, last = (0, size) if step > 0 else (-1, size - 1)  # the least and the greatest that an end can be
    start = (first if step > 0 else last) if item.start is None else _cut(item.start, size, first, last)
    stop = (last if step > 0 else first) if item.stop is None else _cut(item.stop, size, first, last)
    places = []
    while start < stop if step > 0 else start > stop:
        places.append(start)
        start += step
    return places


def _cut(end: int, size: int, first: int, last: int) -> int:
    """The end of a slice within the axis; it counts from the end of the axis if it is negative."""
    return min(max(end + size if end < 0 else end, first), last)


def _first_of_batch(items: list[_Item]) -> int:
    """The number of axes of the result before those of the indices."""
    advanced = [number for number, item in enumerate(items) if item.index is not None]
    if not advanced or advanced[-1] - advanced[0] >= len(advanced):
        return 0  # there are none, or something stands between them
    return sum(item.is_new or item.places is not None for item in items[: advanced[0]])


def _batch_of(items: list[_Item]) -> Position:
    """The shape to which the indices are broadcast."""
    indices = [item.index for item in items if item.index is not None]
    rank = max((index.ndim for index in indices), default=0)
    shape = [1] * rank
    for index in indices:
        for axis, length in enumerate(index.shape, rank - index.ndim):
            _require(
                1 in (length, shape[axis]) or length == shape[axis],
                f"{index.shape} cannot be broadcast along axis {axis}",
            )
            shape[axis] = length if shape[axis] == 1 else shape[axis]
    return tuple(shape)


def _from_either_end(number: int, size: int, axis: int) -> int:
    """The position that a number means, which counts from the end if it is negative."""
    position = number + size if number < 0 else number
    _require_inside(position, size, axis)
    return position


def _selected_shape(items: list[_Item], shape: Position) -> Position:
    lengths = [1 if item.is_new else len(item.places or ()) for item in items if item.is_new or item.places is not None]
    first = _first_of_batch(items)
    return (*lengths[:first], *_batch_of(items), *lengths[first:])


def _selected(items: list[_Item], position: Position, shape: Position) -> Position:
    """The position in a tensor of what the result has at a position."""
    first, count = _first_of_batch(items), len(_batch_of(items))
    batch = position[first : first + count]
    others = iter((*position[:first], *position[first + count :]))
    where = []
    for item in items:
        if item.is_new:
            next(others)
        elif item.places is not None:
            where.append(item.places[next(others)])
        elif item.index is not None and not item.is_truth:
            number = int(item.index[_broadcast_position(batch, item.index.shape)])
            where.append(_from_either_end(number, shape[item.axis], item.axis))
    return tuple(where)


def _broadcast_position(position: Position, shape: Position) -> Position:
    """The position in a tensor of this shape of what it is broadcast to at a position."""
    last = position[len(position) - len(shape) :]
    return tuple(0 if shape[axis] == 1 else component for axis, component in enumerate(last))


def _limits(dtype: np.dtype, reduce: str) -> tuple[Any, Any]:
    """The smallest and the largest finite number of a dtype, if the reduction compares."""
    if reduce not in ("amax", "amin"):
        return None, None
    if dtype.kind == "c":
        raise TypeError("complex numbers are not ordered")
    if dtype.kind == "b":
        return False, True
    if dtype.kind in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    if dtype.name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.finfo(dtype).min, ml_dtypes.finfo(dtype).max
    return np.finfo(dtype).min, np.finfo(dtype).max


def _index_vectors(indices: np.ndarray, shape: Position) -> Iterator[tuple[Position, Position]]:
    """Yield each position along the batch axes of indices with its index vector."""
    for batch in np.ndindex(indices.shape[:-1]):
        where = tuple(int(component) for component in indices[batch])
        for axis, component in enumerate(where):
            _require_inside(component, shape[axis], axis)
        yield batch, where


def _along(axis: int, position: Position, index: Any, shape: Position) -> Position:
    """The position with its component along the axis replaced by an index."""
    component = int(index)
    _require_inside(component, shape[axis], axis)
    return (*position[:axis], component, *position[axis + 1 :])


def _quotient(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The total divided by the count in its own dtype; of integers the largest that is not greater."""
    divide = np.floor_divide if total.dtype.kind in "biu" else np.true_divide
    return divide(total, count.astype(total.dtype)).astype(total.dtype)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _require_inside(component: int, size: int, axis: int) -> None:
    if not 0 <= component < size:
        raise IndexError(f"index {component} is out of bounds for axis {axis} of size {size}")


def _masked(input: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An input and a mask of its first axes: the arguments, or else both broadcast."""
    if mask.dtype != np.bool_:
        raise TypeError(f"mask has dtype {mask.dtype}, which is not bool")
    if mask.shape == input.shape[: mask.ndim]:
        return input, mask
    both = np.broadcast_arrays(input, mask)
    return both[0], both[1]


def _require_integers(name: str, indices: np.ndarray) -> None:
    if indices.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {indices.dtype}, which is not an integer dtype")


def _require_index_vectors(outer_rank: int, indices: np.ndarray, rank: int) -> None:
    _require_integers("indices", indices)
    _require(indices.ndim >= rank, f"indices has rank {indices.ndim}, which is less than {rank}")
    depth = indices.shape[-1]
    _require(depth <= outer_rank, f"index vectors have length {depth}, more than rank {outer_rank}")


def _require_scatter_shapes(shape: Position, indices: np.ndarray, updates: np.ndarray) -> None:
    _require_index_vectors(len(shape), indices, rank=2)
    expected = indices.shape[:-1] + shape[indices.shape[-1] :]
    _require(updates.shape == expected, f"updates has shape {updates.shape}, not {expected}")


def _require_output_shape(shape: tuple[int, ...]) -> None:
    if not isinstance(shape, tuple) or not all(isinstance(size, (int, np.integer)) for size in shape):
        raise TypeError(f"shape is {shape!r}, which is not a tuple of ints")
    _require(len(shape) >= 1, "shape is empty")
    _require(all(size >= 1 for size in shape), f"shape {shape} has an element less than 1")


def _require_element_index(input: np.ndarray, dim: int, index: np.ndarray) -> int:
    _require_integers("index", index)
    _require(index.ndim == input.ndim, f"index has rank {index.ndim} and input has rank {input.ndim}")
    axis = _require_axis(input, dim)
    _require_reach("input", input.shape, index.shape, set(range(input.ndim)) - {axis})
    return axis


def _require_index_of_slices(input: np.ndarray, dim: int, index: np.ndarray) -> int:
    _require_integers("index", index)
    _require(index.ndim == 1, f"index has rank {index.ndim}, not 1")
    return _require_axis(input, dim)


def _require_axis(input: np.ndarray, dim: int) -> int:
    if not -input.ndim <= dim < input.ndim:
        raise IndexError(f"dim {dim} is out of range for rank {input.ndim}")
    return dim % input.ndim


def _require_batch(shape: Position, of_index: Position, batch_dims: int) -> int:
    """The number of axes that a tensor of this shape and an index share, counted from the end if it is negative."""
    _require(-len(of_index) <= batch_dims <= len(of_index), f"{batch_dims} batch axes, and the index has {of_index}")
    paired = batch_dims + len(of_index) if batch_dims < 0 else batch_dims
    _require(shape[:paired] == of_index[:paired], f"batch axes {shape[:paired]} and {of_index[:paired]}")
    return paired


def _require_slices(shape: Position, axis: int, count: int, source: np.ndarray) -> None:
    expected = (*shape[:axis], count, *shape[axis + 1 :])
    _require(source.shape == expected, f"source has shape {source.shape}, not {expected}")


def _require_reach(name: str, shape: Position, needed: Position, axes: Iterable[int]) -> None:
    _require(len(shape) == len(needed), f"{name} has rank {len(shape)} and index has rank {len(needed)}")
    for axis in axes:
        _require(needed[axis] <= shape[axis], f"index is longer than {name} along axis {axis}")
