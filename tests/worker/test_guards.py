"""Guard zones around arguments: what is written there is seen, and where, and so is a result that shows their contents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from conformance.adapter import Api
from conformance.worker.adapters import Adapter
from conformance.worker.calls import run
from conformance.worker.guards import Guarded, guarded, nearest, read

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "float16",
    "int32",
    "float32",
    "int64",
    "float64",
    "complex64",
    "complex128",
]
TOLD = [dtype for dtype in DTYPES if np.dtype(dtype).itemsize > 2]
"""Dtypes whose zones have a value for each distance."""


def _array(dtype: str, *shape: int) -> np.ndarray:
    return np.ones(shape or (2, 3), dtype)


def _memory(guards: Guarded) -> np.ndarray:
    """The array and its zones as elements of one axis."""
    return np.frombuffer(guards.memory, guards.array.dtype)


def _start(guards: Guarded) -> int:
    return len(guards.zones.before) // guards.array.itemsize


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 4), (300, 40)], ids=str)
def test_an_array_has_its_elements_and_whole_zones(dtype: str, shape: tuple[int, ...]) -> None:
    array = _array(dtype, *shape) if shape else np.ones((), dtype)
    guards = guarded(array)
    assert np.array_equal(guards.array, array)
    assert guards.array.dtype == dtype
    assert guards.array.flags.writeable
    assert not guards.written()
    guards.array[...] = 0
    assert not guards.written()


def test_an_array_is_aligned_so_that_xla_takes_its_memory_without_a_copy() -> None:
    addresses = [guarded(np.ones(size, np.int8)).array.__array_interface__["data"][0] for size in range(1, 100)]
    assert {address % 64 for address in addresses} == {0}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3), (300, 40)], ids=str)
def test_the_nearest_element_that_was_written_beside_an_array_is_told(dtype: str, shape: tuple[int, ...]) -> None:
    guards = guarded(_array(dtype, *shape))
    memory, start, size = _memory(guards), _start(guards), guards.array.size
    memory[start + size + 4] = 0
    assert guards.written() == [5]
    memory[start + size] = 0
    assert guards.written() == [1]
    memory[start - 3] = 0
    assert guards.written() == [-3, 1]


@pytest.mark.parametrize("dtype", TOLD)
@pytest.mark.parametrize("side", [-1, 1])
def test_a_result_that_shows_an_element_beside_an_array_tells_which(dtype: str, side: int) -> None:
    array = _array(dtype)
    first, second = (nearest(np.dtype(dtype), place, side, 3)[0 if side < 0 else 2] for place in (0, 1))
    guards = [("input", guarded(array, 0)), ("source", guarded(array, 1))]
    for name, value in (("input", first), ("source", second)):
        result = np.array([1, value, 1], dtype)
        assert read(result, guards, [array]) == [(name, 3 * side)]


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bool"])
def test_what_is_added_to_an_element_beside_an_array_changes_it(dtype: str) -> None:
    guards = guarded(_array(dtype))
    memory, start = _memory(guards), _start(guards)
    memory[start - 1] += np.array(1).astype(dtype)
    memory[start + guards.array.size] += np.array(0.125 if np.dtype(dtype).kind in "fc" else 1).astype(dtype)
    assert guards.written() == [-1, 1]


@pytest.mark.parametrize("dtype", ["int16", "float16"])
def test_a_dtype_of_two_bytes_tells_the_argument_alone(dtype: str) -> None:
    [beside] = nearest(np.dtype(dtype), 0, 1, 1)
    array = _array(dtype)
    assert read(np.array([beside], dtype), [("input", guarded(array))], [array]) == [("input", None)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_result_of_other_numbers_shows_nothing(dtype: str) -> None:
    array = np.arange(90, 96).astype(dtype)
    guards = [("input", guarded(array, 0)), ("index", guarded(np.arange(6), 1))]
    assert not read(array, guards, [array])
    with np.errstate(over="ignore"):
        others = np.arange(0, 900_000, 10_000).astype(dtype)
    assert not read(others, guards, [array])


def test_an_element_that_the_call_was_given_is_its_own() -> None:
    array = nearest(np.dtype("float32"), 0, 1, 2).copy()
    assert not read(array, [("input", guarded(array))], [array])


def test_arguments_have_different_zones() -> None:
    zones = {bytes(guarded(_array("float32"), place).zones.behind) for place in range(4)}
    assert len(zones) == 4


def _past(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    memory = np.lib.stride_tricks.as_strided(params, (params.size + 1,), (params.itemsize,))
    memory[params.size] = 7
    return np.take(params, indices)


def _reads(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return np.take(np.lib.stride_tricks.as_strided(params, (9,), (params.itemsize,)), indices)


def _outcome(function: Callable[..., np.ndarray], indices: list[int]) -> dict[str, object]:
    adapter = Adapter(
        "own.py", [Api("own", "take", function)], dict, lambda *_: None, lambda array, _: array, lambda value: value
    )
    arguments = {"params": (np.arange(4.0), "float64"), "indices": (np.array(indices), "int64")}
    return run(adapter, adapter.apis[0], arguments)[0]


def test_a_call_that_writes_or_reads_past_its_argument_says_so() -> None:
    assert _outcome(_past, [0])["outside"] == [{"argument": "params", "access": "wrote", "distance": 1}]
    assert _outcome(_reads, [0, 5])["outside"] == [{"argument": "params", "access": "read", "distance": 2}]
    assert "outside" not in _outcome(_reads, [0, 3])


def test_memory_beside_an_argument_no_longer_looks_like_a_zone_after_the_call() -> None:
    beside = []

    def kept(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
        beside.append(np.lib.stride_tricks.as_strided(params, (9,), (params.itemsize,))[4:])
        return np.take(params, indices)

    _outcome(kept, [0])
    assert not beside[0].any()


def test_a_call_that_fails_after_it_wrote_past_its_argument_says_so() -> None:
    outcome = _outcome(_past, [5])
    assert outcome["status"] == "raised"
    assert outcome["outside"] == [{"argument": "params", "access": "wrote", "distance": 1}]
