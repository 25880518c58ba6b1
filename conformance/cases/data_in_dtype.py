"""Converts the data of a call to another dtype, with numbers that the dtype represents exactly.

The numbers of the call remain if the dtype represents all of them exactly and, if elements are added, if they are integers
whose sum of magnitudes is exact too. Otherwise each number is replaced by its rank in order of appearance among the
distinct nonzero numbers of the call (1 for the first, 2 for the second; zero remains zero), reduced modulo 2 for bool;
a number in place of a tensor of bool is a truth too.
A complex number n becomes n - ni, so that a lost imaginary part is visible.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.specification.applied import Applied
from conformance.specification.dtypes import INTEGERS, kind_of, numpy_dtype
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.numbers import elements

MOST_WRITTEN = 400
"""The maximum number of elements that are written as lists."""
_EXACT = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}
_PARTS = {"complex64": "float32", "complex128": "float64"}

_PERIODS = range(2, 6)

Number = int | float
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Data:
    """The arguments of a call that hold data: tensors other than indices, and numbers in place of a tensor."""

    tensors: Mapping[str, Tensor]
    scalars: Mapping[str, Number]
    factors: tuple[Number, ...] = ()
    """Other numbers that the result depends on; they remain unchanged."""

    def numbers(self) -> list[Number]:
        return [
            *(number for value in self.tensors.values() for number in _numbers(value.array)),
            *map(_alike, self.scalars.values()),
        ]


def _numbers(array: Array) -> list[Number]:
    return [*map(_alike, array.ravel().tolist())]


def _alike(number: Number) -> Number:
    """The number, or one object for all that are not a number, which a dictionary then finds although none equals itself."""
    return number if number == number else math.nan  # noqa: PLR0124


def data_of(call: Applied) -> Data:
    """The data of a call."""
    data = {
        name: value
        for name, value in call.arguments.items()
        if "tensor" in call.operation.arguments[name].kinds and not call.operation.arguments[name].index
    }
    return Data(
        {name: value for name, value in data.items() if isinstance(value, Tensor)},
        {name: value for name, value in data.items() if isinstance(value, int | float)},
        tuple(
            value
            for name, value in call.arguments.items()
            if name not in data and call.operation.arguments[name].number and isinstance(value, int | float)
        ),
    )


def in_dtype(data: Data, dtype: str, *, accumulates: bool) -> dict[str, Argument] | None:
    """The data in a dtype; None if neither its numbers nor their ranks fit, a factor does not fit, or it is too large."""
    if not all(_represents(dtype, factor) for factor in data.factors):
        return None
    numbers = data.numbers()
    ranks = _ranks(numbers, dtype)
    if _fit(numbers, dtype, accumulates=accumulates):
        ranks = {}
    elif not _fit([ranks[number] for number in numbers], dtype, accumulates=accumulates):
        return None
    converted: dict[str, Argument] = {
        name: _number(ranks.get(_alike(number), number), dtype) for name, number in data.scalars.items()
    }
    for name, value in data.tensors.items():
        tensor = _tensor(value, dtype, ranks)
        if tensor is None:
            return None
        converted[name] = tensor
    return converted


def as_other_bools(data: Data) -> Iterator[dict[str, Argument]]:
    """The data as bool in other ways, in which every second, third, ... element is true, or is false."""
    for period in _PERIODS:
        for rest in (True, False):
            count = itertools.count()
            converted: dict[str, Argument] = {}
            for name, value in data.tensors.items():
                places = np.array([next(count) for _ in range(value.array.size)], np.int64).reshape(value.shape)
                array = frozen((places % period == 0) == rest)
                written = _written(array)
                if written is None:
                    return
                converted[name] = Tensor("bool", array, written)
            yield {**converted, **{name: (next(count) % period == 0) == rest for name in data.scalars}}


def _number(number: Number, dtype: str) -> Number:
    """The number as the dtype has it: beside data of bool, a 1 is of another kind, which is promoted with theirs."""
    return bool(number) if dtype == "bool" else number


def _ranks(numbers: Sequence[Number], dtype: str) -> dict[Number, int]:
    distinct = [number for number in dict.fromkeys(numbers) if number]
    ranks = {number: rank % 2 if dtype == "bool" else rank for rank, number in enumerate(distinct, 1)}
    return {0: 0, **ranks}


def _fit(numbers: Sequence[Number], dtype: str, *, accumulates: bool) -> bool:
    if not all(_represents(dtype, number) for number in set(numbers)):
        return False
    if not accumulates or dtype == "bool":
        return True
    whole = all(number == int(number) for number in set(numbers))
    return whole and sum(abs(number) for number in numbers) <= _limit(_PARTS.get(dtype, dtype))


def _limit(dtype: str) -> int:
    return int(np.iinfo(dtype).max) if dtype in INTEGERS else _EXACT[dtype]


def _represents(dtype: str, number: Number) -> bool:
    if not math.isfinite(number):
        return False
    if kind_of(dtype) in ("integer", "bool"):
        low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return number == int(number) and low <= number <= high
    with np.errstate(over="ignore"):
        cast = np.array(number).astype(numpy_dtype(_PARTS.get(dtype, dtype)))
    return bool(float(cast) == number and (isinstance(number, float) or int(cast) == number))


def _tensor(value: Tensor, dtype: str, ranks: Mapping[Number, int]) -> Tensor | None:
    array = value.array
    if ranks:
        array = np.array([ranks[number] for number in _numbers(array)], np.int64).reshape(array.shape)
    converted = frozen(_cast(array, dtype))
    reuse = isinstance(value.written, str) and not ranks and kind_of(dtype) in ("integer", "float")
    written = value.written if reuse else _written(converted)
    return None if written is None else Tensor(dtype, converted, written)


def _cast(array: Array, dtype: str) -> Array:
    cast = array.astype(numpy_dtype(dtype))
    return cast if kind_of(dtype) != "complex" else np.asarray(cast * numpy_dtype(dtype).type(1 - 1j))


def _written(array: Array) -> Any:
    if array.size and (array == array.flat[0]).all() and array.ndim:
        return f"full({list(array.shape)}, {array.flat[0].item()!r})"
    if array.size > MOST_WRITTEN:
        return None
    return array.tolist() if array.dtype.kind in "iub" else elements(array)
