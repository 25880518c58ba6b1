"""A view holds the elements that it is asked to hold, and what lies around it is watched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.specification import literals as spelled
from conformance.worker.views import VIEWS, BufferView, build

SAME = np.full([2, 3], 7, np.int32)
ARRAYS = {
    "transposed": np.arange(6, dtype=np.int32).reshape(2, 3),
    "strided": np.arange(6, dtype=np.int32).reshape(2, 3),
    "offset": np.arange(6, dtype=np.int32).reshape(2, 3),
    "expanded": np.array([[1], [2]], np.int32).repeat(3, axis=1),
    "loose": np.arange(6, dtype=np.int32).reshape(1, 6, 1),
    "empty": np.zeros([0, 3], np.int32),
}


def _strides(viewed: BufferView) -> tuple[int, ...]:
    return tuple(step // viewed.array.itemsize for step in viewed.array.strides)


def test_the_worker_builds_every_view_that_a_spec_can_name() -> None:
    assert set(VIEWS) == set(spelled.VIEWS) == set(ARRAYS)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_the_elements_that_were_given(view: str) -> None:
    viewed = build(ARRAYS[view], view)
    assert viewed.array.tolist() == ARRAYS[view].tolist()
    assert viewed.array.shape == ARRAYS[view].shape
    assert viewed.array.base is not None
    assert not viewed.written()


@pytest.mark.parametrize(
    ("view", "strides"),
    [("transposed", (1, 2)), ("strided", (12, 2)), ("offset", (5, 1)), ("expanded", (1, 0)), ("loose", (7, 1, 9))],
)
def test_a_view_has_strides_of_its_own(view: str, strides: tuple[int, ...]) -> None:
    assert _strides(build(ARRAYS[view], view)) == strides


def test_what_is_the_same_along_every_axis_is_one_element() -> None:
    viewed = build(SAME, "expanded")
    assert _strides(viewed) == (0, 0)
    assert viewed.base is not None
    assert viewed.base.size == 1


@pytest.mark.parametrize("view", ["strided", "offset", "empty"])
def test_a_change_around_a_view_is_seen(view: str) -> None:
    viewed = build(ARRAYS[view], view)
    assert viewed.base is not None
    viewed.base.flat[viewed.base.size - 1] += 1
    assert viewed.written()


@pytest.mark.parametrize("view", ["transposed", "strided", "offset", "expanded", "loose"])
def test_a_change_of_the_view_itself_is_none_around_it(view: str) -> None:
    viewed = build(ARRAYS[view], view)
    viewed.array[...] = 3
    assert not viewed.written()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "complex128"])
def test_a_view_keeps_the_dtype(dtype: str) -> None:
    array: Any = np.array([[1, 0, 1], [0, 0, 1]]).astype(dtype)
    assert build(array, "strided").array.dtype == dtype


def test_an_array_of_its_own_is_a_copy_with_nothing_around_it() -> None:
    viewed = build(SAME, None)
    assert viewed.array.flags.c_contiguous
    assert not np.shares_memory(viewed.array, SAME)
    assert not viewed.written()
