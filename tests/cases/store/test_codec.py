"""What is read is data: objects of listed classes, and nothing that runs."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.cases.store.codec import Codec, Damaged
from conformance.specification.dtypes import NAMES, numpy_dtype


@dataclass(frozen=True)
class Leaf:
    value: Any


@dataclass(frozen=True)
class Pair:
    left: Any
    right: Any = "not stored"


CODEC = Codec([Leaf, Pair])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text(), inner)
        | st.frozensets(st.text())
        | inner.map(Leaf)
        | st.builds(Pair, inner, inner)
    ),
)


@given(VALUES)
def test_what_is_read_is_what_was_written(value: object) -> None:
    read = CODEC.unpacked(CODEC.packed(value, {}), {})
    assert read == value
    assert type(read) is type(value)


def test_numbers_that_are_not_equal_to_themselves_or_have_a_sign_are_kept() -> None:
    nan, zero = CODEC.unpacked(CODEC.packed([math.nan, -0.0], {}), {})
    assert math.isnan(nan)
    assert math.copysign(1, zero) == -1


@pytest.mark.parametrize("dtype", NAMES)
def test_arrays_have_the_same_bits(dtype: str) -> None:
    array = np.arange(6).astype(numpy_dtype(dtype)).reshape(2, 3).T
    read = CODEC.unpacked(CODEC.packed(array, {}), {})
    assert (read.dtype, read.shape, read.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert not read.flags.writeable


def test_an_object_that_two_others_have_is_one_again() -> None:
    leaf = Leaf([1])
    first, second = CODEC.unpacked(CODEC.packed([Pair(leaf, leaf), leaf], {}), {})
    assert first.left is first.right is second


def test_an_object_that_the_reader_has_is_named() -> None:
    shared = Leaf("of the specs")
    data = CODEC.packed(Pair(shared, 1), {("leaf",): shared})
    mine = Leaf("of the reader")
    assert CODEC.unpacked(data, {("leaf",): mine}).left is mine
    with pytest.raises(Damaged):
        CODEC.unpacked(data, {})


def test_fields_that_are_not_stored_have_their_default() -> None:
    codec = Codec([Pair], fields_of={Pair: 1})
    assert codec.unpacked(codec.packed(Pair(1, 2), {}), {}) == Pair(1)


@pytest.mark.parametrize("value", [object(), {1, 2}, Codec, print, np.float32(1)])
def test_other_objects_are_not_written(value: object) -> None:
    with pytest.raises(TypeError, match="not among the classes that are stored"):
        CODEC.packed(value, {})


class _Touches:
    """What a pickle could be made to do."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self._path, "w")


@pytest.mark.parametrize(
    "node",
    [
        [],
        [99, 1],
        [-1],
        ["open", "file"],
        [6, 0],
        [7, "open"],
        [8],
        [8, 1, 2, 3],
        [5, "object", [1], b"12345678"],
        [5, "O", [1], b"12345678"],
        [5, "int64", [2], b"12345678"],
        [4, "__import__('os')"],
        [8, [8, [8, [99]]]],
    ],
)
def test_bytes_that_no_codec_wrote_are_refused(node: list[Any]) -> None:
    with pytest.raises(Damaged):
        CODEC.unpacked(msgspec.msgpack.encode(node), {})


def test_a_pickle_is_refused_and_does_not_run(tmp_path: Any) -> None:
    file = tmp_path / "made"
    data = pickle.dumps(_Touches(str(file)))
    with pytest.raises(Damaged):
        CODEC.unpacked(data, {})
    assert not file.exists()
    pickle.loads(data).close()
    assert file.exists()


@pytest.mark.parametrize("value", [{"a": 1}, msgspec.msgpack.Ext(3, b"x"), datetime.now(UTC)])
def test_what_else_the_format_may_hold_is_refused(value: object) -> None:
    for node in (value, [1, value], [8, value], [2, "key", value]):
        with pytest.raises(Damaged):
            CODEC.unpacked(msgspec.msgpack.encode(node), {})


@given(st.binary(max_size=60))
def test_any_other_bytes_give_data_or_are_refused(data: bytes) -> None:
    try:
        value = CODEC.unpacked(data, {})
    except Damaged:
        return
    assert isinstance(
        value,
        None.__class__ | bool | int | float | str | bytes | list | tuple | dict | frozenset | Leaf | Pair | np.ndarray,
    )
