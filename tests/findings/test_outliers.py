"""One framework differs from all others."""

from __future__ import annotations

from typing import Any

from conformance.findings.outliers import outliers
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import (
    DtypeClaimRecord,
    MappingRecord,
    RelationRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
)
from tests.outcomes import UNSUPPORTED, raised, returned

CASE = "scatter_nd.behaviour.index-outside/one"


def target(framework: str, version: str = "1.0", mode: str = "eager") -> TargetRecord:
    name = f"{framework}=={version}{'' if mode == 'eager' else f'[{mode}]'}@cpu"
    return TargetRecord(name, framework, version, "cpu", mode)


def result(
    of: TargetRecord, outcome: Outcome, case: str = CASE, verdict: Any = "observed", api: str = "f", **more: Any
) -> ResultRecord:
    return ResultRecord(
        case, of.id, f"{of.framework}.{api}", case.partition("/")[0], outcome, verdict, "portability", **more
    )


RAISED = raised()
TORCH, TF, MS, JAX = (target(name) for name in ("torch", "tensorflow", "mindspore", "jax"))


def found(
    *results: ResultRecord, mappings: list[MappingRecord] | None = None, targets: Any = (TORCH, TF, MS, JAX)
) -> list[Any]:
    run = RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0")
    made = Results(run, targets=list(targets), mappings=mappings or [], results=list(results))
    return [(one.target, one.difference, len(one.results), one.others) for one in outliers(made)]


def test_one_that_raises_where_two_others_return_the_same_stands_alone() -> None:
    others = (TORCH.id, TF.id)
    assert found(result(TORCH, returned()), result(TF, returned()), result(MS, RAISED)) == [
        (MS.id, "raised; others: returned", 1, others)
    ]


def test_what_differs_of_two_returned_arrays_is_named_by_the_most_telling() -> None:
    for mine, how in [
        (returned([1, 3]), "different elements"),
        (returned([1, 2, 3]), "different shape"),
        (returned(dtype="int64"), "different dtype"),
    ]:
        assert found(result(TORCH, returned()), result(TF, returned()), result(MS, mine)) == [
            (MS.id, how, 1, (TORCH.id, TF.id))
        ]


def test_nobody_stands_alone_where_the_others_do_not_agree_or_only_one_is_left() -> None:
    assert found(result(TORCH, returned()), result(TF, returned([1, 3])), result(MS, RAISED)) == []
    assert found(result(TORCH, returned()), result(MS, RAISED)) == []


def test_what_is_unsupported_or_blocked_neither_agrees_nor_differs() -> None:
    unsupported = result(TF, UNSUPPORTED, verdict="unsupported")
    assert found(result(TORCH, returned()), unsupported, result(MS, RAISED)) == []
    blocked = result(JAX, RAISED, verdict="blocked")
    assert found(result(TORCH, returned()), result(TF, returned()), blocked) == []


def test_one_whose_other_api_does_as_the_others_does_not_stand_alone() -> None:
    some = [result(TORCH, returned()), result(TF, returned()), result(MS, RAISED)]
    assert found(*some, result(MS, returned(), api="g")) == []


def test_only_one_framework_differs_holds_of_the_compositions_of_the_others_too() -> None:
    composed = MappingRecord(TF.id, "tensorflow.g", "scatter_nd", True, "...")
    three = [result(TORCH, returned()), result(TF, returned()), result(MS, RAISED)]
    assert found(*three, result(TF, returned(), api="g"), mappings=[composed])
    assert found(*three, result(TF, RAISED, api="g"), mappings=[composed]) == []


def test_only_one_framework_differs_holds_in_all_cases_of_the_clause() -> None:
    other_case = f"{CASE}.other"
    three = [result(TORCH, returned()), result(TF, returned()), result(MS, RAISED)]
    assert found(*three, result(TORCH, returned(), other_case), result(TF, RAISED, other_case)) == []


def test_a_flaky_result_of_another_agrees_with_nothing() -> None:
    flaky = result(TF, returned(), divergence=["unstable"])
    assert found(result(TORCH, returned()), flaky, result(MS, RAISED)) == []


def test_a_framework_is_its_newest_version_that_started_in_its_first_mode() -> None:
    old, graph = target("mindspore", "0.9"), target("mindspore", mode="graph")
    gone = TargetRecord("mindspore==2.0@cpu", "mindspore", "2.0", "cpu", "eager", blocked="no wheel")
    some = [result(TORCH, returned()), result(TF, returned()), result(old, RAISED), result(graph, RAISED)]
    assert found(*some, result(MS, returned()), targets=[TORCH, TF, old, MS, graph, gone]) == []
    assert len(found(*some, result(MS, RAISED), targets=[TORCH, TF, old, MS, graph, gone])) == 1


def test_cases_that_come_out_in_the_same_way_are_one_finding_and_relations_and_dtypes_are_none() -> None:
    some = [
        result(of, outcome, f"{CASE}.{name}")
        for name in "ab"
        for of, outcome in ((TORCH, returned()), (TF, returned()), (MS, RAISED))
    ]
    assert found(*some) == [(MS.id, "raised; others: returned", 2, (TORCH.id, TF.id))]
    besides: list[dict[str, Any]] = [
        {"relation": RelationRecord({})},
        {"dtype_claim": DtypeClaimRecord({"updates": "int8"}, "no", None)},
    ]
    for fields in besides:
        assert found(*(result(of, outcome, **fields) for of, outcome in
                       ((TORCH, returned()), (TF, returned()), (MS, RAISED)))) == []  # fmt: skip
