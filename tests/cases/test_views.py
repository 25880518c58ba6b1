"""Chosen calls are made with views, and expect what they expect without."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.views import view_cases
from conformance.cases.variation import AsView
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs

MATRICES = "scatter_nd.example.insert-two-float-matrices/as-printed"


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    return {case.id: case for case in build_cases(load_specs(), reference, sources=[written_cases, view_cases])}


def _views(case: Case) -> dict[str, str | None]:
    return {name: value.view for name, value in case.call.arguments.items() if isinstance(value, Tensor)}


def test_every_tensor_that_can_be_a_view_is_one(cases: dict[str, Case]) -> None:
    assert _views(cases[f"{MATRICES}.strided"]) == {"indices": "strided", "updates": "strided"}
    assert _views(cases[f"{MATRICES}.expanded"]) == {"indices": None, "updates": "expanded"}
    assert _views(cases[MATRICES]) == {"indices": None, "updates": None}


def test_a_view_that_no_tensor_of_a_call_can_be_is_left_out(cases: dict[str, Case]) -> None:
    assert f"{MATRICES}.empty" not in cases
    assert "gather_elements.rule.index-rank/keep.one-axis.offset" in cases
    assert "gather_elements.rule.index-rank/keep.one-axis.transposed" not in cases


def test_a_view_changes_nothing_of_what_is_expected(cases: dict[str, Case]) -> None:
    derived = [one for one in cases if one.rpartition(".")[2] in ("transposed", "strided", "offset", "expanded")]
    assert len(derived) > 100
    for one in derived:
        base, case = cases[one.rpartition(".")[0]], cases[one]
        assert isinstance(case.variation, AsView)
        assert (case.variation.base, case.variation.view) == (base.id, one.rpartition(".")[2])
        assert isinstance(case.expectation, Returns)
        assert isinstance(base.expectation, Returns)
        assert np.array_equal(case.expectation.value.array, base.expectation.value.array)
        assert (case.expectation.tolerance, case.dtypes_tested) == (base.expectation.tolerance, {})
