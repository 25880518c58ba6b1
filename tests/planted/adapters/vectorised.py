"""A correct adapter that, unlike the reference, has no loops and uses NumPy's indexing."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.adapter import api

COMBINE = {"add": np.add, "multiply": np.multiply, "amax": np.maximum, "amin": np.minimum, "mean": np.add}
EVERY = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"),
)
BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
"""The dtypes that NumPy lacks, with the dtypes of their bits."""


def describe() -> dict[str, Any]:
    return {"framework": "vectorised", "dtypes": [*BITS]}


def to_native(array: np.ndarray, dtype: str) -> np.ndarray:
    import ml_dtypes

    return array.view(getattr(ml_dtypes, dtype)) if dtype in BITS else array


def to_numpy(value: np.ndarray) -> Any:
    name = value.dtype.name
    return (value.view(BITS[name]), name) if name in BITS else value


@api("vectorised.tensor_scatter_nd_update", operation="tensor_scatter_nd_update", dtypes=EVERY)
def tensor_scatter_nd_update(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    result = np.array(tensor)
    result[selected(indices, updates, tensor.shape)] = updates
    return result


@api("vectorised.tensor_scatter_nd_add", operation="tensor_scatter_nd_add", dtypes=EVERY)
def tensor_scatter_nd_add(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    result = np.array(tensor)
    where = selected(indices, updates, tensor.shape)
    with np.errstate(all="ignore"):
        if not where:  # index vectors without a component all point to the whole tensor
            return result + updates.sum(tuple(range(indices.ndim - 1)), updates.dtype)
        np.add.at(result, where, updates)
    return result


@api("vectorised.tensor_scatter_nd_reduce", operation="tensor_scatter_nd_reduce", dtypes=EVERY)
def tensor_scatter_nd_reduce(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray, reduce: str) -> np.ndarray:
    result = np.array(tensor)
    where = selected(indices, updates, tensor.shape)
    combine = {"sub": np.subtract, "prod": np.multiply}.get(reduce) or COMBINE[reduce]
    if reduce == "sub" and tensor.dtype.kind == "b":
        combine = np.logical_xor
    with np.errstate(all="ignore"):
        if where:
            combine.at(result, where, updates)
        else:  # index vectors without a component all point to the whole tensor
            for update in updates.reshape(-1, *tensor.shape):
                result = combine(result, update)
    return result


@api("vectorised.scatter_nd", operation="scatter_nd", dtypes=EVERY)
def scatter_nd(indices: np.ndarray, updates: np.ndarray, shape: Any) -> np.ndarray:
    if type(shape) is not tuple or {type(length) for length in shape} - {int}:
        raise TypeError("shape must be a tuple of integers")
    if not shape or min(shape) < 1:
        raise ValueError("every length must be positive")
    return tensor_scatter_nd_add(np.zeros(shape, updates.dtype), indices, updates)


@api("vectorised.gather_nd", operation="gather_nd", dtypes=EVERY)
def gather_nd(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    shape = indices.shape[:-1] + params.shape[indices.shape[-1] :]
    return np.array(np.broadcast_to(params[columns(indices, params.shape)], shape))


@api("vectorised.gather_elements", operation="gather_elements", dtypes=EVERY)
def gather_elements(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    return np.array(input[along(input, dim, index)]) if index.size else np.empty(index.shape, input.dtype)


@api("vectorised.scatter_elements", operation="scatter_elements", dtypes=EVERY)
def scatter_elements(input: np.ndarray, dim: int, index: np.ndarray, src: Any, reduce: str | None = None) -> np.ndarray:
    if not index.size:
        return np.array(input)
    where = along(input, dim, index)
    source = np.broadcast_to(np.asarray(src, input.dtype), index.shape) if np.isscalar(src) else src
    if source.ndim != index.ndim or np.any(np.less(source.shape, index.shape)):
        raise ValueError("index reaches beyond the source")
    source = source[tuple(map(slice, index.shape))]
    result = np.array(input)
    if reduce is None:
        result[where] = source
    else:
        with np.errstate(all="ignore"):
            COMBINE[reduce].at(result, where, source)
    return mean(result, where) if reduce == "mean" else result


@api("vectorised.index_select", operation="index_select", dtypes=EVERY)
def index_select(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    return np.take(input, positions(input, dim, index), axis=dim)


@api("vectorised.batched_gather_nd", operation="batched_gather_nd", dtypes=EVERY)
def batched_gather_nd(params: np.ndarray, indices: np.ndarray, batch_dims: int) -> np.ndarray:
    if not 0 <= batch_dims < indices.ndim or params.shape[:batch_dims] != indices.shape[:batch_dims]:
        raise ValueError("the batch axes do not match")
    if indices.dtype.kind not in "iu":
        raise TypeError("indices must be integers")
    own = np.moveaxis(np.indices(indices.shape[:-1]), 0, -1)[..., :batch_dims]
    return gather_nd(params, np.concatenate([own, indices.astype(np.int64)], axis=-1))


@api("vectorised.batched_index_select", operation="batched_index_select", dtypes=EVERY)
def batched_index_select(input: np.ndarray, dim: int, index: np.ndarray, batch_dims: int) -> np.ndarray:
    axis, paired = dim % input.ndim, batch_dims + index.ndim * (batch_dims < 0)
    if not -input.ndim <= dim < input.ndim or not 0 <= paired <= min(axis, index.ndim):
        raise ValueError("no such axis, or no so many axes before it")
    if input.shape[:paired] != index.shape[:paired]:
        raise ValueError("the batch axes do not match")
    gathered = batched_gather_nd(np.moveaxis(input, axis, paired), index[..., np.newaxis], paired)
    between = axis - paired
    return np.moveaxis(gathered, range(index.ndim, index.ndim + between), range(paired, axis))


@api("vectorised.take", operation="take", dtypes=EVERY)
def take(input: np.ndarray, index: np.ndarray) -> np.ndarray:
    elements = np.ravel(input)
    return np.array(np.take(elements, positions(elements, 0, index)))  # an index without axes gives a scalar


@api("vectorised.masked_select", operation="masked_select", dtypes=EVERY)
def masked_select(input: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return input[masked(input, mask)]


@api("vectorised.masked_fill", operation="masked_fill", dtypes=EVERY)
def masked_fill(input: np.ndarray, mask: np.ndarray, value: Any) -> np.ndarray:
    result = np.array(input)
    if np.ndim(value):
        raise ValueError("one value for all")
    result[masked(input, mask)] = np.asarray(value).astype(input.dtype)
    return result


@api("vectorised.masked_scatter", operation="masked_scatter", dtypes=EVERY)
def masked_scatter(input: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    result = np.array(input)
    selected = result[masked(input, mask)]
    if source.size < selected.size:
        raise ValueError("too few elements")
    result[mask] = source.reshape(-1)[: selected.size].reshape(selected.shape)
    return result


@api("vectorised.put", operation="put", dtypes=EVERY)
def put(input: np.ndarray, index: np.ndarray, source: np.ndarray, reduce: str | None = None) -> np.ndarray:
    elements = np.array(input.reshape(-1))
    if index.size != source.size:
        raise ValueError("as many elements as indices")
    where = positions(elements, 0, index).reshape(-1)
    if reduce is None:
        elements[where] = source.reshape(-1)
    else:
        with np.errstate(all="ignore"):
            np.add.at(elements, where, source.reshape(-1))
    return elements.reshape(input.shape)


@api("vectorised.take_into", operation="take_into", dtypes=EVERY)
def take_into(input: np.ndarray, index: np.ndarray, out: str) -> np.ndarray:
    if out in np.sctypeDict:
        raise TypeError(f"the dtype of out is {out}")
    return take(input, index)


@api("vectorised.advanced_index_get", operation="advanced_index_get", dtypes=EVERY)
def advanced_index_get(input: np.ndarray, i: np.ndarray, j: np.ndarray, key: Any) -> np.ndarray:
    return np.array(input[key])


@api("vectorised.advanced_index_set", operation="advanced_index_set", dtypes=EVERY)
def advanced_index_set(
    input: np.ndarray, i: np.ndarray, j: np.ndarray, values: Any, key: Any, reduce: str | None = None
) -> np.ndarray:
    result = np.array(input)
    if reduce == "add":
        with np.errstate(all="ignore"):
            np.add.at(result, key, values)
    else:
        result[key] = values
    return result


@api("vectorised.basic_index_get", operation="basic_index_get", dtypes=EVERY)
def basic_index_get(input: np.ndarray, key: Any, i: Any = None, j: Any = None) -> np.ndarray:
    return np.array(input[key])


@api("vectorised.basic_index_set", operation="basic_index_set", dtypes=EVERY)
def basic_index_set(input: np.ndarray, key: Any, values: Any, i: Any = None, j: Any = None) -> np.ndarray:
    result = np.array(input)
    result[key] = values
    return result


@api("vectorised.dynamic_slice", operation="dynamic_slice", dtypes=EVERY)
def dynamic_slice(input: np.ndarray, starts: Any, sizes: Any) -> np.ndarray:
    return np.array(input[window(input, starts, sizes)])


@api("vectorised.dynamic_update_slice", operation="dynamic_update_slice", dtypes=EVERY)
def dynamic_update_slice(input: np.ndarray, update: np.ndarray, starts: Any) -> np.ndarray:
    result = np.array(input)
    result[window(input, starts, update.shape)] = update
    return result


def window(input: np.ndarray, starts: Any, sizes: Any) -> tuple[slice, ...]:
    """The slices of a window, which ends within the axes."""
    if not len(starts) == len(sizes) == input.ndim:
        raise ValueError("a start and a length for each axis")
    lengths = np.array(input.shape)
    begins = np.clip(np.where(np.array(starts) < 0, starts + lengths, starts), 0, lengths - sizes)
    return tuple(slice(begin, begin + size) for begin, size in zip(begins.tolist(), sizes))  # noqa: B905


@api("vectorised.index_copy", operation="index_copy", dtypes=EVERY)
def index_copy(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> np.ndarray:
    result = np.array(input)
    np.moveaxis(result, dim, 0)[slices(input, dim, index)] = slices_first(input, dim, index, source)
    return result


@api("vectorised.index_add", operation="index_add", dtypes=EVERY)
def index_add(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, alpha: Any = 1) -> np.ndarray:
    result = np.array(input)
    with np.errstate(all="ignore"):
        scaled = slices_first(input, dim, index, source) * np.asarray(alpha).astype(source.dtype)
        np.add.at(np.moveaxis(result, dim, 0), slices(input, dim, index), scaled)
    return result


@api("vectorised.index_fill", operation="index_fill", dtypes=EVERY)
def index_fill(input: np.ndarray, dim: int, index: np.ndarray, value: Any) -> np.ndarray:
    result = np.array(input)
    if np.ndim(value):
        raise ValueError("one value for all")
    np.moveaxis(result, dim, 0)[slices(input, dim, index)] = np.asarray(value).astype(input.dtype)
    return result


@api("vectorised.index_reduce", operation="index_reduce", dtypes=EVERY)
def index_reduce(
    input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, reduce: str, include_self: str | None = None
) -> np.ndarray:
    index, source = slices(input, dim, index), slices_first(input, dim, index, source)
    combine = COMBINE[{"prod": "multiply"}.get(reduce, reduce)]
    first = np.array(np.moveaxis(input, dim, 0))
    rest = list(range(len(index)))
    if include_self == "no":
        begins = np.unique(index, return_index=True)[1]
        first[index[begins]] = source[begins]
        rest = [number for number in rest if number not in begins]
    with np.errstate(all="ignore"):
        combine.at(first, index[rest], source[rest])
        if reduce == "mean":
            count = np.bincount(index, minlength=len(first)) + (include_self != "no")
            divide = np.floor_divide if first.dtype.kind in "biu" else np.true_divide
            counts = np.maximum(count, 1).reshape(-1, *[1] * (first.ndim - 1)).astype(first.dtype)
            first = divide(first, counts).astype(first.dtype)
    return np.ascontiguousarray(np.moveaxis(first, 0, dim))


@api("vectorised.unsorted_segment_reduce", operation="unsorted_segment_reduce", dtypes=EVERY)
def unsorted_segment_reduce(data: np.ndarray, segment_ids: np.ndarray, num_segments: int, reduce: str) -> np.ndarray:
    if segment_ids.dtype.kind not in "iu" or (reduce in ("amax", "amin") and data.dtype.kind == "c"):
        raise TypeError("ids must be integers, and complex numbers have no order")
    if num_segments < 0 or segment_ids.shape != data.shape[: segment_ids.ndim]:
        raise ValueError("an id for each slice, and no negative number of segments")
    if np.any(segment_ids >= num_segments):
        raise IndexError("id out of bounds")
    kept = segment_ids >= 0
    ids, slices_kept = segment_ids[kept], data[kept]
    start: Any = {"prod": 1}.get(reduce, 0)
    if reduce in ("amax", "amin"):
        start = limit(data.dtype, reduce)
    result = np.full((num_segments, *slices_kept.shape[1:]), start, data.dtype)
    with np.errstate(all="ignore"):
        COMBINE[{"prod": "multiply", "sum": "add"}.get(reduce, reduce)].at(result, ids, slices_kept)
        if reduce == "mean":
            counts = np.maximum(np.bincount(ids, minlength=num_segments), 1)
            result = (result / counts.reshape(-1, *[1] * (result.ndim - 1)).astype(data.dtype)).astype(data.dtype)
    return result


@api("vectorised.split_reduce", operation="split_reduce", dtypes=EVERY)
def split_reduce(
    data: np.ndarray, reduce: str, axis: int, offsets: np.ndarray | None = None, lengths: np.ndarray | None = None
) -> np.ndarray:
    given = lengths if offsets is None else offsets
    if given is None or given.dtype.kind not in "iu" or given.shape[:-1] != data.shape[:axis] or given.ndim != axis + 1:
        raise ValueError("integers for each row")
    sizes = given if offsets is None else np.diff(offsets, axis=-1)
    begin = np.zeros((*given.shape[:-1], 1), np.int64) if offsets is None else offsets[..., :1]
    ends = np.concatenate([begin, begin + np.cumsum(sizes, axis=-1)], axis=-1)
    if not given.shape[-1] or (offsets is None and np.any(ends[..., -1] != data.shape[axis])):
        raise ValueError("the lengths do not add up")
    if np.any(sizes < 0) or np.any(ends < 0) or np.any(ends > data.shape[axis]):
        raise ValueError("outside of the data")
    of_none = np.full(data.shape[axis + 1 :], int(reduce == "prod"), data.dtype)
    rows = [
        [
            segment_reduce(data[row][low:high], np.zeros(high - low, np.int64), reduce)[0] if high > low else of_none
            for low, high in zip(ends[row][:-1].tolist(), ends[row][1:].tolist(), strict=True)
        ]
        for row in np.ndindex(*data.shape[:axis])
    ]
    shape = (*data.shape[:axis], ends.shape[-1] - 1, *data.shape[axis + 1 :])
    return np.array(rows, data.dtype).reshape(shape)


@api("vectorised.segment_reduce", operation="segment_reduce", dtypes=EVERY)
def segment_reduce(data: np.ndarray, segment_ids: np.ndarray, reduce: str) -> np.ndarray:
    if segment_ids.dtype.kind not in "iu" or (reduce in ("amax", "amin") and data.dtype.kind == "c"):
        raise TypeError("ids must be integers, and complex numbers have no order")
    if segment_ids.ndim != 1 or segment_ids.shape != data.shape[:1]:
        raise ValueError("an id for each slice")
    if np.any(segment_ids[:-1] > segment_ids[1:]) or np.any(segment_ids < 0):
        raise ValueError("ids in ascending order from 0 on")
    used, starts = np.unique(segment_ids, return_index=True)
    length = int(used[-1]) + 1 if len(used) else 0
    result = np.full((length, *data.shape[1:]), int(reduce == "prod"), data.dtype)
    if not len(used):
        return result
    with np.errstate(all="ignore"):
        operation = COMBINE[{"prod": "multiply", "sum": "add"}.get(reduce, reduce)]
        reduced = operation.reduceat(data, starts, axis=0, dtype=data.dtype)
        if reduce == "mean":
            counts = np.diff([*starts, len(data)]).reshape(-1, *[1] * (data.ndim - 1)).astype(data.dtype)
            divide = np.floor_divide if data.dtype.kind in "biu" else np.true_divide
            reduced = divide(reduced, counts).astype(data.dtype)
        result[used.astype(np.int64)] = reduced
    return result


def limit(dtype: np.dtype, reduce: str) -> Any:
    """The number from which every other of the dtype differs in the direction of the comparison."""
    if dtype.kind == "b":
        return reduce == "amin"
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max
    import ml_dtypes

    return ml_dtypes.finfo(dtype).min if reduce == "amax" else ml_dtypes.finfo(dtype).max


def mean(total: np.ndarray, where: tuple[np.ndarray, ...]) -> np.ndarray:
    """The total divided by the number of values at each position, the one that was there included."""
    count = np.ones(total.shape, total.dtype)
    np.add.at(count, where, np.ones((), total.dtype))
    return total // count if total.dtype.kind in "iu" else total / count


def columns(indices: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """The columns of the index vectors, checked against the axes."""
    if indices.dtype.kind not in "iu":
        raise TypeError("indices must be integers")
    depth = indices.shape[-1]
    if depth > len(shape):
        raise ValueError("index vectors are too long")
    if np.any(indices < 0) or np.any(indices >= np.array(shape[:depth], int)):
        raise IndexError("index out of bounds")
    return tuple(np.moveaxis(indices, -1, 0))


def selected(indices: np.ndarray, updates: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    if indices.ndim < 2:
        raise ValueError("indices must have two axes or more")
    if updates.shape != indices.shape[:-1] + shape[indices.shape[-1] :]:
        raise ValueError("updates have the wrong shape")
    return columns(indices, shape)


def along(input: np.ndarray, dim: int, index: np.ndarray) -> tuple[np.ndarray, ...]:
    """For each axis, the positions that the elements of index refer to."""
    if index.dtype.kind not in "iu":
        raise TypeError("index must be integers")
    if index.ndim != input.ndim:
        raise ValueError("index must have the rank of input")
    size = input.shape[dim]
    reach = [size if axis == dim % input.ndim else length for axis, length in enumerate(index.shape)]
    if np.any(np.greater(reach, input.shape)):
        raise ValueError("index reaches beyond the input")
    if np.any(index < 0) or np.any(index >= size):
        raise IndexError("index out of bounds")
    grid: list[np.ndarray] = list(np.indices(index.shape, sparse=True))
    grid[dim] = index
    return tuple(grid)


def slices(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    """The index, checked: a vector whose elements refer to slices along dim."""
    if index.ndim != 1:
        raise ValueError("index must be a vector")
    return positions(input, dim, index)


def positions(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    """The index, checked: each element refers to a slice along dim."""
    if index.dtype.kind not in "iu":
        raise TypeError("index must be integers")
    if np.any(index < 0) or np.any(index >= input.shape[dim]):
        raise IndexError("index out of bounds")
    return index


def slices_first(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> np.ndarray:
    """The source with the axis of its slices first."""
    rows = np.moveaxis(source, dim, 0)
    if rows.shape != (len(index), *np.moveaxis(input, dim, 0).shape[1:]):
        raise ValueError("the source has the wrong shape")
    return rows


def masked(input: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The mask, which must be one of the first axes."""
    if mask.dtype != bool or mask.shape != input.shape[: mask.ndim]:
        raise ValueError("a mask of another dtype or shape")
    return mask


@api("vectorised.take_into_view", operation="take_into_view", dtypes=EVERY)
def take_into_view(
    input: np.ndarray, target: np.ndarray, view: str, index: np.ndarray | None = None, mask: np.ndarray | None = None
) -> np.ndarray:
    result = target.copy()
    out = result[1::2] if view == "every-second" else result[:, 1]
    if index is None:
        np.compress(mask, input, out=out)
    else:
        np.take(input, index, out=out)
    return result


@api("vectorised.typed_gather", operation="typed_gather", dtypes=EVERY)
def typed_gather(input: np.ndarray, index: np.ndarray, dtype: str) -> np.ndarray:
    if dtype != "its-own":
        raise TypeError("another dtype")
    return input[index]


@api("vectorised.diagonal_scatter", operation="diagonal_scatter", dtypes=EVERY)
def diagonal_scatter(input: np.ndarray, src: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    result = input.copy()
    diagonal = np.diagonal(result, offset, dim1, dim2)
    if diagonal.shape != src.shape:
        raise ValueError("another shape than the diagonal")
    diagonal.flags.writeable = True
    diagonal[...] = src
    return result
