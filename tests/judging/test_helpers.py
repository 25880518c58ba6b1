"""What a helper call of a composed adapter function checks is not told of the API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.adapter import api, apis_of
from conformance.cases.model import Case
from conformance.judging.helpers import helper_of
from tests.planted.in_process import all_cases

HELPERS = {"shape": "torch.zeros", "indices.rank": "torch.Tensor.unbind"}


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {case.id: case for case in all_cases()}


@pytest.mark.parametrize(
    ("case", "helper"),
    [
        ("scatter_nd.rule.shape-positive/break.an-axis-of-length-zero", "torch.zeros"),
        ("scatter_nd.rule.shape-not-empty/break.empty", "torch.zeros"),
        ("scatter_nd.rule.indices-rank/break.one-axis-of-depth-two", "torch.Tensor.unbind"),
        ("scatter_nd.behaviour.type-error-for-a-shape-that-is-no-tuple/number", "torch.zeros"),
        ("scatter_nd.rule.updates-shape/break.slice-of-length-one", None),
        ("scatter_nd.rule.updates-rank/break.no-axis", None),
        ("scatter_nd.behaviour.index-outside/under-two-batch-axes.cpu", None),
        ("scatter_nd.example.insert-four-scalars/as-printed", None),
    ],
)
def test_a_rule_is_the_helpers_if_it_is_about_nothing_that_reaches_the_api(
    cases: dict[str, Case], case: str, helper: str | None
) -> None:
    assert helper_of(cases[case], HELPERS) == helper


def test_a_rule_about_two_arguments_is_the_apis_if_one_of_them_reaches_it(cases: dict[str, Case]) -> None:
    case = cases["scatter_nd.rule.updates-shape/break.slice-of-length-one"]
    assert helper_of(case, {"shape": "torch.zeros", "updates": "torch.clone"}) is None
    assert helper_of(case, {"shape": "torch.zeros", "updates": "torch.clone", "indices": "torch.stack"}) is not None


def test_without_helpers_or_a_control_every_rule_is_the_apis(cases: dict[str, Case]) -> None:
    case = cases["scatter_nd.rule.shape-not-empty/break.empty"]
    assert helper_of(case, {}) is None
    assert helper_of(replace(case, control=None), HELPERS) is None


def test_a_function_with_helpers_is_composed() -> None:
    def gather(data: Any, dim: Any, index: Any) -> None: ...

    api("torch.gather", operation="gather_elements", helpers={"dim": "torch.tensor"})(gather)
    [registered] = apis_of({"gather": gather})
    assert registered.composed
