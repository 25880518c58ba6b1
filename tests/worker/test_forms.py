"""What adapters of several frameworks ask of the arguments of a call."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.adapter import Unsupported
from conformance.worker import forms

GUIDE = Path(__file__).parents[2] / "docs" / "adapters.md"
MOST = 2**31 - 1
TENSOR = np.arange(24).reshape(2, 3, 4)
INDEX = np.array([1, 0])


@pytest.mark.parametrize(
    ("allowed", "value", "message"),
    [
        (["sum"], "amax", "only reduce='sum'"),
        (["sum"], None, "only reduce='sum'"),
        ([None], "add", "only reduce=None"),
        ([None, "add"], "multiply", "only reduce=None or 'add'"),
    ],
)
def test_another_value_than_an_api_has_is_unsupported(allowed: list[Any], value: Any, message: str) -> None:
    with pytest.raises(Unsupported, match=f"^{re.escape(message)}$"):
        forms.only("reduce", value, *allowed)
    for each in allowed:
        forms.only("reduce", each, *allowed)


@pytest.mark.parametrize("number", [0, 1.5, True, 2j, [1, 2], (1, 2)])
def test_a_number_or_a_list_is_no_tensor(number: Any) -> None:
    with pytest.raises(Unsupported, match="only a tensor as src"):
        forms.only_a_tensor("src", number)
    forms.only_a_tensor("src", TENSOR)
    forms.only_a_tensor("src", np.float32(1))  # a tensor without axes


def test_a_key_of_tensors_has_no_lists_and_what_it_writes_is_none() -> None:
    forms.only_indices((INDEX, INDEX), TENSOR)
    for key, values in [((INDEX, [1, 0]), TENSOR), ((INDEX, 1), TENSOR), ((INDEX,), [1, 2])]:
        with pytest.raises(Unsupported):
            forms.only_indices(key, values)


def test_only_a_tensor_can_be_added() -> None:
    forms.only_add("add", TENSOR)
    for reduce, src in [("add", 1), (None, TENSOR), ("multiply", TENSOR)]:
        with pytest.raises(Unsupported):
            forms.only_add(reduce, src)


def test_a_call_has_either_an_index_or_a_mask() -> None:
    forms.only_an_index(INDEX)
    forms.only_a_mask(TENSOR > 0)
    with pytest.raises(Unsupported, match="only an index"):
        forms.only_an_index(None)
    with pytest.raises(Unsupported, match="only a mask"):
        forms.only_a_mask(None)


@pytest.mark.parametrize("item", [slice(None), None, ..., 0, True])
def test_a_key_of_indices_has_nothing_else(item: Any) -> None:
    forms.only_indices((INDEX, INDEX), TENSOR)
    with pytest.raises(Unsupported, match="only indices"):
        forms.only_indices((INDEX, item), TENSOR)
    with pytest.raises(Unsupported, match="only a tensor as values"):
        forms.only_indices((INDEX,), 1.0)


@pytest.mark.parametrize(
    ("shape", "is_of_slices"),
    [((2,), True), ((2, 3), True), ((), True), ((2, 3, 4), False), ((4,), False), ((3, 4), False)],
)
def test_a_mask_of_the_first_axes_is_one_of_slices(shape: tuple[int, ...], is_of_slices: bool) -> None:
    mask = np.ones(shape, bool)
    if is_of_slices:
        with pytest.raises(Unsupported, match="no slices"):
            forms.of_elements(TENSOR, mask)
    else:
        forms.of_elements(TENSOR, mask)


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, -3])
def test_slices_are_selected_along_any_axis(dim: int) -> None:
    np.testing.assert_array_equal(TENSOR[forms.slices(dim, INDEX)], np.take(TENSOR, INDEX, axis=dim))


@pytest.mark.parametrize(
    ("key", "kind", "item"),
    [(1, int, (0, 1)), (np.s_[:, :, -1], int, (2, -1)), (np.s_[:, 1:3], slice, (1, slice(1, 3))), (slice(None), slice, (0, slice(None)))],
)  # fmt: skip
def test_one_item_beside_whole_axes_has_an_axis(key: Any, kind: type, item: tuple[int, Any]) -> None:
    assert forms.one_item(key, kind) == item


@pytest.mark.parametrize(
    ("key", "kind"), [(True, int), (np.s_[0, 1], int), (np.s_[1:, 2], int), (1, slice), (np.s_[1, :], int)]
)
def test_a_key_of_other_items_is_unsupported(key: Any, kind: type) -> None:
    with pytest.raises(Unsupported, match=f"only a {kind.__name__} of one axis"):
        forms.one_item(key, kind)


@pytest.mark.parametrize(
    ("key", "part"), [(np.s_[1:2], (0, 1, 1)), (np.s_[:, -3:-1], (1, -3, 2)), (np.s_[:, :, 2:2], (2, 2, 0))]
)
def test_a_part_of_an_axis_has_a_start_and_a_length(key: Any, part: tuple[int, int, int]) -> None:
    assert forms.one_part(key, TENSOR.shape) == part


@pytest.mark.parametrize("key", [np.s_[1:], np.s_[:1], np.s_[0:2:2], np.s_[0:3], np.s_[2:1], np.s_[-1:1], 0])
def test_a_part_whose_ends_are_not_known_positions_is_unsupported(key: Any) -> None:
    with pytest.raises(Unsupported, match="only a slice"):
        forms.one_part(key, TENSOR.shape)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (np.s_[1:], ([0], [1], [MOST], [1])),
        (np.s_[::-1], ([0], [MOST], [-MOST - 1], [-1])),
        (np.s_[..., 1:3], ([0, 1, 2], [0, 0, 1], [MOST, MOST, 3], [1, 1, 1])),
        (np.s_[:2, ...], ([0, 1, 2], [0, 0, 0], [2, MOST, MOST], [1, 1, 1])),
        (np.s_[::0], ([0], [MOST], [-MOST - 1], [0])),
    ],
)
def test_slices_are_cut_by_axes_starts_ends_and_steps(key: Any, expected: tuple[list[int], ...]) -> None:
    assert forms.cut(key, 3, MOST) == expected


@pytest.mark.parametrize("key", [0, None, (), np.s_[1:, 0], np.s_[INDEX], np.s_[1:, None]])
def test_a_key_of_more_than_slices_cannot_be_cut(key: Any) -> None:
    with pytest.raises(Unsupported, match="only slices, and dots"):
        forms.cut(key, 3, MOST)


def _public() -> dict[str, Callable[..., Any]]:
    named = {
        name: value for name, value in vars(forms).items() if inspect.isfunction(value) and not name.startswith("_")
    }
    return {name: value for name, value in named.items() if value.__module__ == forms.__name__}


def test_the_guide_has_each_function_with_its_arguments() -> None:
    section = GUIDE.read_text(encoding="utf-8").partition("\n### Forms\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    documented = {call for cell in cells for call in re.findall(r"`(\w+\(.*?\))`", cell)}
    assert documented == {f"{name}({', '.join(map(_written, _parameters(one)))})" for name, one in _public().items()}


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return [*inspect.signature(function).parameters.values()]


def _written(parameter: inspect.Parameter) -> str:
    return f"*{parameter.name}" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else parameter.name
