"""Defects that real implementations have had, to be planted in copies of the reference, and how the suite must report each."""

from __future__ import annotations

from conformance.selfcheck.defect import (
    ADD,
    ADVANCED_GET,
    ADVANCED_SET,
    ALONG,
    BATCHED_GATHER,
    BATCHED_SELECT,
    GATHER,
    INTO,
    SCATTER,
    UPDATE,
    VECTOR_REDUCE,
    Defect,
)
from conformance.selfcheck.fast_paths import FAST_PATHS
from conformance.selfcheck.judging_defects import JUDGING
from conformance.selfcheck.mask_defects import MASKS
from conformance.selfcheck.policy_defects import POLICIES

SHAPES = [
    Defect(
        "uses the rank of indices minus one as depth",
        "indices.shape[:-1] + shape[indices.shape[-1] :]",
        "indices.shape[:-1] + shape[indices.ndim - 1 :]",
        "rejected",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER),
    ),
    Defect(
        "accepts updates of any shape with the right number of elements",
        "    expected = indices.shape[:-1] + shape[indices.shape[-1] :]\n    _require(updates.shape == expected",
        "    expected = indices.shape[:-1] + shape[indices.shape[-1] :]\n"
        "    updates.shape = expected if updates.size == int(np.prod(expected)) else updates.shape\n"
        "    _require(updates.shape == expected",
        "accepted",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER),
    ),
    Defect(
        "broadcasts updates",
        '    _require(updates.shape == expected, f"updates has shape {updates.shape}, not {expected}")',
        "    updates.resize(expected, refcheck=False)",
        "accepted",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER),
    ),
    Defect("accepts indices with one axis", "indices, rank=2)", "indices, rank=1)", "accepted", (UPDATE, SCATTER)),
    Defect(
        "folds the batch axes of the result",
        "    return result\n",
        "    return result.reshape(-1, *params.shape[depth:])\n",
        "shape",
        (GATHER,),
        "gather_nd",
    ),
    Defect(
        "reverses the columns of index vectors",
        "for component in indices[batch])",
        "for component in indices[batch][::-1])",
        "rejected",
        (GATHER,),
        "_index_vectors",
    ),
    Defect("accepts negative lengths", "all(size >= 1 for size in shape)", "True", "accepted", (SCATTER,)),
    Defect("accepts an empty shape", 'len(shape) >= 1, "shape is empty"', 'True, ""', "accepted", (SCATTER,)),
    Defect("accepts a shape of any type", "not isinstance(shape, tuple) or ", "", "accepted", (SCATTER,)),
    Defect(
        "accepts indices of any dtype",
        'if indices.dtype.kind not in "iu":',
        "if False:",
        "accepted",
        (UPDATE, SCATTER, GATHER),
    ),
    Defect(
        "requires a source with the shape of index",
        '_require_reach("src", source.shape, index.shape, range(index.ndim))',
        '_require(source.shape == index.shape, "src and index differ")',
        "rejected",
        (INTO,),
    ),
    Defect(
        "requires an index as long as the input along the other axes",
        "_require(needed[axis] <= shape[axis]",
        "_require(needed[axis] == shape[axis]",
        "rejected",
        (ALONG, INTO),
    ),
    Defect(
        "reads the source as if it had the shape of index",
        "    result = input.copy()\n    for position in np.ndindex(index.shape):",
        "    source = np.resize(source, index.shape)\n"
        "    result = input.copy()\n    for position in np.ndindex(index.shape):",
        "value",
        (INTO,),
        "scatter_elements",
    ),
    Defect(
        "uses the last position instead of the first",
        "        yield batch, where",
        "        yield batch, tuple(size - 1 if component == 0 else component for component, size in zip(where, shape))",
        "value",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER),
        "_index_vectors",
    ),
    Defect("always reads along the first axis", "return dim % input.ndim", "return 0", "value", (ALONG,)),
    Defect("always writes along the first axis", "return dim % input.ndim", "return 0", "rejected", (INTO,)),
    Defect(
        "returns a single element with an axis",
        "    return result\n",
        "    return result.reshape(result.shape or (1,))\n",
        "shape",
        (GATHER,),
        "gather_nd",
    ),
]

VALUES = [
    Defect(
        "adds where it should set",
        "result[where] = updates[batch]",
        "result[where] += updates[batch]",
        "value",
        (UPDATE,),
    ),
    Defect(
        "sets where it should add",
        "result[where] = np.add(result[where], updates[batch])",
        "result[where] = updates[batch]",
        "value",
        (ADD, SCATTER),
    ),
    Defect(
        "adds only one of the updates to a position",
        "result[where] = np.add(result[where], updates[batch])",
        "result[where] = np.add(tensor[where], updates[batch])",
        "value",
        (SCATTER, ADD),
        cases="duplicates",
    ),
    Defect(
        "drops the last update",
        "in _index_vectors(indices, tensor.shape):",
        "in list(_index_vectors(indices, tensor.shape))[:-1]:",
        "value",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER),
    ),
    Defect(
        "saturates int8",
        "np.add(result[where], updates[batch])",
        "np.clip(np.add(result[where], updates[batch], dtype=np.int16), -128, 127) "
        "if result.dtype == np.int8 else np.add(result[where], updates[batch])",
        "value",
        (ADD, SCATTER),
        cases="int8",
    ),
    Defect(
        "adds booleans modulo two",
        "np.add(result[where], updates[batch])",
        "np.logical_xor(result[where], updates[batch]) if result.dtype == bool else np.add(result[where], updates[batch])",
        "value",
        (SCATTER,),
        cases="truths",
    ),
    Defect(
        "treats NaN as zero in sums",
        "np.add(result[where], updates[batch])",
        "np.add(result[where], np.nan_to_num(updates[batch], posinf=np.inf, neginf=-np.inf))",
        "value",
        (SCATTER, ADD),
        cases="not-a-number",
    ),
    Defect(
        "treats NaN as zero when moving data",
        "result[where] = updates[batch]",
        "result[where] = np.nan_to_num(updates[batch])",
        "value",
        (UPDATE,),
        cases="bit-by-bit",
    ),
    Defect(
        "loses the sign of zero",
        "result[where] = updates[batch]",
        "result[where] = updates[batch] + np.zeros((), tensor.dtype)",
        "value",
        (UPDATE,),
        cases="bit-by-bit",
    ),
    Defect(
        "moves 64-bit integers through float64",
        "result[where] = updates[batch]",
        "result[where] = updates[batch].astype(np.float64) if tensor.dtype == np.int64 else updates[batch]",
        "value",
        (UPDATE,),
        cases="last-bit",
    ),
    Defect(
        "counts positions in int8",
        "    for batch in np.ndindex",
        "    indices = np.where((indices > 127) & (indices < 256), indices - 256, indices)\n    for batch in np.ndindex",
        "rejected",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER),
        "_index_vectors",
        cases="beyond-int8",
    ),
    Defect(
        "counts positions in uint16",
        "    for batch in np.ndindex",
        "    indices = np.where(abs(indices) < 2**31, indices & 65535, indices)\n    for batch in np.ndindex",
        "value",
        (UPDATE, SCATTER, GATHER),
        "_index_vectors",
        cases="beyond-uint16",
    ),
    Defect(
        "counts positions along an axis in int8",
        "    component = int(index)\n",
        "    component = int(index)\n    component -= 256 * (127 < component < 256)\n",
        "rejected",
        (ALONG, INTO),
        "_along",
        cases="beyond-int8",
    ),
    Defect(
        "drops the imaginary part",
        "result[where] = updates[batch]",
        "result[where] = updates[batch].real",
        "value",
        (UPDATE,),
        cases="complex64",
    ),
    Defect(
        "returns float64 for every floating dtype",
        "    return result\n",
        "    return result.astype(np.float64) if result.dtype.kind == 'f' else result\n",
        "dtype",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER, ALONG, INTO),
    ),
    Defect("multiplies where it should add", 'if reduce == "add":', 'if reduce == "none":', "value", (INTO,)),
    Defect("keeps the largest where it should keep the smallest", "np.minimum(", "np.maximum(", "value", (INTO,)),
    Defect("keeps the smallest where it should keep the largest", "np.maximum(", "np.minimum(", "value", (INTO,)),
    Defect("divides a mean by one too few", "count[where] += 1", "count[where] += count[where] > 1", "value", (INTO,)),
    *(
        Defect(
            f"applies only the last of several values with {reduction}",
            f"np.{reduction}(result[where], source[position])",
            f"np.{reduction}(input[where], source[position])",
            "value",
            (INTO,),
            "scatter_elements",
        )
        for reduction in ("add", "multiply", "maximum", "minimum")
    ),
    Defect(
        "reads a scalar source as one",
        "np.full(index.shape, src, input.dtype)",
        "np.ones(index.shape, input.dtype)",
        "value",
        (INTO,),
    ),
    Defect(
        "rejects an empty call",
        "    result = tensor.copy()\n",
        '    _require(indices.size > 0, "nothing to write")\n    result = tensor.copy()\n',
        "rejected",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER),
        cases="nothing-to-write",
    ),
    Defect(
        "returns uninitialized memory for an empty call",
        "    result = tensor.copy()\n",
        "    result = tensor.copy() if indices.size else np.full_like(tensor, 99)\n",
        "value",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER),
        cases="nothing-to-write",
    ),
    Defect(
        "rejects a read of no elements",
        "    if index.size == 0:\n        return np.empty(index.shape, input.dtype)\n",
        '    _require(index.size > 0, "nothing to read")\n',
        "rejected",
        (ALONG,),
        cases="nothing-to-read",
    ),
]

MEMORY = [
    Defect(
        "changes its input", "result = tensor.copy()", "result = tensor", "input-changed", (UPDATE, ADD, VECTOR_REDUCE)
    ),
    Defect("returns its input", "result = tensor.copy()", "result = tensor", "aliased", (UPDATE, ADD, VECTOR_REDUCE)),
    Defect(
        "returns its input if there is nothing to write",
        "result = tensor.copy()",
        "result = tensor.copy() if indices.size else tensor",
        "aliased",
        (UPDATE, ADD, VECTOR_REDUCE),
        cases="nothing-to-write",
    ),
    Defect("fills its input", "    result = input.copy()", "    result = input", "input-changed", (INTO,)),
    Defect(
        "returns a view of what it reads",
        "    return result\n",
        "    return params[tuple(indices)] if indices.ndim == 1 and depth < params.ndim else result\n",
        "aliased",
        (GATHER,),
        "gather_nd",
    ),
]

LAYOUT = [
    Defect(
        f"ignores the strides of a {view} view",
        "    result = tensor.copy()",
        "    buffer = tensor if tensor.base is None else tensor.base\n"
        "    result = np.array(np.resize(buffer.reshape(-1), tensor.shape))",
        "value",
        (UPDATE, ADD, VECTOR_REDUCE),
        cases=view,
    )
    for view in ("transposed", "strided")
]

BATCHES = [
    Defect(
        "reads each part of a batch by the index of the first",
        "of_index = (*position[:paired], ",
        "of_index = (*(0,) * paired, ",
        "value",
        (BATCHED_SELECT,),
    ),
    Defect(
        "reads each part of a batch from the first",
        "params[batch[:paired]][where]",
        "params[(0,) * paired][where]",
        "value",
        (BATCHED_GATHER,),
    ),
    Defect(
        "accepts batch axes of unequal lengths",
        "_require(shape[:paired] == of_index[:paired],",
        "_require(True,",
        "accepted",
        (BATCHED_SELECT, BATCHED_GATHER),
    ),
    Defect(
        "takes a negative number of batch axes for none",
        "batch_dims + len(of_index) if batch_dims < 0 else batch_dims",
        "max(batch_dims, 0)",
        "shape",
        (BATCHED_SELECT,),
    ),
    Defect(
        "takes an axis that is one of the batch",
        "_require(paired <= axis,",
        "paired = min(paired, axis)\n    _require(True,",
        "accepted",
        (BATCHED_SELECT,),
    ),
]

_NUMBERS = 'return item not in ("None", "...") and ":" not in item'

KEYS = [
    *(
        Defect(name, old, new, "shape" if operation == ADVANCED_GET else "rejected", (operation,))
        for operation in (ADVANCED_GET, ADVANCED_SET)
        for name, old, new in (
            (
                "leaves the axes of indices in their place if something stands between them",
                "        return 0  # something stands between them\n",
                "        pass\n",
            ),
            (
                "puts the axes of indices first in any case",
                '    return sum(item != "..." for item, _ in items[: advanced[0]])\n',
                "    return 0\n",
            ),
        )
    ),
    Defect(
        "takes a number for no index",
        _NUMBERS,
        f"{_NUMBERS} and not item.isdigit()",
        "rejected",
        (ADVANCED_GET, ADVANCED_SET),
    ),
    Defect(
        "clips an index that stands in a key",
        "_from_either_end(number, shape[axis], axis)",
        "_from_either_end(min(number, shape[axis] - 1), shape[axis], axis)",
        "accepted",
        (ADVANCED_GET, ADVANCED_SET),
    ),
    Defect(
        "takes the indices from their end where they are broadcast",
        "return tuple(0 if shape[axis] == 1 else component",
        "return tuple(-1 - component if shape[axis] > 2 else 0 if shape[axis] == 1 else component",
        "value",
        (ADVANCED_GET, ADVANCED_SET),
    ),
    Defect(
        "adds only the last of several values that a key names for one position",
        '        result[where] = np.add(result[where], value) if reduce == "add" else value\n',
        '        result[where] = np.add(input[where], value) if reduce == "add" else value\n',
        "value",
        (ADVANCED_SET,),
    ),
]

DEFECTS = [*LAYOUT, *BATCHES, *KEYS, *POLICIES, *SHAPES, *VALUES, *MEMORY, *JUDGING, *MASKS, *FAST_PATHS]
