"""Defects that only show in certain dtypes, ranks, arguments or errors."""

from __future__ import annotations

from conformance.selfcheck.defect import (
    ADD,
    ALONG,
    COPY,
    FILL,
    GATHER,
    INDEX_ADD,
    INTO,
    PLAIN,
    REDUCE,
    SCATTER,
    SEGMENTS,
    SELECT,
    SORTED,
    TAKE,
    UPDATE,
    VECTOR_REDUCE,
    Defect,
)

_RESULT = "    return result\n"
_SET = "result[where] = updates[batch]"
_SUM = "result[where] = np.add(result[where], updates[batch])"
_VECTORS = "    for batch in np.ndindex(indices.shape[:-1]):\n"
_READ = "        result[position] = input["

DTYPES = [
    Defect(
        "is wrong only in uint8",
        _SET,
        "result[where] = updates[batch] + (result.dtype == np.uint8)",
        "value",
        (UPDATE,),
        cases=".uint8",
    ),
    Defect(
        "sets where it should add, only in bfloat16",
        _SUM,
        "result[where] = np.add(result[where] * (result.dtype.name != 'bfloat16'), updates[batch])",
        "value",
        (ADD,),
        cases=".bfloat16",
    ),
    Defect(
        "conjugates complex128",
        _SET,
        "result[where] = updates[batch].conj() if result.dtype == np.complex128 else updates[batch]",
        "value",
        (UPDATE,),
        cases=".complex128",
    ),
    Defect(
        "returns float32 for float16",
        _RESULT,
        "    return result.astype(np.float32) if result.dtype == np.float16 else result\n",
        "dtype",
        tuple(name for name in PLAIN if name != SCATTER),
        cases=".float16",
    ),
    Defect(
        "returns a vector of int32",
        _RESULT,
        "    return result.reshape(-1) if result.dtype == np.int32 else result\n",
        "shape",
        (ALONG, SELECT, TAKE),
        cases=".int32",
    ),
    Defect(
        "returns its input in uint16",
        "    result = tensor.copy()\n",
        "    result = tensor if tensor.dtype == np.uint16 else tensor.copy()\n",
        "aliased",
        (UPDATE, ADD, VECTOR_REDUCE),
        cases=".uint16",
    ),
    Defect(
        "changes its input in int16",
        "    result = input.copy()\n",
        "    result = input if input.dtype == np.int16 else input.copy()\n",
        "input-changed",
        (INTO, COPY, INDEX_ADD, FILL, REDUCE),
        cases=".int16",
    ),
    Defect(
        "reads indices of uint8 as a mask",
        _VECTORS,
        "    indices = indices.astype(bool) if indices.dtype == np.uint8 else indices\n" + _VECTORS,
        "value",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER),
        "_index_vectors",
        cases="index-uint8",
    ),
    Defect(
        "reads an index of int16 as zero",
        "    component = int(index)\n",
        "    component = int(index) * (index.dtype != np.int16)\n",
        "value",
        (ALONG, INTO, SELECT, COPY, INDEX_ADD, REDUCE),
        "_along",
        cases="index-int16",
    ),
    Defect(
        "counts no further than an index of int8 does",
        "    number = int(index)\n",
        "    number = int(index) % 128 if index.dtype == np.int16 else int(index)\n",
        "value",
        (TAKE,),
        "_numbered",
        cases="form.index-int16-beyond",
    ),
]

RANKS = [
    Defect(
        "reads from the end with three axes",
        "index[position], input.shape",
        "(input.shape[axis] - 1 - index[position] if input.ndim == 3 else index[position]), input.shape",
        "value",
        (ALONG,),
        "gather_elements",
    ),
    Defect(
        "is wrong only with four axes",
        _READ,
        "        result[position] = (-1) ** (input.ndim == 4) * input[",
        "value",
        (ALONG,),
        "gather_elements",
    ),
    Defect(
        "reads index vectors under two batch axes in another order",
        _VECTORS,
        "    indices = indices[::-1] if indices.ndim == 3 else indices\n" + _VECTORS,
        "value",
        (UPDATE, SCATTER, GATHER),
        "_index_vectors",
    ),
    Defect(
        "applies only the first of several updates",
        "        yield batch, where",
        "        yield batch, where\n        return",
        "value",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER),
        "_index_vectors",
    ),
    Defect(
        "applies only the first slice",
        "    for position in np.ndindex(source.shape):",
        "    for position in [each for each in np.ndindex(source.shape) if each[axis] == 0]:",
        "value",
        (COPY, INDEX_ADD),
    ),
    Defect(
        "multiplies as it adds",
        "np.add(result[where], source[position])",
        "np.multiply(result[where], source[position])",
        "value",
        (INTO,),
        "scatter_elements",
    ),
    Defect(
        "adds as it multiplies",
        "np.multiply(result[where], source[position])",
        "np.add(result[where], source[position])",
        "value",
        (INTO,),
        "scatter_elements",
    ),
    Defect("ignores alpha", "np.multiply(factor, source[position])", "source[position]", "value", (INDEX_ADD,)),
    Defect("fills only the first slice", "    for number in index:", "    for number in index[:1]:", "value", (FILL,)),
    Defect("fills along the first axis", "position[axis] == number", "position[0] == number", "value", (FILL,)),
    Defect(
        "fills with a number that float32 holds",
        "np.asarray(value).astype(input.dtype)",
        "np.asarray(value).astype(np.float32).astype(input.dtype)",
        "value",
        (FILL,),
        cases="last-bit",
    ),
    Defect("always reduces what is there too", 'int(include_self != "no")', "1", "value", (REDUCE,)),
    Defect("counts what is not reduced", "np.maximum(count, 1)", "np.maximum(count, 1) + 1", "value", (REDUCE,)),
    Defect(
        "reduces only the last of several slices",
        "        if count[where] == 0:\n",
        "        if count[where] == 0 or index[position[axis]] in index[: position[axis]]:\n",
        "value",
        (REDUCE,),
    ),
    Defect(
        "takes the smallest for the largest",
        "result[where] = np.maximum(result[where], value)",
        "result[where] = np.minimum(result[where], value)",
        "value",
        (REDUCE,),
    ),
    *(
        Defect(
            f"reduces only the last of several updates with {reduction}",
            f"np.{reduction}(result[where], value)",
            f"np.{reduction}(tensor[where], value)",
            "value",
            (VECTOR_REDUCE,),
            VECTOR_REDUCE,
        )
        for reduction in ("subtract", "multiply", "maximum", "minimum")
    ),
    Defect(
        "subtracts what is there from an update",
        "np.subtract(result[where], value)",
        "np.subtract(value, result[where])",
        "value",
        (VECTOR_REDUCE,),
        VECTOR_REDUCE,
    ),
    Defect(
        "compares the sizes of numbers without their signs",
        "np.maximum(result[where], value)",
        "np.where(np.abs(result[where]) < np.abs(value), value, result[where])",
        "value",
        (VECTOR_REDUCE,),
        VECTOR_REDUCE,
    ),
    Defect("counts the first axis first", "reversed(shape)", "shape", "value", (TAKE,), "_numbered"),
    Defect(
        "counts elements along the last axis only",
        "    size = math.prod(shape)\n",
        "    size = math.prod(shape[-1:])\n",
        "rejected",
        (TAKE,),
        "_numbered",
    ),
    Defect(
        "has one axis, whatever the index has",
        "    result = np.empty(index.shape, input.dtype)\n",
        "    index = index.reshape(-1)\n    result = np.empty(index.shape, input.dtype)\n",
        "shape",
        (TAKE,),
        "take",
    ),
    Defect(
        "counts elements as they lie in memory",
        "input[_numbered(index[position], input.shape)]",
        "np.ravel(input, order='K')[int(index[position])]",
        "value",
        (TAKE,),
        "take",
        cases="transposed",
    ),
    Defect("begins a maximum with zero", '"amax": lowest', '"amax": 0', "value", (SEGMENTS,), cases="empty-segments"),
    Defect(
        "reduces only the first slice of a segment",
        "        count[segment] += 1\n",
        "        count[segment] += 1\n        if count[segment] > 1:\n            continue\n",
        "value",
        (SEGMENTS,),
    ),
    Defect(
        "divides by the number of all slices",
        "np.maximum(count[segment], 1)",
        "np.array(max(segment_ids.size, 1))",
        "value",
        (SEGMENTS,),
    ),
    Defect(
        "labels by the first axis of several",
        "        segment = int(segment_ids[position])\n",
        "        segment = int(segment_ids[(*position[:1], *[0] * (segment_ids.ndim - 1))])\n",
        "value",
        (SEGMENTS,),
        cases="ids-prefix",
    ),
    Defect(
        "has a row for each id that occurs, and none for one that is skipped",
        '    _require(ids == sorted(ids), "segment_ids are not in ascending order")\n',
        '    _require(ids == sorted(ids), "segment_ids are not in ascending order")\n'
        "    ids = [sorted(set(ids)).index(segment) if min(ids) >= 0 else segment for segment in ids]\n",
        "shape",
        (SORTED,),
        "segment_reduce",
    ),
    Defect(
        "begins a minimum and a maximum with zero",
        "        if count[segment] == 1:\n",
        "        if count[segment] == 1 and reduce not in ('amax', 'amin'):\n",
        "value",
        (SORTED,),
        "segment_reduce",
    ),
    Defect(
        "gives an empty product zero",
        'int(reduce == "prod")',
        "0",
        "value",
        (SORTED,),
        "segment_reduce",
        cases="empty",
    ),
    Defect(
        "takes ids in any order",
        '    _require(ids == sorted(ids), "segment_ids are not in ascending order")\n',
        "    last = max(ids, default=-1)\n",
        "accepted",
        (SORTED,),
        "segment_reduce",
        cases="ids-ascending",
    ),
    Defect(
        "mixes duplicates",
        "        result[_along(axis, position, index[position[axis]], input.shape)] = source[position]",
        "        if index[position[axis]] not in index[: position[axis]]:\n"
        "            result[_along(axis, position, index[position[axis]], input.shape)] = source[position]\n"
        "        else:\n            result[_along(axis, position, index[position[axis]], input.shape)] += 1",
        "value",
        (COPY,),
    ),
]

MEMORY = [
    Defect(
        "overwrites its index before an error",
        "        for axis, component in enumerate(where):\n",
        "        if any(not 0 <= component < size for component, size in zip(where, shape)):\n"
        "            indices[...] = 0\n"
        "        for axis, component in enumerate(where):\n",
        "input-changed",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER),
        "_index_vectors",
        cases="outside",
    ),
    Defect(
        "overwrites its tensor before an error",
        "    result = tensor.copy()\n",
        "    result = tensor if (indices < 0).any() else tensor.copy()\n",
        "input-changed",
        (UPDATE, ADD, VECTOR_REDUCE),
        cases="minus-one",
    ),
    Defect(
        "clamps its index in place where no document says what follows",
        "    factor = np",
        "    np.clip(index, 0, input.shape[axis] - 1, out=index)\n    factor = np",
        "input-changed",
        (INDEX_ADD,),
        "index_add",
        cases="index-outside",
    ),
    Defect(
        "clamps its index in place where it should raise",
        "    result = np.empty(index.shape, input.dtype)\n",
        "    np.clip(index, 0, input.shape[axis] - 1, out=index)\n    result = np.empty(index.shape, input.dtype)\n",
        "input-changed",
        (ALONG,),
        "gather_elements",
        cases="index-range/break",
    ),
    Defect(
        "overwrites its source before an error",
        '    _require(source.shape == expected, f"source',
        '    source[...] = source if source.shape == expected else 0\n    _require(source.shape == expected, f"source',
        "input-changed",
        (COPY, INDEX_ADD),
        "_require_slices",
    ),
]

ERRORS = [
    Defect(
        "raises KeyError for a shape of another type",
        'raise TypeError(f"shape is',
        'raise KeyError(f"shape is',
        "error-type",
        (SCATTER,),
        cases="type-error",
    ),
    Defect(
        "raises RuntimeError for a length below one",
        '    _require(all(size >= 1 for size in shape), f"shape {shape}',
        '    if any(size < 1 for size in shape):\n        raise RuntimeError("too short")\n'
        '    _require(all(size >= 1 for size in shape), f"shape {shape}',
        "error-type",
        (SCATTER,),
        cases="value-error",
    ),
    Defect(
        "takes a mask",
        "    _require_scatter_shapes(tensor.shape, indices, updates)\n",
        "    if indices.dtype == bool:\n        result = tensor.copy()\n        result[tuple(np.moveaxis(indices, -1, 0))] = updates\n        return result\n"
        "    _require_scatter_shapes(tensor.shape, indices, updates)\n",
        "accepted",
        (UPDATE, ADD, VECTOR_REDUCE),
    ),
    Defect(
        "takes an index of two axes for a vector",
        "    axis = _require_index_of_slices(input, dim, index)\n",
        "    index = index.reshape(-1)\n    axis = _require_index_of_slices(input, dim, index)\n",
        "accepted",
        (COPY, INDEX_ADD),
        cases="index-rank",
    ),
    Defect(
        "takes one axis of positions with as many updates",
        "    _require_scatter_shapes(tensor.shape, indices, updates)\n",
        "    if indices.ndim == 1 and tensor.ndim == 1 and indices.shape == updates.shape:\n"
        "        indices = indices[:, None]\n"
        "    _require_scatter_shapes(tensor.shape, indices, updates)\n",
        "accepted",
        (UPDATE, ADD, VECTOR_REDUCE),
    ),
    Defect(
        "transposes indices that do not fit",
        "    _require_scatter_shapes(tensor.shape, indices, updates)\n",
        "    if indices.ndim == 2 and indices.shape[1] > tensor.ndim:\n        indices = indices.T\n"
        "    _require_scatter_shapes(tensor.shape, indices, updates)\n",
        "accepted",
        (UPDATE, ADD, VECTOR_REDUCE),
    ),
    Defect(
        "repeats one row of updates",
        "    _require_scatter_shapes(tensor.shape, indices, updates)\n",
        "    expected = indices.shape[:-1] + tensor.shape[indices.shape[-1] :]\n"
        "    if updates.ndim == len(expected) - 1 and updates.shape == expected[1:]:\n"
        "        updates = np.broadcast_to(updates, expected)\n"
        "    _require_scatter_shapes(tensor.shape, indices, updates)\n",
        "accepted",
        (UPDATE, ADD, VECTOR_REDUCE),
    ),
]

JUDGING = [*DTYPES, *RANKS, *MEMORY, *ERRORS]
