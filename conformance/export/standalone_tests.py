"""Tests of your own functions with exported cases. Needs NumPy and pytest alone, and ml_dtypes for bfloat16.

    CONFORMANCE_MODULE=mine pytest test_cases.py

The module, in the current folder or installed, has a function for each operation that it implements, with the operation's name
and arguments: tensors are NumPy arrays, a shape is a tuple, and an argument that is left out is missing. It raises any exception
for an invalid call, and NotImplementedError for a form that it does not have, which is skipped.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parent
TENSORS = np.load(FOLDER / "tensors.npz")
LINES = (FOLDER / "cases.jsonl").read_text(encoding="utf-8").splitlines()[1:]  # the first line is about the file
CASES = [case for case in map(json.loads, LINES) if "observed" not in case["expected"] or case.get("outside")]
ZONE = bytes([0xDA]) * 4096
MODULE = os.environ.get("CONFORMANCE_MODULE", "mine")
sys.path.insert(0, str(Path.cwd()))  # as `python -m pytest` does, and `pytest` does not
FUNCTIONS = importlib.import_module(MODULE)


def argument(value: Any) -> Any:
    """An argument as it is passed."""
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return np.array(TENSORS[value["tensor"]]).view(dtype_of(value["dtype"]))
    return tuple(value["tuple"]) if "tuple" in value else float(value["float"])


def dtype_of(name: str) -> np.dtype[Any]:
    """NumPy's dtype of this name, or that of ml_dtypes."""
    try:
        return np.dtype(name)
    except TypeError:
        scalar: type[Any] = getattr(pytest.importorskip("ml_dtypes"), name)
        return np.dtype(scalar)


def guarded(array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], bytearray]:
    """A copy between two zones that no call may write, and the memory of all three."""
    memory = bytearray(ZONE + array.tobytes() + ZONE)
    return np.ndarray(array.shape, array.dtype, memory, len(ZONE)), memory


def call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """The result of a call, whose arguments must not change, nor what lies next to them."""
    given = {name: argument(value) for name, value in arguments.items()}
    before = {name: value.tobytes() for name, value in given.items() if isinstance(value, np.ndarray)}
    memories = {}
    for name in before:
        given[name], memories[name] = guarded(given[name])
    try:
        result = function(**given)
    except NotImplementedError as error:
        pytest.skip(f"not implemented: {error}")
    finally:
        for name, memory in memories.items():
            if not memory.startswith(ZONE) or not memory.endswith(ZONE):
                pytest.fail(f"the call wrote {'past the end of' if memory.startswith(ZONE) else 'before'} {name}")
    if {name: given[name].tobytes() for name in before} != before:
        pytest.fail("the call changed an argument")
    return result


def valid_call(function: Callable[..., Any], case: dict[str, Any], arguments: dict[str, Any]) -> Any:
    """The result of a call that returns, unless the function does not take a dtype or form that need not be taken."""
    try:
        return call(function, arguments)
    except Exception as error:
        if case["may_refuse"]:
            pytest.skip(f"does not take the dtype or form: {error}")
        raise


def differing(expected: dict[str, Any], result: Any) -> Any:
    """The row-major positions of elements that differ from what is expected."""
    array, got = argument(expected).reshape(-1), np.ascontiguousarray(result).reshape(-1)
    same = (array == got) | ((array != array) & (got != got))  # noqa: PLR0124 - NaN
    bound = TENSORS[expected["bounds"]].reshape(-1) if "bounds" in expected else expected["within"]
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    if np.any(bound):
        with np.errstate(all="ignore"):
            same |= np.abs(array.astype(wide) - got.astype(wide)) <= bound
    elif len(array) and not expected["accumulates"] and array.dtype.kind in "fcV":
        bits = array.view(np.uint8).reshape(len(array), -1) == got.view(np.uint8).reshape(len(array), -1)
        same &= bits.all(axis=1) | (array != array)  # noqa: PLR0124
    if "writes" in expected:  # any value that is written to a position may remain
        positions, values = (TENSORS[expected["writes"][name]] for name in ("positions", "values"))
        same[positions[values.view(got.dtype) == got[positions]]] = True
    return np.flatnonzero(~same)


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_the_function_does_what_is_documented(case: dict[str, Any]) -> None:
    function = getattr(FUNCTIONS, case["operation"], None)
    if function is None:
        pytest.skip(f"{MODULE} has no function {case['operation']}")
    claims = "".join(f"\n  {claim['document']}#{claim['locator']}: {claim['says']}" for claim in case["claims"])
    expected = case["expected"].get("returns")
    if "observed" in case["expected"]:  # it may return anything and raise anything, but not write outside its arguments
        with contextlib.suppress(Exception):
            call(function, case["arguments"])
        return
    if expected is None:
        if case["expected"]["control"] is not None:
            valid_call(function, case, case["expected"]["control"])
        with pytest.raises(Exception):  # noqa: B017, PT011 - of any type
            call(function, case["arguments"])
        return
    result = valid_call(function, case, case["arguments"])
    assert (str(result.dtype), list(result.shape)) == (expected["dtype"], expected["shape"]), case["states"] + claims
    wrong = differing(expected, result)
    assert not len(wrong), f"elements {wrong[:5].tolist()} differ: {case['states']}{claims}"
