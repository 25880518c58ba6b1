"""What is asked of a function that follows an API: the API itself passes it, but for its known divergences."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import pytest

import conformance
from conformance.adapter import Api
from conformance.api import own_tests
from conformance.data_folders import adapters_folder
from conformance.execution.attempt import judged_here, result_record
from conformance.judging.asking import described_apis
from conformance.judging.subject import Subject
from conformance.known.load import concerns, known_beside
from conformance.known.model import KnownDivergence
from conformance.specification.model import Operation
from conformance.worker import adapters

KNOWN = {name: known_beside(adapters_folder() / name / "adapter.py") for name in ("numpy", "torch", "onnx")}


def documented(framework: str, operations: Collection[str] | None = None) -> Iterator[tuple[str, Api]]:
    """The APIs of an adapter with the name by which a document about their operation describes them."""
    for api in adapters.load(str(adapters_folder() / framework / "adapter.py")).apis:
        name = api.follows or api.name
        if (operations is None or api.operation in operations) and described_apis(operation(api.operation), [name]):
            yield name, api


def operation(name: str) -> Operation:
    return own_tests._cases(name, None)[0].operation


def entries_about(framework: str, api: str, case: conformance.Case) -> list[KnownDivergence]:
    facts = case.suite_case.facts
    return [
        entry
        for entry in KNOWN[framework].entries
        if entry.is_about(api) and any(concerns(entry, pattern, facts) for pattern in entry.patterns)
    ]


def asked(name: str, follows: str | None, *, outside: bool = False) -> list[conformance.Case]:
    mark = conformance.load_cases(name, follows=follows, outside=outside)
    cases: list[conformance.Case] = mark.args[1]  # type: ignore[attr-defined]
    return cases


def failures_of_numpy(operations: Collection[str] | None = None) -> tuple[list[tuple[str, str]], set[str], int]:
    """What documented APIs fail that is asked of those that follow them, the operations, and the number of calls."""
    adapter = adapters.load(str(adapters_folder() / "numpy" / "adapter.py"))
    failures, made, tried = [], 0, set()
    for name, api in documented("numpy", operations):
        tried.add(api.operation)
        for case in asked(api.operation, name):
            if not entries_about("numpy", api.name, case):
                subject = Subject("own", api.in_place, immutable=False)
                result = result_record(judged_here(adapter, api, case.suite_case, subject), "numpy")
                made += 1
                if result.verdict in ("diverges", "blocked"):
                    failures.append((api.name, case.id))
    return failures, tried, made


def test_the_apis_of_numpy_that_differ_most_from_others_pass_what_is_asked_of_those_that_follow_them() -> None:
    """It takes some seconds, since the cases of four operations are made and called."""
    operations = {"gather_elements", "scatter_elements", "index_select", "take_into"}
    failures, tried, made = failures_of_numpy(operations)
    assert not failures
    assert tried == operations
    assert made > 50


@pytest.mark.slow
def test_each_documented_api_of_numpy_passes_what_is_asked_of_those_that_follow_it() -> None:
    failures, tried, made = failures_of_numpy()
    assert not failures
    assert len(tried) > 10
    assert made > 500


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", ["torch", "onnx"])
def test_each_documented_api_of_a_framework_passes_what_is_asked_of_those_that_follow_it(framework: str) -> None:
    operations = ["index_select"]
    target = {"onnx": "onnx[opset18]"}.get(framework, framework)
    results = conformance.run(target, operations=operations)._records
    followed = {
        (mapping.api, mapping.operation): {case.id for case in asked(mapping.operation, mapping.follows or mapping.api)}
        for mapping in results.mappings
        if not mapping.composed
        and mapping.operation in operations
        and described_apis(operation(mapping.operation), [mapping.follows or mapping.api])
    }
    failures = [
        (result.api, result.case)
        for result in results.results
        if result.case in followed.get((result.api, results.cases[result.case].operation), ())
        and result.verdict in ("diverges", "died", "hung")
        and result.known is None
    ]
    assert not failures
    assert any(followed.values())


def test_a_call_in_which_documents_contradict_each_other_is_asked_of_no_function_that_follows_none_of_them() -> None:
    """-1 is an error by MindSpore and counts from the end by ONNX, whichever clause the call tests."""
    minus_one = "index_select.behaviour.an-index-outside-is-an-error/minus-one"
    assert minus_one not in {case.id for case in asked("index_select", None)}
    assert minus_one in {case.id for case in asked("index_select", "mindspore.ops.gather")}
    assert minus_one not in {case.id for case in asked("index_select", "numpy.take")}
    for case in asked("index_select", None):
        case.check(lambda dim, index, **data: np.take(data["input"], index, axis=dim))


def test_the_same_call_with_an_error_in_another_clause_is_a_contradiction() -> None:
    shorter = "take_into.behaviour.an-out-of-another-shape-takes-that-of-the-result/one-shorter"
    assert shorter not in {case.id for case in asked("take_into", None)}
    assert shorter in {case.id for case in asked("take_into", "torch.index_select")}


def test_of_a_call_that_is_not_judged_its_memory_is_watched() -> None:
    outside = {case.id: case for case in asked("index_select", None, outside=True)}
    case = outside["index_select.behaviour.an-index-outside-is-an-error/minus-one"]
    assert case.raises is None
    case.check(lambda **_: 0)
    assert case.id not in {case.id for case in asked("index_select", None, outside=False)}
