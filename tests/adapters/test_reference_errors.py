"""The reference raises for what the documents call an error, and says which rule was broken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.adapters.valid_calls import CALLS, MATRIX, VECTORS, array, reference

Change = dict[str, Any]


def assert_refused(operation: str, change: Change, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        getattr(reference, operation)(**{**CALLS[operation], **change})
    assert type(caught.value) is error


SCATTERS = ["tensor_scatter_nd_update", "tensor_scatter_nd_add", "tensor_scatter_nd_reduce", "scatter_nd"]
VECTOR_OPERATIONS = [*SCATTERS, "gather_nd"]
ELEMENT_OPERATIONS = ["gather_elements", "scatter_elements"]
SLICE_WRITES = ["index_copy", "index_add", "index_reduce"]
SLICE_OPERATIONS = ["index_select", "index_fill", *SLICE_WRITES]
FLAT_OPERATIONS = ["take"]


@pytest.mark.parametrize("operation", VECTOR_OPERATIONS)
@pytest.mark.parametrize("component", [-1, 2, 3, 2**31])
def test_an_index_vector_that_points_outside_is_an_index_error(operation: str, component: int) -> None:
    indices = array([[0, 1], [2, component]])
    assert_refused(
        operation,
        {"indices": indices},
        IndexError,
        f"index {component} is out of bounds for axis 1 of size 2",
    )


@pytest.mark.parametrize("operation", ELEMENT_OPERATIONS)
@pytest.mark.parametrize("value", [-1, 2, 2**40])
def test_an_index_along_an_axis_that_points_outside_is_an_index_error(operation: str, value: int) -> None:
    index = array([[1], [value], [1]])
    assert_refused(operation, {"index": index}, IndexError, f"index {value} is out of bounds for axis 1 of size 2")


@pytest.mark.parametrize("operation", SLICE_OPERATIONS)
@pytest.mark.parametrize("value", [-1, 3, 2**40])
def test_an_index_of_a_slice_that_points_outside_is_an_index_error(operation: str, value: int) -> None:
    change = {"index": array([2, value])}
    assert_refused(operation, change, IndexError, f"index {value} is out of bounds for axis 0 of size 3")


@pytest.mark.parametrize("operation", FLAT_OPERATIONS)
@pytest.mark.parametrize("value", [-1, 6, 2**40])
def test_an_index_that_counts_more_elements_than_there_are_is_an_index_error(operation: str, value: int) -> None:
    change = {"index": array([[5, 0], [2, value]])}
    assert_refused(operation, change, IndexError, f"index {value} is out of bounds for 6 elements")


@pytest.mark.parametrize("operation", VECTOR_OPERATIONS)
@pytest.mark.parametrize("dtype", ["float32", "bool", "complex64"])
def test_index_vectors_that_are_no_integers_are_a_type_error(operation: str, dtype: str) -> None:
    assert_refused(operation, {"indices": VECTORS.astype(dtype)}, TypeError, f"indices has dtype {dtype}")


@pytest.mark.parametrize("operation", [*ELEMENT_OPERATIONS, *SLICE_OPERATIONS, *FLAT_OPERATIONS])
@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_an_index_that_is_no_integer_is_a_type_error(operation: str, dtype: str) -> None:
    index = CALLS[operation]["index"].astype(dtype)
    assert_refused(operation, {"index": index}, TypeError, f"index has dtype {dtype}")


@pytest.mark.parametrize("operation", SCATTERS)
def test_scattering_needs_indices_of_rank_two(operation: str) -> None:
    change = {"indices": array([2, 0]), "updates": array(7, "float32")}
    assert_refused(operation, change, ValueError, "indices has rank 1, which is less than 2")


def test_gathering_vectors_needs_indices_of_rank_one() -> None:
    assert reference.gather_nd(MATRIX, array([2, 0])).tolist() == 5
    assert_refused("gather_nd", {"indices": array(0)}, ValueError, "indices has rank 0, which is less than 1")


@pytest.mark.parametrize("operation", VECTOR_OPERATIONS)
def test_index_vectors_longer_than_the_rank_are_a_value_error(operation: str) -> None:
    assert_refused(operation, {"indices": array([[0, 0, 0]])}, ValueError, "length 3, more than rank 2")


@pytest.mark.parametrize("operation", SCATTERS)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 1), (1, 2)])
def test_updates_of_another_shape_are_a_value_error(operation: str, shape: tuple[int, ...]) -> None:
    assert_refused(operation, {"updates": np.ones(shape, "float32")}, ValueError, r"updates has shape .*, not \(2,\)")


@pytest.mark.parametrize("operation", SCATTERS)
def test_updates_of_slices_have_the_shape_of_the_slices(operation: str) -> None:
    change = {"indices": array([[0], [2]]), "updates": np.ones((2, 1), "float32")}
    assert_refused(operation, change, ValueError, r"updates has shape \(2, 1\), not \(2, 2\)")


@pytest.mark.parametrize("shape", [[3, 2], array([3, 2]), 6, None, (3.0, 2.0), ("3", "2")])
def test_an_output_shape_that_is_no_tuple_of_ints_is_a_type_error(shape: Any) -> None:
    assert_refused("scatter_nd", {"shape": shape}, TypeError, "not a tuple of ints")


@pytest.mark.parametrize("shape", [(0, 2), (3, 0), (-1, 2)])
def test_an_output_shape_with_an_element_less_than_one_is_a_value_error(shape: tuple[int, ...]) -> None:
    change = {"shape": shape, "indices": np.zeros((0, 2), "int64"), "updates": np.zeros(0, "float32")}
    assert_refused("scatter_nd", change, ValueError, "element less than 1")


def test_an_empty_output_shape_is_a_value_error() -> None:
    change = {"shape": (), "indices": np.zeros((2, 0), "int64")}
    assert_refused("scatter_nd", change, ValueError, "shape is empty")


@pytest.mark.parametrize("operation", ELEMENT_OPERATIONS)
@pytest.mark.parametrize("index", [array(0), array([0]), array([[[0]]])])
def test_an_index_of_another_rank_than_the_input_is_a_value_error(operation: str, index: Any) -> None:
    assert_refused(
        operation,
        {"index": index.astype("int64")},
        ValueError,
        f"index has rank {index.ndim} and input has rank 2",
    )


def test_an_empty_index_of_another_rank_than_the_input_reads_nothing() -> None:
    result = reference.gather_elements(MATRIX, 7, array([]))
    assert (result.shape, result.dtype) == ((0,), MATRIX.dtype)


@pytest.mark.parametrize("operation", ELEMENT_OPERATIONS)
def test_an_index_longer_than_the_input_along_another_axis_is_a_value_error(operation: str) -> None:
    change = {"index": array([[0], [0], [0], [0]])}
    assert_refused(operation, change, ValueError, "index is longer than input along axis 0")


@pytest.mark.parametrize("operation", SLICE_WRITES)
@pytest.mark.parametrize("index", [array(0), array([[2, 0]]), array([[2], [0]])])
def test_an_index_of_slices_that_is_no_vector_is_a_value_error(operation: str, index: Any) -> None:
    assert_refused(operation, {"index": index}, ValueError, f"index has rank {index.ndim}, not 1")


@pytest.mark.parametrize("operation", SLICE_WRITES)
@pytest.mark.parametrize("shape", [(), (2,), (1, 2), (3, 2), (2, 1), (2, 3), (4,), (1, 2, 2)])
def test_a_source_of_another_shape_than_its_slices_is_a_value_error(operation: str, shape: tuple[int, ...]) -> None:
    assert_refused(operation, {"source": np.ones(shape, "float32")}, ValueError, r"source has shape .*, not \(2, 2\)")


@pytest.mark.parametrize("operation", [*ELEMENT_OPERATIONS, *SLICE_OPERATIONS])
@pytest.mark.parametrize("dim", [2, -3])
def test_a_dim_outside_the_rank_is_an_index_error(operation: str, dim: int) -> None:
    assert_refused(operation, {"dim": dim}, IndexError, f"dim {dim} is out of range for rank 2")


def test_a_source_that_does_not_reach_as_far_as_the_index_is_a_value_error() -> None:
    short = array([[7], [8]], "float32")
    assert_refused("scatter_elements", {"src": short}, ValueError, "index is longer than src along axis 0")
    flat = array([7, 8, 9], "float32")
    assert_refused("scatter_elements", {"src": flat}, ValueError, "src has rank 1 and index has rank 2")


def test_another_reduction_is_a_value_error() -> None:
    assert_refused("scatter_elements", {"reduce": "median"}, ValueError, "reduce is 'median'")


@pytest.mark.parametrize("value", [3, 2**40])
def test_a_segment_id_past_the_end_is_an_index_error(value: int) -> None:
    change = {"segment_ids": array([1, value, 0])}
    assert_refused(
        "unsorted_segment_reduce", change, IndexError, f"index {value} is out of bounds for axis 0 of size 3"
    )


@pytest.mark.parametrize("ids", [[1, 0], [1, 0, 1, 2], [[1], [0], [1]]])
def test_segment_ids_that_do_not_begin_the_data_are_a_value_error(ids: list[Any]) -> None:
    assert_refused("unsorted_segment_reduce", {"segment_ids": array(ids)}, ValueError, "segment_ids has shape")


def test_a_negative_number_of_segments_is_a_value_error() -> None:
    assert_refused("unsorted_segment_reduce", {"num_segments": -1}, ValueError, "num_segments is -1")


def test_segment_ids_that_are_no_integers_are_a_type_error() -> None:
    change = {"segment_ids": array([1, 0, 1], "float32")}
    assert_refused("unsorted_segment_reduce", change, TypeError, "segment_ids has dtype float32")


@pytest.mark.parametrize(("reduce", "dtype"), [("mean", "int32"), ("amax", "complex64"), ("amin", "complex64")])
def test_means_of_integers_and_comparisons_of_complex_numbers_are_a_type_error(reduce: str, dtype: str) -> None:
    change = {"data": MATRIX.astype(dtype), "reduce": reduce}
    assert_refused("unsorted_segment_reduce", change, TypeError, "fractions|not ordered")


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"segment_ids": array([[1, 1, 3]])}, ValueError, "segment_ids has rank 2, not 1"),
        ({"segment_ids": array([1, 3])}, ValueError, "segment_ids has length 2, not 3"),
        ({"segment_ids": array([1, 3, 2])}, ValueError, "not in ascending order"),
        ({"segment_ids": array([-1, 0, 2])}, ValueError, "segment id -1 is negative"),
        ({"segment_ids": array([1, 1, 3], "float32")}, TypeError, "segment_ids has dtype float32"),
        ({"data": array(3, "float32")}, ValueError, "data has no axes"),
        ({"data": MATRIX.astype("complex64"), "reduce": "amin"}, TypeError, "not ordered"),
    ],
)
def test_segments_that_cannot_be_reduced_are_told(change: dict[str, Any], error: type[Exception], said: str) -> None:
    assert_refused("segment_reduce", change, error, said)
