"""Defects in writing into a diagonal or into a part of what is given for the result, and of a dtype that is said besides."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.planted.defect import DIAGONAL, TYPED, VIEW, Array, Right, defect


def places(view: str, target: Array) -> Array:
    """The part of the target that a result goes into."""
    return target[1::2] if view == "every-second" else target[:, 1]


@defect("value", VIEW)
def writes_into_its_out_without_gaps(right: Right, target: Array, view: str, **given: Any) -> Array:
    taken = places(view, right(target=target, view=view, **given))
    result = target.copy()
    result.reshape(-1)[1 : 1 + len(taken)] = taken
    return result


@defect("value", VIEW, cases="mask")
def writes_what_a_mask_selects_without_gaps(
    right: Right, target: Array, view: str, mask: Array | None = None, **given: Any
) -> Array:
    right_result = right(target=target, view=view, mask=mask, **given)
    if mask is None:
        return right_result
    taken = places(view, right_result)
    result = target.copy()
    result.reshape(-1)[1 : 1 + len(taken)] = taken
    return result


@defect("accepted", VIEW, cases="one-place-too-few")
def writes_as_much_as_fits_into_its_out(
    right: Right, target: Array, view: str, index: Array | None = None, mask: Array | None = None, **given: Any
) -> Array:
    fitting = len(places(view, target)) if target.ndim == (1 if view == "every-second" else 2) else 0
    if index is not None and index.ndim == 1 and index.dtype.kind in "iu":
        index = index[:fitting]
    return right(target=target, view=view, index=index, mask=mask, **given)


@defect("accepted", VIEW, cases="one-place-too-many")
def leaves_the_rest_of_its_out(
    right: Right, target: Array, view: str, index: Array | None = None, mask: Array | None = None, **given: Any
) -> Array:
    if index is None or view != "every-second" or target.ndim != 1 or 2 * index.size + 1 >= len(target):
        return right(target=target, view=view, index=index, mask=mask, **given)
    head = 2 * index.size + 1
    return np.append(right(target=target[:head], view=view, index=index, mask=mask, **given), target[head:])


@defect("value", VIEW, cases="/every-second")
def clears_what_is_between(right: Right, target: Array, view: str, **given: Any) -> Array:
    result = right(target=target, view=view, **given)
    if view == "every-second":
        result[::2] = 0
    return result


@defect("accepted", TYPED, cases="same-dtype/break")
def reads_as_the_dtype_that_it_is_told(right: Right, input: Array, index: Array, dtype: str) -> Array:
    result = right(input=input, index=index, dtype="its-own")
    return result if dtype == "its-own" else result.astype(dtype)


@defect("accepted", TYPED, cases="same-dtype/break.wider")
def takes_a_wider_dtype_for_its_own(right: Right, dtype: str, **given: Any) -> Array:
    return right(dtype="its-own" if dtype == "float64" else dtype, **given)


@defect("value", DIAGONAL)
def takes_an_offset_for_its_opposite(
    right: Right, input: Array, offset: int, dim1: int, dim2: int, **given: Any
) -> Array:
    if offset == 0 or input.ndim != 2 or input.shape[0] != input.shape[1]:
        return right(input=input, offset=offset, dim1=dim1, dim2=dim2, **given)
    return right(input=input, offset=-offset, dim1=dim1, dim2=dim2, **given)


@defect("value", DIAGONAL)
def always_takes_the_first_two_axes(right: Right, input: Array, dim1: int, dim2: int, **given: Any) -> Array:
    if len(set(input.shape)) > 1:
        return right(input=input, dim1=dim1, dim2=dim2, **given)
    return right(input=input, dim1=0, dim2=1, **given)


@defect("accepted", DIAGONAL, cases="one-row-for-all")
def broadcasts_the_source_to_its_diagonal(
    right: Right, input: Array, src: Array, offset: int, dim1: int, dim2: int
) -> Array:
    if min(dim1, dim2) >= 0 and max(dim1, dim2) < input.ndim and src.ndim < input.ndim - 1:
        src = np.broadcast_to(src, np.diagonal(input, offset, dim1, dim2).shape)
    return right(input=input, src=src, offset=offset, dim1=dim1, dim2=dim2)


@defect("accepted", DIAGONAL, cases="src-shape/break.one-more")
def leaves_the_rest_of_the_source(right: Right, input: Array, src: Array, offset: int, dim1: int, dim2: int) -> Array:
    if min(dim1, dim2) >= 0 and max(dim1, dim2) < input.ndim and src.ndim:
        src = src[..., : np.diagonal(input, offset, dim1, dim2).shape[-1]]
    return right(input=input, src=src, offset=offset, dim1=dim1, dim2=dim2)


@defect("value", DIAGONAL, cases="below")
def a_diagonal_below_begins_at_the_first_row(
    right: Right, input: Array, src: Array, offset: int, dim1: int, dim2: int
) -> Array:
    result = right(input=input, src=src, offset=offset, dim1=dim1, dim2=dim2)
    return np.roll(result, offset, dim1) if offset < 0 else result
