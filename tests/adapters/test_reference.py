"""Properties of the reference that no printed number shows."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.adapters.valid_calls import ALONG, CALLS, MATRIX, RESULTS, SLICES, VECTORS, array, reference

DATA = {"tensor", "updates", "params", "input", "src", "source", "data"}


@pytest.mark.parametrize("operation", CALLS)
def test_every_operation_gives_the_data_dtype_and_leaves_its_arguments_alone(operation: str) -> None:
    arguments = {
        name: value.copy() if isinstance(value, np.ndarray) else value for name, value in CALLS[operation].items()
    }
    result = getattr(reference, operation)(**arguments)
    assert result.dtype == np.float32
    assert result.tolist() == RESULTS[operation]
    for name, value in arguments.items():
        assert not isinstance(value, np.ndarray) or np.array_equal(value, CALLS[operation][name])
        assert not isinstance(value, np.ndarray) or not np.shares_memory(value, result)


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex64"])
def test_every_operation_keeps_the_dtype_of_its_data(operation: str, dtype: str) -> None:
    arguments = {name: value.astype(dtype) if name in DATA else value for name, value in CALLS[operation].items()}
    assert getattr(reference, operation)(**arguments).dtype == dtype


def test_sums_and_products_of_integers_wrap_around_silently() -> None:
    twice = array([[0], [0]])
    hundreds = array([100, 100], "int8")
    assert reference.scatter_nd(twice, hundreds, (1,)).tolist() == [-56]
    assert reference.tensor_scatter_nd_add(array([0], "int8"), twice, hundreds).tolist() == [-56]
    assert reference.scatter_elements(array([100], "int8"), 0, array([0]), hundreds, "add").tolist() == [-56]
    assert reference.scatter_elements(array([100], "int8"), 0, array([0]), hundreds, "multiply").tolist() == [16]
    assert reference.index_add(array([0], "int8"), 0, array([0, 0]), hundreds).tolist() == [-56]
    assert reference.index_add(array([5], "uint8"), 0, array([0]), array([6], "uint8"), -1).tolist() == [255]


def test_a_sum_of_booleans_is_their_disjunction() -> None:
    updates = array([True, True, False], "bool")
    assert reference.scatter_nd(array([[0], [0], [1]]), updates, (3,)).tolist() == [True, False, False]


def test_floats_overflow_and_cancel_infinities_silently() -> None:
    large = array([60000, 60000], "float16")
    assert reference.scatter_nd(array([[0], [0]]), large, (1,)).tolist() == [np.inf]
    opposite = array([np.inf, -np.inf], "float32")
    assert np.isnan(reference.scatter_nd(array([[0], [0]]), opposite, (1,))).all()
    assert reference.scatter_elements(large, 0, array([1]), large, "add").tolist() == [60000, np.inf]


def test_moving_data_keeps_every_bit_of_a_nan() -> None:
    bits = array([0x7FC00001, 0xFFC12345], "uint32")
    nans = bits.view(np.float32)
    assert reference.gather_nd(nans, array([[1]])).view(np.uint32).tolist() == [0xFFC12345]
    assert reference.gather_elements(nans, 0, array([1])).view(np.uint32).tolist() == [0xFFC12345]
    zeros = array([0, 0], "float32")
    updated = reference.tensor_scatter_nd_update(zeros, array([[1], [0]]), nans)
    assert updated.view(np.uint32).tolist() == bits.tolist()[::-1]
    assert reference.index_select(nans, 0, array([1])).view(np.uint32).tolist() == [0xFFC12345]
    copied = reference.index_copy(zeros, 0, array([1, 0]), nans)
    assert copied.view(np.uint32).tolist() == bits.tolist()[::-1]
    scattered = reference.scatter_elements(zeros, 0, array([1, 0]), nans)
    assert scattered.view(np.uint32).tolist() == bits.tolist()[::-1]


def test_every_addition_in_bfloat16_rounds() -> None:
    bits = array([256, 1, 1], "float32").astype(ml_dtypes.bfloat16).view(np.uint16)
    updates = reference.to_native(bits, "bfloat16")
    result, dtype = reference.to_numpy(reference.scatter_nd(array([[0], [0], [0]]), updates, (1,)))
    assert dtype == "bfloat16"
    assert result.dtype == np.uint16
    assert result.view(ml_dtypes.bfloat16).astype(float).tolist() == [256.0]


@pytest.mark.parametrize("operation", CALLS)
def test_every_operation_takes_bfloat16(operation: str) -> None:
    arguments = {
        name: value.astype(ml_dtypes.bfloat16) if name in DATA else value for name, value in CALLS[operation].items()
    }
    result = getattr(reference, operation)(**arguments)
    assert result.dtype == ml_dtypes.bfloat16
    assert result.astype(float).tolist() == RESULTS[operation]


def test_arrays_of_other_dtypes_pass_the_hooks_as_they_are() -> None:
    assert reference.to_native(MATRIX, "float32") is MATRIX
    assert reference.to_numpy(MATRIX) is MATRIX


def test_the_last_of_duplicate_indices_wins() -> None:
    zeros = array([0, 0])
    assert reference.tensor_scatter_nd_update(zeros, array([[1], [1]]), array([7, 9])).tolist() == [0, 9]
    assert reference.scatter_elements(zeros, 0, array([1, 1]), array([7, 9])).tolist() == [0, 9]
    assert reference.index_copy(zeros, 0, array([1, 1]), array([7, 9])).tolist() == [0, 9]


@pytest.mark.parametrize(
    ("reduce", "expected"),
    [
        ("add", [4, 32, 9]),
        ("multiply", [4, 960, 9]),
        ("amax", [4, 20, 9]),
        ("amin", [4, 2, 9]),
        ("mean", [4, 8, 9]),
    ],
)
def test_a_reduction_includes_the_element_of_the_tensor_and_all_duplicates(reduce: str, expected: list[int]) -> None:
    for values in ([6, 20, 2], [20, 2, 6], [2, 6, 20]):
        source = array([*values, 99], "float32")
        result = reference.scatter_elements(array([4, 4, 9], "float32"), 0, array([1, 1, 1]), source, reduce)
        assert result.tolist() == expected


def test_a_mean_counts_what_goes_to_its_own_element_only() -> None:
    source = array([[4, 9], [7, 8]], "float32")
    result = reference.scatter_elements(MATRIX, 0, array([[0, 2], [0, 1]]), source, "mean")
    assert result.tolist() == [[4, 2], [3, 6], [5, 7.5]]


def test_a_mean_of_integers_is_the_largest_integer_that_is_not_greater() -> None:
    result = reference.scatter_elements(array([7, 7]), 0, array([0, 1]), array([-10, 10]), "mean")
    assert result.tolist() == [-2, 8]


def test_the_largest_and_the_smallest_of_nan_are_nan() -> None:
    tensor, source = array([np.nan, 1, 2], "float32"), array([1, np.nan], "float32")
    for reduce in ("amax", "amin"):
        result = reference.scatter_elements(tensor, 0, array([0, 1]), source, reduce)
        assert np.isnan(result).tolist() == [True, True, False]


def test_alpha_multiplies_what_is_added_and_nothing_else() -> None:
    ones = np.ones((2, 2), "float32")
    assert reference.index_add(MATRIX, 0, SLICES, ones, 0.5).tolist() == [[1.5, 2.5], [3, 4], [5.5, 6.5]]
    assert reference.index_add(MATRIX, 0, SLICES, ones, 0).tolist() == MATRIX.tolist()


def test_an_index_may_be_shorter_than_the_input_and_the_source_longer_than_the_index() -> None:
    assert reference.gather_elements(MATRIX, 0, array([[2]])).tolist() == [[5]]
    source = array([[7, 0], [0, 0], [0, 0]], "float32")
    assert reference.scatter_elements(MATRIX, 0, array([[2]]), source).tolist() == [[1, 2], [3, 4], [7, 6]]


def test_an_index_may_be_longer_than_the_input_along_dim() -> None:
    index = array([[1, 0, 1], [0, 0, 0], [1, 1, 1]])
    assert reference.gather_elements(MATRIX, 1, index).tolist() == [[2, 1, 2], [3, 3, 3], [6, 6, 6]]
    source = array([[7, 8, 9]] * 3, "float32")
    assert reference.scatter_elements(MATRIX, 1, index, source).tolist() == [[8, 9], [9, 4], [5, 9]]


def test_a_negative_dim_counts_from_the_last_axis() -> None:
    assert reference.gather_elements(MATRIX, -1, ALONG).tolist() == [[2], [3], [6]]
    scattered = reference.scatter_elements(MATRIX, -2, array([[2, 0]]), array([[7, 8]], "float32"))
    assert scattered.tolist() == [[1, 8], [3, 4], [7, 6]]
    assert reference.index_select(MATRIX, -1, array([1])).tolist() == [[2], [4], [6]]
    column = array([[7], [8], [9]], "float32")
    assert reference.index_copy(MATRIX, -1, array([1]), column).tolist() == [[1, 7], [3, 8], [5, 9]]
    assert reference.index_add(MATRIX, -1, array([1]), column).tolist() == [[1, 9], [3, 12], [5, 15]]


def test_a_scalar_source_takes_the_dtype_of_the_input() -> None:
    result = reference.scatter_elements(array([7], "float32"), 0, array([0]), 1.23, "multiply")
    assert result.dtype == np.float32
    assert result[0] == np.float32(7) * np.float32(1.23) != np.float32(7 * 1.23)


def test_index_vectors_of_length_zero_mean_the_whole_tensor() -> None:
    nothing = np.zeros((2, 0), "int64")
    updates = np.stack([MATRIX, MATRIX])
    assert reference.tensor_scatter_nd_add(MATRIX, nothing, updates).tolist() == (3 * MATRIX).tolist()
    assert reference.gather_nd(MATRIX, nothing).tolist() == updates.tolist()


def test_no_index_changes_nothing() -> None:
    none = array([], "float32")
    assert reference.tensor_scatter_nd_update(MATRIX, np.zeros((0, 2), "int64"), none).tolist() == MATRIX.tolist()
    empty = np.zeros((3, 0), "int64")
    assert reference.gather_elements(MATRIX, 1, empty).shape == (3, 0)
    unchanged = reference.scatter_elements(MATRIX, 1, empty, empty.astype("float32"))
    assert unchanged.tolist() == MATRIX.tolist()
    assert not np.shares_memory(unchanged, MATRIX)
    assert reference.scatter_elements(MATRIX, 1, array([]), array([7]), "add").tolist() == MATRIX.tolist()
    nowhere = array([])
    assert reference.index_select(MATRIX, 1, nowhere).shape == (3, 0)
    assert reference.index_add(MATRIX, 1, nowhere, empty.astype("float32")).tolist() == MATRIX.tolist()
    assert reference.index_copy(MATRIX, 1, nowhere, empty.astype("float32")).tolist() == MATRIX.tolist()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint64"])
def test_indices_of_every_integer_dtype_are_taken(dtype: str) -> None:
    assert reference.gather_nd(MATRIX, VECTORS.astype(dtype)).tolist() == [2, 5]
    assert reference.gather_elements(MATRIX, 1, ALONG.astype(dtype)).tolist() == [[2], [3], [6]]
    assert reference.index_select(MATRIX, 0, SLICES.astype(dtype)).tolist() == [[5, 6], [1, 2]]


@pytest.mark.parametrize("seed", range(10))
def test_the_loops_agree_with_vectorised_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 5, size=3))
    tensor = rng.integers(-50, 50, shape)
    depth = int(rng.integers(1, 4))
    indices = np.stack([rng.integers(0, size, (2, 3)) for size in shape[:depth]], axis=-1)
    where = tuple(np.moveaxis(indices, -1, 0))
    assert np.array_equal(reference.gather_nd(tensor, indices), tensor[where])
    updates = rng.integers(-50, 50, (2, 3, *shape[depth:]))
    summed = tensor.copy()
    np.add.at(summed, where, updates)
    assert np.array_equal(reference.tensor_scatter_nd_add(tensor, indices, updates), summed)
    zeros = np.zeros_like(tensor)
    np.add.at(zeros, where, updates)
    assert np.array_equal(reference.scatter_nd(indices, updates, shape), zeros)
    axis = int(rng.integers(0, 3))
    index = rng.integers(0, shape[axis], shape)
    assert np.array_equal(reference.gather_elements(tensor, axis, index), np.take_along_axis(tensor, index, axis))
    permutation = np.argsort(rng.random(shape), axis=axis)
    put = tensor.copy()
    np.put_along_axis(put, permutation, index, axis)
    assert np.array_equal(reference.scatter_elements(tensor, axis, permutation, index), put)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("axis", range(3))
def test_the_loops_over_slices_agree_with_vectorised_numpy(axis: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tensor = rng.integers(-50, 50, rng.integers(1, 5, size=3))
    index = rng.integers(0, tensor.shape[axis], size=int(rng.integers(1, 7)))
    selected = reference.index_select(tensor, axis, index)
    assert np.array_equal(selected, np.take(tensor, index, axis))
    source = rng.integers(-50, 50, selected.shape)
    where: Any = (slice(None),) * axis + (index,)
    summed = tensor.copy()
    np.add.at(summed, where, 3 * source)
    assert np.array_equal(reference.index_add(tensor, axis, index, source, 3), summed)
    copied = tensor.copy()
    copied[where] = source
    assert np.array_equal(reference.index_copy(tensor, axis, index, source), copied)
