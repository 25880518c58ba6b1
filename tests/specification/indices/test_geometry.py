"""Which positions an index means, worked out by hand for each form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.specification.indices.geometry import OUTSIDE, IndexGeometry, geometry_of
from conformance.specification.indices.kinds import (
    RESULT,
    Along,
    Elements,
    Flat,
    Indexing,
    Labels,
    Mask,
    Vectors,
)
from conformance.specification.literals import argument

VECTORS = Vectors("target")
ELEMENTS = Elements("target", "dim")
SLICES = Along("target", "dim")
FLAT = Flat("target")
MATRIX = {"int32": "zeros([2, 3])"}
"""Its elements are numbered 0 1 2 and 3 4 5."""


def _geometry(
    indexing: Indexing, index: Any, target: Any = MATRIX, dim: Any = 1, dtype: str = "int64"
) -> IndexGeometry:
    geometry = _geometry_or_none(indexing, {dtype: index}, target, dim)
    assert geometry is not None
    return geometry


def _geometry_or_none(indexing: Indexing, index: Any, target: Any = MATRIX, dim: Any = 1) -> IndexGeometry | None:
    values = {"index": argument(index), "target": argument(target), "dim": dim}
    return geometry_of(indexing, "index", values)


@pytest.mark.parametrize(
    ("indexing", "index", "dim", "bounds", "positions"),
    [
        (VECTORS, [[1, 2], [0, 0]], 1, (2, 3), [5, 0]),
        (VECTORS, [[1], [0]], 1, (2,), [[3, 4, 5], [0, 1, 2]]),
        (VECTORS, [1], 1, (2,), [3, 4, 5]),
        (VECTORS, [[[1]], [[0]]], 1, (2,), [[[3, 4, 5]], [[0, 1, 2]]]),
        (ELEMENTS, [[2, 0], [1, 1]], 1, (3,), [[2, 0], [4, 4]]),
        (ELEMENTS, [[2]], -1, (3,), [[2]]),
        (ELEMENTS, [[1, 0, 1]], 0, (2,), [[3, 1, 5]]),
        (ELEMENTS, [[1], [0], [1]], -2, (2,), [[3], [0], [3]]),
        (SLICES, [2, 0], 1, (3,), [[2, 0], [5, 3]]),
        (SLICES, [1, 1, 0], -2, (2,), [[3, 4, 5], [3, 4, 5], [0, 1, 2]]),
        (SLICES, 2, 1, (3,), [2, 5]),
        (SLICES, [[0, 2]], 1, (3,), [[[0, 2]], [[3, 5]]]),
        (FLAT, [5, 0], 1, (6,), [5, 0]),
        (FLAT, [[4], [4]], 0, (6,), [[4], [4]]),
        (FLAT, 3, 0, (6,), 3),
    ],
)
def test_each_index_means_these_positions(
    indexing: Indexing, index: Any, dim: int, bounds: tuple[int, ...], positions: Any
) -> None:
    geometry = _geometry(indexing, index, dim=dim)
    assert geometry.fits
    assert geometry.bounds == bounds
    assert geometry.positions.tolist() == positions
    assert geometry.taken == np.shape(positions)


def _batched(indexing: Indexing, index: Any, target: Any, paired: Any, dim: int = 1) -> IndexGeometry | None:
    values = {"index": argument({"int64": index}), "target": argument(target), "dim": dim, "paired": paired}
    return geometry_of(indexing, "index", values)


BATCHED_VECTORS = Vectors("target", batched="paired")
BATCHED_SLICES = Along("target", "dim", batched="paired")


@pytest.mark.parametrize(
    ("indexing", "index", "paired", "dim", "bounds", "positions"),
    [
        (BATCHED_VECTORS, [[2], [0]], 1, 0, (3,), [2, 3]),
        (BATCHED_VECTORS, [[[2], [1]], [[0], [0]]], 1, 0, (3,), [[2, 1], [3, 3]]),
        (BATCHED_VECTORS, [[1, 2], [0, 0]], 0, 0, (2, 3), [5, 0]),
        (BATCHED_SLICES, [2, 0], 1, 1, (3,), [2, 3]),
        (BATCHED_SLICES, [[2, 1], [0, 0]], 1, 1, (3,), [[2, 1], [3, 3]]),
        (BATCHED_SLICES, [[2, 1], [0, 0]], -1, 1, (3,), [[2, 1], [3, 3]]),
        (BATCHED_SLICES, [1, 0], 0, 0, (2,), [[3, 4, 5], [0, 1, 2]]),
    ],
)
def test_an_index_of_a_batch_means_positions_in_the_part_at_its_own_place(
    indexing: Indexing, index: Any, paired: int, dim: int, bounds: tuple[int, ...], positions: Any
) -> None:
    geometry = _batched(indexing, index, MATRIX, paired, dim)
    assert geometry is not None
    assert geometry.fits
    assert geometry.bounds == bounds
    assert geometry.positions.tolist() == positions
    assert geometry.taken == np.shape(positions)


def test_axes_between_the_batch_and_the_indexed_one_stay_before_those_of_the_index() -> None:
    target = {"int32": "zeros([2, 3, 4])"}
    geometry = _batched(BATCHED_SLICES, [[3, 0], [1, 1]], target, 1, dim=2)
    assert geometry is not None
    array = np.arange(24).reshape(2, 3, 4)
    expected = np.stack([np.take(array[0], [3, 0], 1), np.take(array[1], [1, 1], 1)])
    np.testing.assert_array_equal(geometry.positions, expected)
    assert geometry.rows(geometry.positions).tolist() == [[3, 7, 11], [0, 4, 8], [13, 17, 21], [13, 17, 21]]


@pytest.mark.parametrize(
    ("index", "paired"),
    [([[2, 1]], 1), ([[2, 1], [0, 0], [1, 1]], 1), ([[1, 0], [0, 0]], 2)],
)
def test_a_batch_that_does_not_match_or_has_the_indexed_axis_does_not_fit(index: Any, paired: int) -> None:
    geometry = _batched(BATCHED_SLICES, index, MATRIX, paired)
    assert geometry is not None
    assert not geometry.fits


@pytest.mark.parametrize("paired", [3, -3, True, None])
def test_a_number_of_batch_axes_that_is_none_means_nothing(paired: Any) -> None:
    assert _batched(BATCHED_SLICES, [[2, 1], [0, 0]], MATRIX, paired) is None


def test_an_index_vector_of_a_batch_has_an_axis_that_does_not_pair() -> None:
    assert _batched(BATCHED_VECTORS, [[2], [0]], MATRIX, 2) is None


def test_the_same_index_in_two_parts_of_a_batch_is_no_duplicate() -> None:
    different, same = (_batched(BATCHED_SLICES, index, MATRIX, 1) for index in ([[1], [1]], [[1, 1], [0, 2]]))
    assert different is not None
    assert same is not None
    assert (different.has_duplicates, same.has_duplicates) == (False, True)


@pytest.mark.parametrize(
    ("indexing", "index", "dim"),
    [(VECTORS, [[1, 2], [0, 1]], 0), (ELEMENTS, [[2, 0], [1, 1]], 1), (SLICES, [2, 0, 1, 1], 1), (SLICES, [1], 0),
     (FLAT, [[5, 0], [4, 4]], None)],
)  # fmt: skip
def test_the_positions_are_those_that_numpy_takes(indexing: Indexing, index: Any, dim: int) -> None:
    array = np.arange(6).reshape(2, 3)
    if isinstance(indexing, Vectors):
        taken = array[tuple(np.moveaxis(np.array(index), -1, 0))]
    elif isinstance(indexing, Elements):
        taken = np.take_along_axis(array, np.array(index), dim)
    else:
        taken = np.take(array, index, dim)
    np.testing.assert_array_equal(_geometry(indexing, index, dim=dim).positions, taken)


@pytest.mark.parametrize(
    ("indexing", "index", "dim", "inside", "positions"),
    [
        (VECTORS, [[2, 0], [1, 3], [-1, 0], [1, 1]], 1, [False, False, False, True], [OUTSIDE, OUTSIDE, OUTSIDE, 4]),
        (ELEMENTS, [[3, 0], [-1, 2]], 1, [[False, True], [False, True]], [[OUTSIDE, 0], [OUTSIDE, 5]]),
        (SLICES, [3, 0], 1, [False, True], [[OUTSIDE, 0], [OUTSIDE, 3]]),
        (SLICES, [-1, 2**62], 0, [False, False], [[OUTSIDE] * 3] * 2),
        (FLAT, [6, 5, -1], 0, [False, True, False], [OUTSIDE, 5, OUTSIDE]),
    ],
)
def test_an_index_outside_means_no_position(
    indexing: Indexing, index: Any, dim: int, inside: Any, positions: Any
) -> None:
    geometry = _geometry(indexing, index, dim=dim)
    assert geometry.inside.tolist() == inside
    assert geometry.positions.tolist() == positions


@pytest.mark.parametrize("dtype", ["uint64", "int8", "uint8"])
def test_bounds_are_compared_exactly_in_every_dtype(dtype: str) -> None:
    highest = int(np.iinfo(dtype).max)
    geometry = _geometry(VECTORS, [[highest], [99]], target=[100], dtype=dtype)
    assert geometry.inside.tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint64"])
@pytest.mark.parametrize("indexing", [SLICES, FLAT], ids=["slices", "flat"])
def test_an_index_outside_means_no_position_in_dtypes_without_negative_numbers_too(
    indexing: Indexing, dtype: str
) -> None:
    geometry = _geometry(indexing, [99, 100], target=[100], dtype=dtype, dim=0)
    assert geometry.positions.tolist() == [99, OUTSIDE]


@pytest.mark.parametrize(
    ("indexing", "shape", "target", "taken"),
    [
        (VECTORS, [0, 1], [2, 3], (0, 3)),
        (VECTORS, [4, 0], [2, 3], (4, 2, 3)),
        (VECTORS, [4, 0], [], (4,)),
        (VECTORS, [4, 1], [2, 0], (4, 0)),
        (ELEMENTS, [0, 2], [2, 3], (0, 2)),
        (ELEMENTS, [0, 0], [0, 0], (0, 0)),
        (SLICES, [0], [2, 3], (2, 0)),
        (SLICES, [5], [0, 3], (0, 5)),
        (FLAT, [2, 0], [2, 3], (2, 0)),
        (FLAT, [2], [], (2,)),
    ],
)
def test_what_is_empty_has_as_many_positions_as_are_left(
    indexing: Indexing, shape: list[int], target: list[int], taken: tuple[int, ...]
) -> None:
    geometry = _geometry(indexing, f"zeros({shape})", target={"int32": f"zeros({target})"})
    assert geometry.fits
    assert geometry.taken == geometry.positions.shape == taken
    assert geometry.rows(geometry.positions).shape[0] == geometry.inside.size


def test_into_an_axis_of_length_zero_every_index_points_outside() -> None:
    geometry = _geometry(SLICES, [0, 1], target={"int32": "zeros([2, 0])"})
    assert not geometry.inside.any()
    assert geometry.positions.tolist() == [[OUTSIDE, OUTSIDE]] * 2


@pytest.mark.parametrize(
    ("indexing", "index", "target", "dim"),
    [
        (VECTORS, {"int64": 1}, MATRIX, 0),
        (VECTORS, {"float32": [[1]]}, MATRIX, 0),
        (VECTORS, {"int64": [[1]]}, {"list": [2]}, 0),
        (VECTORS, {"int64": [[1]]}, 3, 0),
        (ELEMENTS, {"int64": 0}, {"int32": 5}, 0),
        (ELEMENTS, {"int64": [[1]]}, MATRIX, 2),
        (ELEMENTS, {"int64": [[1]]}, MATRIX, None),
        (SLICES, {"int64": [1]}, MATRIX, -3),
        (SLICES, {"int64": [1]}, MATRIX, "last"),
    ],
)
def test_nobody_can_say_where_an_index_points(indexing: Indexing, index: Any, target: Any, dim: Any) -> None:
    assert _geometry_or_none(indexing, index, target, dim) is None


@pytest.mark.parametrize(
    ("indexing", "index", "target", "inside"),
    [
        (VECTORS, [[1, 2, 9]], MATRIX, [True]),
        (VECTORS, [[1, 3, 9]], MATRIX, [False]),
        (VECTORS, [[1]], [2, -3], [True]),
        (ELEMENTS, [1, 3], MATRIX, [True, False]),
        (ELEMENTS, [[0], [0], [2]], MATRIX, [[True], [True], [True]]),
    ],
)
def test_what_does_not_fit_has_bounds_as_far_as_there_are_axes(
    indexing: Indexing, index: Any, target: Any, inside: Any
) -> None:
    geometry = _geometry(indexing, index, target=target)
    assert not geometry.fits
    assert geometry.inside.tolist() == inside


@pytest.mark.parametrize(
    ("indexing", "index", "dim", "duplicates"),
    [
        (VECTORS, [[1, 2], [1, 0]], 1, False),
        (VECTORS, [[1, 2], [0, 0], [1, 2]], 1, True),
        (VECTORS, [[5, 5], [5, 5]], 1, True),
        (VECTORS, "zeros([0, 2])", 1, False),
        (VECTORS, "zeros([2, 0])", 1, True),
        (ELEMENTS, [[1, 2], [1, 2]], 1, False),
        (ELEMENTS, [[1, 2], [0, 0]], 1, True),
        (ELEMENTS, [[1, 1, 1]], 0, False),
        (SLICES, [2, 0, 1], 1, False),
        (SLICES, [2, 0, 2], 1, True),
        (SLICES, 2, 1, False),
        (FLAT, [[5, 0], [1, 2]], 0, False),
        (FLAT, [[5, 0], [1, 5]], 0, True),
    ],
)
def test_two_indices_that_mean_the_same_are_duplicates(
    indexing: Indexing, index: Any, dim: int, duplicates: bool
) -> None:
    assert _geometry(indexing, index, dim=dim).has_duplicates == duplicates


@pytest.mark.parametrize(
    ("indexing", "index", "source", "part"),
    [
        (VECTORS, [[1], [0]], [[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4, 5, 6]]),
        (VECTORS, [[1], [0]], [1, 2], None),
        (ELEMENTS, [[1]], [[1, 2], [3, 4]], [[1]]),
        (ELEMENTS, [[1], [2]], [[1, 2]], None),
        (SLICES, [1, 0, 2], [[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4, 5, 6]]),
        (SLICES, [1, 0], [[1, 2, 3], [4, 5, 6]], None),
        (FLAT, [[5, 0]], [[7, 8]], [[7, 8]]),
        (FLAT, [[5, 0]], [7], None),
    ],
)
def test_what_is_written_is_laid_out_as_what_a_gather_returns(
    indexing: Indexing, index: Any, source: Any, part: Any
) -> None:
    found = _geometry(indexing, index).part_of(np.array(source))
    assert (found if found is None else found.tolist()) == part


@pytest.mark.parametrize(
    ("indexing", "index", "rows"),
    [
        (VECTORS, [[1], [0]], [[3, 4, 5], [0, 1, 2]]),
        (ELEMENTS, [[1, 0]], [[1], [0]]),
        (SLICES, [2, 0], [[2, 5], [0, 3]]),
        (SLICES, 1, [[1, 4]]),
        (FLAT, [[5, 0]], [[5], [0]]),
    ],
)
def test_a_row_has_all_that_one_index_selects(indexing: Indexing, index: Any, rows: Any) -> None:
    geometry = _geometry(indexing, index)
    assert geometry.rows(geometry.positions).tolist() == rows


def labelled(ids: object, data: str, number: object) -> IndexGeometry | None:
    values = {"ids": argument({"int64": ids}), "data": argument({"float32": data}), "number": number}
    return geometry_of(Labels("number", "data"), "ids", values)


@pytest.mark.parametrize(
    ("ids", "data", "number", "positions"),
    [
        ([2, 0, 2], "zeros([3])", 4, [2, 0, 2]),
        ([2, 0, 2], "zeros([3, 2])", 4, [[4, 5], [0, 1], [4, 5]]),
        ([[1, 0], [3, 1]], "zeros([2, 2])", 4, [[1, 0], [3, 1]]),
        (1, "zeros([3])", 2, [3, 4, 5]),
        ([4, -1, 0], "zeros([3])", 4, [OUTSIDE, OUTSIDE, 0]),
    ],
)
def test_a_label_is_a_place_along_the_first_axis_of_the_result_for_the_slice_at_its_own_position(
    ids: object, data: str, number: int, positions: list[Any]
) -> None:
    geometry = labelled(ids, data, number)
    assert geometry is not None
    assert geometry.fits
    assert geometry.bounds == (number,)
    assert geometry.positions.tolist() == positions
    assert geometry.taken == np.shape(positions)


def test_labels_mean_nothing_if_their_number_is_none_or_the_data_have_fewer_axes() -> None:
    assert labelled([1, 0], "zeros([2])", (3,)) is None
    assert labelled([1, 0], "zeros([2])", None) is None
    assert labelled([[1, 0]], "zeros([2])", 3) is None


def test_fewer_than_no_places_do_not_fit() -> None:
    geometry = labelled([0, 0], "zeros([2])", -1)
    assert geometry is not None
    assert not geometry.fits


@pytest.mark.parametrize(
    ("dtype", "ids", "length", "positions"),
    [
        ("int64", [0, 2, 2], 3, [[0, 1], [4, 5], [4, 5]]),
        ("uint64", [1, 1, 4], 5, [[2, 3], [2, 3], [8, 9]]),
        ("int64", [-1, 0, 1], 2, [[OUTSIDE, OUTSIDE], [0, 1], [2, 3]]),
        ("int64", [-3, -2, -1], 0, [[OUTSIDE, OUTSIDE]] * 3),
    ],
)
def test_the_result_that_labels_point_into_ends_at_the_largest_of_them(
    dtype: str, ids: list[int], length: int, positions: list[list[int]]
) -> None:
    values = {"ids": argument({dtype: ids}), "data": argument({"float32": "zeros([3, 2])"})}
    geometry = geometry_of(Labels(RESULT, "data", "ascending"), "ids", values)
    assert geometry is not None
    assert geometry.shape == (length, 2)
    assert geometry.positions.tolist() == positions


def test_no_labels_point_into_a_result_without_slices() -> None:
    values = {"ids": argument({"uint8": "zeros([0])"}), "data": argument({"float32": "zeros([0, 2])"})}
    geometry = geometry_of(Labels(RESULT, "data"), "ids", values)
    assert geometry is not None
    assert geometry.shape == (0, 2)


MASK = Mask("target")


@pytest.mark.parametrize(
    ("mask", "cells", "positions"),
    [
        ([[True, False, True], [False, True, False]], [0, 2, 4], [0, 2, 4]),
        ([False, True], [1], [[3, 4, 5]]),
        ([True, True], [0, 1], [[0, 1, 2], [3, 4, 5]]),
        ([False, False], [], []),
        (True, [0], [[[0, 1, 2], [3, 4, 5]]]),
    ],
)
def test_a_mask_means_where_it_is_true_in_row_major_order(mask: Any, cells: list[int], positions: Any) -> None:
    geometry = _geometry(MASK, mask, dtype="bool")
    assert geometry.fits
    assert geometry.inside.all()
    assert not geometry.has_duplicates
    assert geometry.cells[:, 0].tolist() == cells
    assert geometry.positions.tolist() == positions


@pytest.mark.parametrize("mask", [[True], [True, True, True], [[True], [False]], [[[True]]]])
def test_a_mask_fits_the_first_axes_of_its_target(mask: Any) -> None:
    assert not _geometry(MASK, mask, dtype="bool").fits


def test_numbers_are_no_mask_and_a_mask_has_no_numbers() -> None:
    assert _geometry_or_none(MASK, {"int64": [1, 0]}) is None
    assert _geometry_or_none(FLAT, {"bool": [True, False]}) is None


def test_a_mask_writes_the_first_elements_of_a_source() -> None:
    geometry = _geometry(MASK, [[True, False, True], [False, True, False]], dtype="bool")
    for source in (np.arange(3), np.arange(5), np.arange(6).reshape(2, 3)):
        part = geometry.part_of(source)
        assert part is not None
        assert part.tolist() == [0, 1, 2]
    assert geometry.part_of(np.arange(2)) is None
