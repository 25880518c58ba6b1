"""An adapter of the kernels in C, from the library that KERNELS names: each is an API with the name of its function."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from conformance.adapter import Unsupported, api

LIBRARY = ctypes.CDLL(os.environ["KERNELS"])
LIBRARY.malloc.restype = ctypes.c_void_p
LIBRARY.malloc.argtypes = (ctypes.c_size_t,)
SELECTING = (
    *(
        "select_rows",
        "select_backwards",
        "select_in_words",
        "select_one_before",
        "select_one_past",
        "select_without_the_end",
    ),
    *("select_with_one_index_more", "select_with_a_terminator"),
)
ADDING = ("add_rows", "add_backwards", "add_by_columns", "add_one_past")


def describe() -> dict[str, Any]:
    return {"framework": "kernels", "version": "1.0"}


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _allocated(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array in a block of its own: NumPy gives small blocks back that were written before."""
    size = int(np.prod(shape)) * dtype.itemsize
    address = LIBRARY.malloc(max(size, 1))
    block = (ctypes.c_char * size).from_address(address)
    return np.ndarray(shape, dtype, memoryview(block))  # which is never freed, as nothing says when


def _checked(input: np.ndarray, dim: int, index: np.ndarray) -> None:
    if dim != 0 or input.ndim == 0 or index.dtype != np.int64:
        raise Unsupported("the kernels select along the first axis, by int64")
    if not input.flags.c_contiguous or not index.flags.c_contiguous:
        raise Unsupported("the kernels take dense arrays")
    if index.ndim != 1:
        raise ValueError("an index has one axis")


def _refused(position: int) -> None:
    if position:
        raise IndexError(f"index {position - 1} is outside")


def _select(name: str) -> Any:
    kernel = getattr(LIBRARY, name)

    def select(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
        _checked(input, dim, index)
        result = _allocated((index.size, *input.shape[1:]), input.dtype)
        width = input.strides[0] if input.size else 0
        _refused(kernel(*map(_pointer, (result, input, index)), len(input), width, index.size))
        return result

    return select


def _add(name: str) -> Any:
    def add(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, alpha: float = 1) -> np.ndarray:
        _checked(input, dim, index)
        if alpha != 1 or input.dtype.name not in ("float32", "float64", "int32", "int64"):
            raise Unsupported("the kernels add numbers of 4 and 8 bytes as they are")
        if source.dtype != input.dtype or source.shape != (index.size, *input.shape[1:]):
            raise ValueError("source has a row of input for each index")
        kernel = getattr(LIBRARY, f"{name}_{input.dtype.name}")
        source = np.ascontiguousarray(source)
        width = source[0].size if source.size else 0
        _refused(kernel(*map(_pointer, (input, index, source)), len(input), width, index.size))
        return input

    return add


for _name in SELECTING:
    globals()[_name] = api(f"kernels.{_name}", operation="index_select")(_select(_name))
for _name in ADDING:
    globals()[_name] = api(f"kernels.{_name}", operation="index_add", in_place="input")(_add(_name))
