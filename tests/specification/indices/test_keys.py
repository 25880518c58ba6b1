"""What stands in brackets behind a tensor, compared with what NumPy does."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.data_folders import specs_folder
from conformance.specification.applied import Applied
from conformance.specification.axes import axes_of
from conformance.specification.expressions import compile_expression
from conformance.specification.indices.geometry import OUTSIDE, IndexGeometry, geometry_of
from conformance.specification.indices.keys import Keyed, broadcasts, key_of
from conformance.specification.indices.kinds import InKey
from conformance.specification.literals import argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Call
from conformance.specification.problems import SpecError
from tests.specification.small import changed, write_specs

KEYS = (
    *load_specs().operations["advanced_index_get"].arguments["key"].choices,
    *(
        "0, i, j",
        "i, j, 0",
        "i, :, 0, j",
        "i, j, :, 0",
        "..., i, 0, None, j",
        "0, ..., i, j",
        "0, None, i, j",
        "j, :, i",
    ),
    *("i, True, j", "True, i, j", "i, j, True", ":, i, j, True", "True, :, i, j"),
    *("i, -9:2, j", "1:9, i, j", "i, 9:, j", "i, ::-1, j", "-1, :, i, j", "i, j, ...", "i, j, None"),
)
SHAPES: tuple[tuple[list[Any], list[Any]], ...] = (
    ([1, 0, 1], [0, 0, 1]),
    ([[1], [0]], [1, 0, 1]),
    ([1, 0], [[1, 0], [0, 0], [1, 1]]),
    ([[1, 0], [0, 1]], [1]),
    ([], []),
)
BY_I, BY_J = (InKey("input", "key") for _ in range(2))


@pytest.mark.parametrize("key", KEYS)
def test_the_shape_and_the_positions_are_those_of_numpy(key: str) -> None:
    read = key_of(key)
    for (i, j), more in itertools.product(SHAPES, (0, 1)):
        target = (2, 3, 4, 5)[: read.rank] + (2,) * more
        indices = {"i": np.array(i, int), "j": np.array(j, int)}
        selected = np.arange(np.prod(target)).reshape(target)[read.native(indices)]
        keyed = Keyed(read, indices, target)
        assert keyed.fits
        assert keyed.taken == selected.shape
        assert keyed.positions(OUTSIDE).tolist() == selected.tolist()


@pytest.mark.parametrize("key", KEYS)
def test_an_index_points_along_the_axis_whose_length_numpy_names_in_its_error(key: str) -> None:
    read = key_of(key)
    target = (10,) * read.rank  # of which neither 9: nor -9:2 is empty: NumPy 1 lets empty slices pass with a warning
    for name, axis in read.axes(len(target)).items():
        indices = {"i": np.array([0]), "j": np.array([0]), name: np.array([target[axis]])}
        with pytest.raises(IndexError, match=f"axis {axis} with size {target[axis]}"):
            np.zeros(target)[read.native(indices)]


@pytest.mark.parametrize(
    "text", ["", "i,j", "i, , j", "i, ..., ..., j", "i, x y", "i, 1:2:3:4", "I, j", "i, newaxis()"]
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no item|more than one"):
        key_of(text)


def test_a_key_does_not_fit_a_tensor_of_too_few_axes_indices_that_differ_or_a_number_beyond_an_axis() -> None:
    i, j = np.array([0]), np.array([0])
    for key, target, index in (
        ("i, :, j", (2, 3), i),
        ("i, j", (2, 3), np.array([0, 1, 0])),
        ("i, 0, j", (2, 0, 3), i),
        ("i, -3, j", (2, 2, 3), i),
    ):
        indices = {"i": np.array([0, 1]) if index is not i else i, "j": index if index is not i else j}
        assert not Keyed(key_of(key), indices, target).fits


@pytest.mark.parametrize(
    ("shape", "to", "does"),
    [((3,), (2, 3), True), ((2, 1), (2, 3), True), ((), (2,), True), ((2,), (2, 3), False), ((1, 3), (3,), False)],
)
def test_a_shape_is_broadcast_to_another_as_numpy_does(shape: tuple[int, ...], to: tuple[int, ...], does: bool) -> None:
    assert broadcasts(shape, to) == does
    if does:
        np.broadcast_to(np.zeros(shape), to)


def _geometry(name: str, i: Any, j: Any, key: str = "i, :, j", shape: str = "zeros([2, 3, 4])") -> IndexGeometry | None:
    values = {"i": argument({"int64": i}), "j": argument({"int64": j}), "input": argument({"int32": shape}), "key": key}
    return geometry_of(BY_I, name, values)


def test_each_index_has_the_bound_of_its_own_axis_and_all_have_the_positions_of_the_key() -> None:
    first, second = (_geometry(name, [1, 0], [3, 2]) for name in ("i", "j"))
    assert first is not None
    assert second is not None
    assert (first.bounds, second.bounds) == ((2,), (4,))
    assert first.positions.tolist() == second.positions.tolist() == [[15, 19, 23], [2, 6, 10]]
    assert first.taken == second.taken == (2, 3)


def test_what_an_index_outside_reads_has_no_position_whichever_index_it_is() -> None:
    for i, j in (([1, 2], [3, 2]), ([1, 0], [3, 4]), ([1, 0], [3, -1])):
        for name in ("i", "j"):
            geometry = _geometry(name, i, j)
            assert geometry is not None
            assert geometry.fits
            assert geometry.positions.tolist() == [[15, 19, 23], [OUTSIDE] * 3]


def test_an_index_beside_a_mask_has_the_positions_of_what_is_true() -> None:
    written = {"input": argument({"int32": "zeros([2, 3, 4])"}), "key": "i, j", "j": argument({"int64": [3, 0]})}
    grid = argument({"bool": [[False, True, False], [True, False, False]]})
    geometry = geometry_of(BY_J, "j", {**written, "i": grid})
    assert geometry is not None
    assert geometry.bounds == (4,)
    assert geometry.positions.tolist() == [7, 12]
    assert geometry_of(BY_I, "i", {**written, "i": grid}) is None
    for short in ([True, True, True], [[True, True]]):
        assert geometry_of(BY_J, "j", {**written, "i": argument({"bool": short})}) is None


def test_a_mask_without_a_true_element_is_no_index() -> None:
    operation = load_specs().operations["advanced_index_get"]
    input_, j = argument({"int32": "zeros([2, 3])"}), argument({"int64": [1]})
    for mask, lacks in (([False, False], True), ([False, True], False)):
        call = Applied(operation, Call({"input": input_, "i": argument({"bool": mask}), "j": j, "key": "i, j"}))
        assert call.masks_in_key == {"i"}
        assert call.lacks_elements == lacks
        assert axes_of(call) is None


def test_positions_are_written_twice_only_where_all_indices_agree() -> None:
    for i, j, twice in (([1, 1], [3, 2], False), ([1, 0], [3, 3], False), ([1, 0, 1], [3, 2, 3], True)):
        geometry = _geometry("i", i, j)
        assert geometry is not None
        assert geometry.has_duplicates == twice


def test_what_is_written_is_broadcast_to_what_the_key_reads() -> None:
    geometry = _geometry("j", [1, 0], [3, 2])
    assert geometry is not None
    part = geometry.part_of(np.array([7, 8, 9]))
    assert part is not None
    assert part.tolist() == [[7, 8, 9], [7, 8, 9]]
    assert geometry.part_of(np.array([7, 8])) is None


def test_indices_mean_nothing_in_a_word_that_is_no_key_or_without_one_of_them() -> None:
    assert _geometry("i", [1], [1], key="anything, else, ") is None
    assert _geometry("i", [1], [1], key="i, k") is None
    assert _geometry("i", [1], [1], key="i, :, :, j") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("key_rank(key, i, j)", 3),
        ("key_lengths(key, input.shape, i, j)", (2, 4)),
        ("key_shape(key, input.shape, i, j)", (5, 3)),
        ("key_masks(key, input.shape, i, j)", True),
        ("key_broadcasts(key, i, j)", True),
        ("key_shape(key, input.shape, mask, j)", (1, 3)),
        ("key_rank('i, j', grid, j)", 3),
        ("key_lengths('i, j', input.shape, grid, j)", (2, 4)),
        ("key_shape('i, j', input.shape, grid, j)", (2,)),
        ("key_masks('i, j', input.shape, grid, j)", True),
        ("key_masks('j, i', input.shape, j, grid)", False),
        ("key_broadcasts('i, j', grid, i)", False),
        ("broadcasts(i.shape, (2, 1, 5))", True),
        ("key_rank('1:, None, True, j', left_out, j)", 2),
        ("key_shape('::-2, None, j', input.shape, left_out, number)", (1, 1, 4)),
        ("key_shape('True, 1:', input.shape)", (1, 1, 3, 4)),
        ("key_shape('0, None, False', input.shape)", (0, 1, 3, 4)),
        ("key_numbers(':, -3, 3', input.shape)", True),
        ("key_numbers('..., 4', input.shape)", False),
        ("key_numbers('-3', input.shape)", False),
        ("key_steps('::-1, 1:2:3')", True),
        ("key_steps('1, ::0')", False),
        ("all(within_either_end(a, length) for a, length in key_bounds('..., i', input.shape, number))", True),
        ("all(within_either_end(a, length) for a, length in key_bounds('i', input.shape, number))", False),
    ],
)
def test_expressions_ask_a_key_for_lengths_and_shapes(text: str, value: Any) -> None:
    values = {
        "key": "i, :, j",
        "input": argument({"int32": "zeros([2, 3, 4])"}),
        "i": argument({"int64": "zeros([5])"}),
        "j": argument({"int64": "zeros([1])"}),
        "mask": argument({"bool": [False, True]}),
        "number": argument({"int64": 3}),
        "left_out": None,
        "grid": argument({"bool": [[False, True, False], [True, False, False]]}),
    }
    assert compile_expression(text, values).value(values) == value


@pytest.mark.parametrize(
    ("operation", "found", "replacement", "said"),
    [
        ("get", '- "i, 0, j"', '- "i, zero!, j"', "arguments.key.key.4: 'zero!' is no item of a key"),
        ("get", '- "i, 0, j"', '- "i, 0"', "arguments.key.key.4: 'i, 0' needs each of i, j once"),
        ("get", '- "i, 0, j"', '- "i, i, j"', "arguments.key.key.4: 'i, i, j' needs each of i, j once"),
        ("get", ", selects: slices", "", "arguments.i.along: is a key, so that i selects: slices"),
        ("get", 'i: "picked..."', "i: rank(picked)", "layout.i: has rank(GROUP)"),
        ("get", 'i: "picked..."', "i: selected", "layout.i: is selected, but i decides what a key selects"),
        ("get", '- "i, 0, j"', '- "i, 0, j, k"', "arguments.key.key.4: 'i, 0, j, k' has 'k', which is no argument"),
        ("set", "values: selected", "values: picked", "layout.values: invalid part 'picked'"),
    ],
)
def test_what_is_wrong_with_a_key_in_a_spec_is_told(
    tmp_path: Path, operation: str, found: str, replacement: str, said: str
) -> None:
    name = f"advanced_index_{operation}"
    text = (specs_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    folder = write_specs(tmp_path)
    (folder / "gather_elements.yaml").unlink()
    (folder / f"{name}.yaml").write_text(changed(text, found, replacement))
    with pytest.raises(SpecError) as raised:
        load_specs(folder)
    assert said in str(raised.value)


def test_a_layout_has_selected_only_beside_a_key(tmp_path: Path) -> None:
    folder = write_specs(tmp_path)
    (folder / "gather_elements.yaml").unlink()
    text = (specs_folder() / "index_copy.yaml").read_text(encoding="utf-8")
    (folder / "index_copy.yaml").write_text(changed(text, 'source: "before... picked... after..."', "source: selected"))
    with pytest.raises(SpecError) as raised:
        load_specs(folder)
    assert "layout.source: is selected, and no index stands in a key" in str(raised.value)
