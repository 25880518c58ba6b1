"""In which dtype an API gets indices: that of the case, or one that it takes."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conformance.cases.build import build_sound_cases
from conformance.cases.expectations import Returning
from conformance.cases.model import ApiCall, Case
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.documentation.speaking import DocumentedApi
from conformance.execution.attempt import CallAttempt
from conformance.execution.calls import check_calls
from conformance.execution.client import Client
from conformance.execution.shipped import Shipped, with_documentation
from conformance.execution.target import Attempts, StartedTarget
from conformance.results.records import TargetRecord
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_sound_specs
from conformance.specification.model import Catalogue

API = {
    "name": "runtime.GatherND", "operation": "gather_nd", "follows": "onnx.GatherND", "composed": False, "in_place": None,
    "index_dtypes": ["int64"], "dtypes": [], "helpers": {},
}  # fmt: skip


@cache
def _catalogue() -> Catalogue:
    return load_sound_specs()[0]


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    cases, _ = build_sound_cases(_catalogue(), reference)
    return {case.id: case for case in cases}


def _dtype_of_indices(case: Case, **changes: Any) -> str:
    """The dtype in which an API gets the indices of a case."""
    return _dtype_in(_attempt(case, **changes).call)


def _attempt(case: Case, **changes: Any) -> CallAttempt:
    target_of_no_folder = SimpleNamespace(definition=None)
    prepared = cast(Any, SimpleNamespace(mode=SimpleNamespace(keeps_error_types=True), target=target_of_no_folder))
    record = TargetRecord("runtime@cpu", "runtime", "1.0", "cpu", "eager")
    api = {**API, **changes}
    documented = DocumentedApi(api["name"], api["follows"], (api["follows"] or api["name"],))
    no_texts = Shipped(record.id, record.framework, (documented,), {}, {})
    target = StartedTarget(prepared, record, [api], immutable=False)
    attempt = Attempts(with_documentation(target, _catalogue().documents.values(), no_texts)).attempt(case, api)
    assert isinstance(attempt, CallAttempt)
    return attempt


def _dtype_in(call: Applied) -> str:
    indices = call.arguments["indices"]
    assert isinstance(indices, Tensor)
    return indices.dtype


def test_indices_in_a_dtype_that_the_documentation_does_not_name_are_cast(cases: dict[str, Case]) -> None:
    case = cases["gather_nd.behaviour.extracts-slices/matrices-of-three-axes"]
    assert _dtype_of_indices(case) == "int64"


def test_they_are_not_cast_if_the_documentation_names_their_dtype(cases: dict[str, Case]) -> None:
    case = cases["gather_nd.rule.indices-depth/keep.depth-less-than-rank"]
    assert _dtype_of_indices(case, follows="tf.raw_ops.GatherNd") == "int32"


def test_they_are_cast_for_the_documentation_of_another_framework(cases: dict[str, Case]) -> None:
    case = cases["gather_nd.behaviour.extracts-slices/matrices-of-three-axes"]
    assert _dtype_of_indices(case, follows=None) == "int64"


def test_a_control_has_a_dtype_that_the_api_takes_if_the_dtype_is_the_violation(cases: dict[str, Case]) -> None:
    case = cases["gather_nd.rule.indices-integer/break.float32"]
    control = _attempt(case).control
    assert control is not None
    assert _dtype_in(control) == "int64"
    assert _dtype_in(_attempt(case).call) == "float32"


class _AnsweringClient:
    """Answers every call, and remembers it."""

    restarts_fast = True
    limit = 5.0

    def __init__(self) -> None:
        self.calls: list[Applied] = []

    def failure(self, call: ApiCall, limit: float) -> None:
        self.calls.append(call.call)

    def forget(self) -> None: ...


def test_an_adapter_is_tried_with_indices_in_a_dtype_that_its_api_takes(cases: dict[str, Case]) -> None:
    client = _AnsweringClient()
    check_calls(cast(Client, client), [(cases["gather_nd.rule.indices-depth/keep.depth-less-than-rank"], API)])
    assert [_dtype_in(call) for call in client.calls] == ["int64"]


def test_an_adapter_is_not_tried_with_an_index_outside_even_where_that_has_a_result(cases: dict[str, Case]) -> None:
    client = _AnsweringClient()
    outside = cases["gather_nd.behaviour.index-outside/one-past-the-size.gpu"]
    assert isinstance(outside.expectation, Returning)
    check_calls(cast(Client, client), [(outside, API)])
    assert client.calls == []


def test_a_dtype_that_is_the_violation_stays(cases: dict[str, Case]) -> None:
    case = cases["gather_nd.behaviour.indices-of-another-dtype/int16"]
    assert _dtype_of_indices(case, follows=None) == "int16"
