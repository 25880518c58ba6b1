"""Dtypes by name in the main process, where ml_dtypes provides those that NumPy lacks."""

from __future__ import annotations

from typing import Any, Literal, get_args

import ml_dtypes
import numpy as np

_EXTENDED = {name: getattr(ml_dtypes, name) for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2")}

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
COMPLEX = ("complex64", "complex128")
OF_ANY_CALL = ("bool", *INTEGERS, *FLOATS, *COMPLEX)
"""The dtypes in which any call may be made: few of the numbers of calls are exact in eight bits, which have forms of their own."""
NAMES = (*OF_ANY_CALL, *FLOAT8)

DtypeFamily = Literal["bool", "integer", "float", "complex"]
FAMILIES: tuple[str, ...] = get_args(DtypeFamily)
Kind = Literal[DtypeFamily, "other"]


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of a name; TypeError for an unknown name."""
    dtype: np.dtype[Any] = np.dtype(_EXTENDED.get(name, name))
    return dtype


def kind_of(name: str) -> Kind:
    """The family of a dtype, or ``other``."""
    if name in INTEGERS:
        return "integer"
    if name in (*FLOATS, *FLOAT8):
        return "float"
    if name in COMPLEX:
        return "complex"
    return "bool" if name == "bool" else "other"
