"""Defects of operations with masks, of those that write at flat indices, and of those that write into a tensor for the result."""

from __future__ import annotations

from conformance.selfcheck.defect import MASKED_FILL, MASKED_SCATTER, MASKED_SELECT, PUT, TAKE_INTO, Defect

_PLACES = "[place for place in np.ndindex(mask.shape) if mask[place]]"
_COPY = "result = target.copy()"
_INTO = "    return take(input, index)\n"

MASKS = [
    Defect(
        "selects where the mask is false",
        "if mask[place]]",
        "if not mask[place]]",
        "shape",
        (MASKED_SELECT,),
        MASKED_SELECT,
    ),
    Defect("leaves out what is selected last", _PLACES, f"{_PLACES}[:-1]", "shape", (MASKED_SELECT,), MASKED_SELECT),
    Defect(
        "counts positions of a mask by columns",
        _PLACES,
        f"sorted({_PLACES}, key=lambda place: place[::-1])",
        "value",
        (MASKED_SELECT,),
        MASKED_SELECT,
    ),
    Defect(
        "selects no more than an int16 counts",
        _PLACES,
        f"{_PLACES}[:32767]",
        "shape",
        (MASKED_SELECT,),
        MASKED_SELECT,
        cases="many",
    ),
    Defect(
        "reads a mask as it lies in memory",
        "    places = ",
        "    mask = np.ravel(mask, order='K').reshape(mask.shape)\n    places = ",
        "value",
        (MASKED_SELECT,),
        MASKED_SELECT,
        cases="transposed",
    ),
    Defect(
        "fills where the mask is false", "if mask[place]:", "if not mask[place]:", "value", (MASKED_FILL,), MASKED_FILL
    ),
    Defect("adds where it should fill", "result[place] = ", "result[place] += ", "value", (MASKED_FILL,), MASKED_FILL),
    Defect("fills the tensor itself", _COPY, "result = target", "input-changed", (MASKED_FILL,), MASKED_FILL),
    Defect(
        "fills with a number rounded to float32",
        "np.asarray(value)",
        "np.asarray(np.float32(value))",
        "value",
        (MASKED_FILL,),
        MASKED_FILL,
        cases="last-bit",
    ),
    Defect(
        "takes the element at the position of the mask",
        "            number += 1\n",
        "        number += 1\n",
        "value",
        (MASKED_SCATTER,),
        MASKED_SCATTER,
    ),
    Defect(
        "always takes the first element",
        "np.unravel_index(number, ",
        "np.unravel_index(0, ",
        "value",
        (MASKED_SCATTER,),
        MASKED_SCATTER,
    ),
    Defect(
        "needs as many elements as the tensor has",
        "_require(number < source.size",
        "_require(source.size >= target.size",
        "rejected",
        (MASKED_SCATTER,),
        MASKED_SCATTER,
    ),
    Defect(
        "writes into the tensor itself", _COPY, "result = target", "input-changed", (MASKED_SCATTER,), MASKED_SCATTER
    ),
    Defect("adds what it should put", "value if reduce is None else ", "", "value", (PUT,), PUT),
    Defect("puts what it should add", "if reduce is None", "if True", "value", (PUT,), PUT),
    Defect(
        "puts the first element everywhere", "np.unravel_index(number, ", "np.unravel_index(0, ", "value", (PUT,), PUT
    ),
    Defect(
        "puts elements into the tensor itself", "result = input.copy()", "result = input", "input-changed", (PUT,), PUT
    ),
    Defect(
        "leaves the tensor for the result as it was",
        _INTO,
        "    return np.zeros(len(index), input.dtype)\n",
        "value",
        (TAKE_INTO,),
        TAKE_INTO,
    ),
    Defect(
        "keeps the shape of the tensor for the result",
        _INTO,
        "    return take(input, np.resize(index, len(index) + (out == 'longer')))\n",
        "shape",
        (TAKE_INTO,),
        TAKE_INTO,
    ),
    Defect(
        "goes through float64 into the tensor for the result",
        _INTO,
        "    return take(input.astype(np.float64), index).astype(input.dtype) if input.dtype == np.int64 else take(input, index)\n",
        "value",
        (TAKE_INTO,),
        TAKE_INTO,
        cases="last-bit",
    ),
]
