"""What each of the suite's operations does, as a formula of a few lines. An operation of somebody else has none."""

from __future__ import annotations

from collections.abc import Mapping

FORMULAS: Mapping[str, str] = {
    "advanced_index_get": """\
result = input[i, j], with the key that is given
i and j are broadcast against each other; a mask stands for the indices of its true elements
result[p] = input[i[p], j[p]], and all of input along the axes that no index is for""",
    "advanced_index_set": """\
input[i, j] = values, with the key that is given
i and j are broadcast against each other, and values to what they select
input[i[p], j[p]] = values[p], along the other axes in full""",
    "basic_index_get": """\
result = input[key]
a slice start:stop:step takes the positions start, start + step, ... before stop, which are cut to the axis
a number takes one and removes the axis; None makes an axis, ... stands for the slices that are missing""",
    "basic_index_set": """\
input[key] = values
values are broadcast to the shape of input[key], and written where input[key] reads
everything else of input stays""",
    "diagonal_scatter": """\
result = input
for each place p of src, of which i is the last component and q are the others:
    result[i, q, i + offset] = src[p], where i and i + offset stand at dim1 and dim2""",
    "dynamic_slice": """\
for each p within sizes:
    result[p] = input[starts + p]
a start is moved back as far as the window needs to end within the axis""",
    "dynamic_update_slice": """\
result = input
result[starts + p] = update[p], for each p within the update
a start is moved back as far as the update needs to end within the axis""",
    "batched_gather_nd": """\
for each b of the batch axes, and each index vector p of it:
    result[b, p] = params[b, indices[b, p]]
an index vector selects an element, or a slice if it is shorter than the axes that are left""",
    "batched_index_select": """\
for each b of the batch axes, and each place p of index:
    result[b, ..., p, ...] = input[b, ..., index[b, p], ...]
along dim; the other axes are taken in full""",
    "gather_elements": """\
for each place (p, q) of index, along dim 1:
    result[p, q] = input[p, index[p, q]]
index has as many axes as input, and result has its shape""",
    "gather_nd": """\
for each index vector p of indices:
    result[p] = params[indices[p]]
an index vector selects an element, or a slice if it is shorter than the axes of params""",
    "index_add": """\
result = input
for each place p of index, along dim 0:
    result[index[p], ...] += alpha * source[p, ...]""",
    "index_copy": """\
result = input
for each place p of index, along dim 0:
    result[index[p], ...] = source[p, ...]""",
    "index_fill": """\
result = input
for each place p of index, along dim 0:
    result[index[p], ...] = value""",
    "index_reduce": """\
result = input
for each place p of index, along dim 0:
    result[index[p], ...] = reduce(result[index[p], ...], source[p, ...])""",
    "index_select": """\
for each place p of index, along dim 0:
    result[p, ...] = input[index[p], ...]
the other axes are taken in full""",
    "masked_fill": """\
for each place p of input:
    result[p] = value if mask[p] else input[p]
mask is broadcast to input""",
    "masked_scatter": """\
result = input
for the n-th place p, in row-major order, at which mask is true:
    result[p] = source.flat[n]""",
    "masked_select": """\
for the n-th place p, in row-major order, at which mask is true:
    result[n] = input[p]
so that result has one axis""",
    "put": """\
result = input
for each place p of index:
    result.flat[index[p]] = source[p], or += with accumulate""",
    "scatter_elements": """\
result = input
for each place (p, q) of index, along dim 1:
    result[p, index[p, q]] = src[p, q], or reduced with what is there""",
    "scatter_nd": """\
result = zeros(shape)
for each index vector p of indices:
    result[indices[p]] += updates[p]""",
    "segment_reduce": """\
segment_ids are sorted, one for each slice of data
for each segment s:
    result[s] = reduce of all data[p] with segment_ids[p] == s""",
    "split_reduce": """\
for each segment s along axis:
    result[s] = reduce of data[offsets[s]] to data[offsets[s + 1] - 1]
with lengths, each offset is the sum of the lengths before it""",
    "take": """\
for each place p of index:
    result[p] = input.flat[index[p]]
whatever the axes of input are, in row-major order""",
    "take_into": """\
for each place p of index:
    out[p] = input[index[p]]
out is an argument, and what is returned""",
    "take_into_view": """\
result = target, of which view has some elements
for each element p that is selected, by its place in index or its order under mask:
    view[p] = that element of input""",
    "tensor_scatter_nd_add": """\
result = tensor
for each index vector p of indices:
    result[indices[p]] += updates[p]""",
    "tensor_scatter_nd_reduce": """\
result = tensor
for each index vector p of indices:
    result[indices[p]] = reduce(result[indices[p]], updates[p])""",
    "tensor_scatter_nd_update": """\
result = tensor
for each index vector p of indices:
    result[indices[p]] = updates[p]""",
    "typed_gather": """\
for each place p of index:
    result[p] = input[index[p]]
the call says the dtype of input besides""",
    "unsorted_segment_reduce": """\
segment_ids are in any order, one for each slice of data
for each segment s of num_segments:
    result[s] = reduce of all data[p] with segment_ids[p] == s""",
}
