"""A call's data in another dtype, with numbers that the dtype holds exactly.

The call keeps its own numbers where the dtype holds every one of them and, if elements are added, where they are
integers whose magnitudes together are still exact. Where it does not, each number is replaced by its place among the
distinct ones of the call, zero staying zero: 1 for the first, 2 for the second. Of these a bool keeps whether it is odd.
A complex number n becomes n - ni, so that a lost imaginary part shows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.specification.dtypes import INTEGERS, kind_of, numpy_dtype
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.model import Call, Operation
from conformance.specification.numbers import elements

MOST_WRITTEN = 400
"""Elements that are written out one by one."""
_EXACT = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}
_PARTS = {"complex64": "float32", "complex128": "float64"}

Number = int | float
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Data:
    """The arguments of a call that hold data: tensors that are no indices, and numbers that stand for one."""

    tensors: Mapping[str, Tensor]
    scalars: Mapping[str, Number]
    factors: tuple[Number, ...] = ()
    """Other numbers that meet these in the result; they stay as they are."""

    def numbers(self) -> list[Number]:
        return [
            *(one for value in self.tensors.values() for one in value.array.ravel().tolist()),
            *self.scalars.values(),
        ]


def data_of(operation: Operation, call: Call) -> Data:
    """The data of a call."""
    given = {
        name: value
        for name, value in call.arguments.items()
        if "tensor" in operation.arguments[name].kinds and not operation.arguments[name].index
    }
    return Data(
        {name: value for name, value in given.items() if isinstance(value, Tensor)},
        {name: value for name, value in given.items() if isinstance(value, int | float)},
        tuple(
            value
            for name, value in call.arguments.items()
            if name not in given and operation.arguments[name].number and isinstance(value, int | float)
        ),
    )


def in_dtype(data: Data, dtype: str, *, accumulates: bool) -> dict[str, Argument] | None:
    """The data in a dtype; None where neither its numbers nor their places fit, a factor does not, or it cannot be written."""
    if not all(_holds(dtype, factor) for factor in data.factors):
        return None
    numbers = data.numbers()
    places = _places(numbers, dtype)
    if _fit(numbers, dtype, accumulates=accumulates):
        places = {}
    elif not _fit([places[number] for number in numbers], dtype, accumulates=accumulates):
        return None
    made: dict[str, Argument] = {name: places.get(number, number) for name, number in data.scalars.items()}
    for name, value in data.tensors.items():
        tensor = _tensor(value, dtype, places)
        if tensor is None:
            return None
        made[name] = tensor
    return made


def _places(numbers: Sequence[Number], dtype: str) -> dict[Number, int]:
    distinct = [number for number in dict.fromkeys(numbers) if number]
    places = {number: place % 2 if dtype == "bool" else place for place, number in enumerate(distinct, 1)}
    return {0: 0, **places}


def _fit(numbers: Sequence[Number], dtype: str, *, accumulates: bool) -> bool:
    if not all(_holds(dtype, number) for number in set(numbers)):
        return False
    if not accumulates or dtype == "bool":
        return True
    whole = all(number == int(number) for number in set(numbers))
    return whole and sum(abs(number) for number in numbers) <= _limit(_PARTS.get(dtype, dtype))


def _limit(dtype: str) -> int:
    return int(np.iinfo(dtype).max) if dtype in INTEGERS else _EXACT[dtype]


def _holds(dtype: str, number: Number) -> bool:
    if not math.isfinite(number):
        return False
    if kind_of(dtype) in ("integer", "bool"):
        low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return number == int(number) and low <= number <= high
    held = np.array(number).astype(numpy_dtype(_PARTS.get(dtype, dtype)))
    return bool(float(held) == number and (isinstance(number, float) or int(held) == number))


def _tensor(value: Tensor, dtype: str, places: Mapping[Number, int]) -> Tensor | None:
    array = value.array
    if places:
        array = np.array([places[number] for number in array.ravel().tolist()], np.int64).reshape(array.shape)
    made = frozen(_cast(array, dtype))
    kept = isinstance(value.written, str) and not places and kind_of(dtype) in ("integer", "float")
    written = value.written if kept else _written(made)
    return None if written is None else Tensor(dtype, made, written)


def _cast(array: Array, dtype: str) -> Array:
    cast = array.astype(numpy_dtype(dtype))
    return cast if kind_of(dtype) != "complex" else cast * numpy_dtype(dtype).type(1 - 1j)


def _written(array: Array) -> Any:
    if array.size and (array == array.flat[0]).all() and array.ndim:
        return f"full({list(array.shape)}, {array.flat[0].item()!r})"
    if array.size > MOST_WRITTEN:
        return None
    return array.tolist() if array.dtype.kind in "iub" else elements(array)
