"""The causes of a run, and its counterexamples as cases again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.draws.source import DrawSource
from conformance.cases.model import Case
from conformance.cases.written import written_cases
from conformance.findings.conclusions import Conclusions
from conformance.repro.batch import ScriptOrReason, polluters_of, recorded_cases, representatives, with_scripts
from conformance.results.describe import case_record
from conformance.results.file import Results
from conformance.results.records import CaseRecord, PolluterRecord, ResultRecord, RunRecord, TargetRecord
from conformance.results.variations import FoundRecord, is_meant_to_break
from tests.cases.draws import CATALOGUE, REFERENCE
from tests.outcomes import returned

TARGET = TargetRecord("t@cpu", "t", "1.0", "cpu", "eager")
CASES = {
    case.id: case
    for case in written_cases(CATALOGUE.operations["gather_elements"], REFERENCE)
    if isinstance(case, Case)
}
DRAWN = [
    case
    for case in DrawSource(3, 7, "", None).cases(CATALOGUE.operations["gather_elements"], REFERENCE)
    if isinstance(case, Case)
]
BREAKS = CASES["gather_elements.rule.index-range/break.minus-one"]
KEEPS = CASES["gather_elements.rule.result-shape/keep.longer-along-dim"]


def run_of(*records: CaseRecord | ResultRecord) -> Results:
    results = Results(RunRecord("", "", 0, "", ""), targets=[TARGET])
    for record in records:
        if isinstance(record, CaseRecord):
            results.cases[record.id] = record
        else:
            results.results.append(record)
    return results


def counterexample(case: Case) -> CaseRecord:
    return replace(
        case_record(case),
        id=f"{case.clause.id}/found.0123abcd",
        variation=FoundRecord(is_meant_to_break(case_record(case).variation)),
    )


def result(case: str, **more: Any) -> ResultRecord:
    defaults = {
        "api": "t.gather",
        "clause": "c",
        "verdict": "diverges",
        "standing": "portability",
        "divergence": ["value"],
    }
    return ResultRecord(case, TARGET.id, outcome=returned(), **{**defaults, **more})


@pytest.mark.parametrize("case", [BREAKS, KEEPS], ids=["breaks", "keeps"])
def test_a_counterexample_is_a_case_with_the_same_call_and_expectation(case: Case) -> None:
    record = counterexample(case)
    [again] = recorded_cases(run_of(record), CATALOGUE, REFERENCE, {record.id})
    assert again.id == f"{case.clause.id}/found.0123abcd"
    assert case_record(again).digest == case_record(case).digest


def test_a_counterexample_that_the_specs_have_no_clause_for_is_left_out() -> None:
    record = replace(counterexample(KEEPS), clause="gone")
    assert list(recorded_cases(run_of(record), CATALOGUE, REFERENCE, {record.id})) == []


def test_a_case_of_the_specs_is_not_built_again() -> None:
    assert list(recorded_cases(run_of(case_record(KEEPS)), CATALOGUE, REFERENCE, {KEEPS.id})) == []


def test_a_draw_is_a_case_with_the_same_call_and_expectation() -> None:
    records = {case.id: case_record(case) for case in DRAWN}
    again = list(recorded_cases(run_of(*records.values()), CATALOGUE, REFERENCE, records.keys()))
    assert len(again) == len(DRAWN) > 5
    assert {case.id: case_record(case).digest for case in again} == {name: one.digest for name, one in records.items()}


def test_a_result_without_a_polluter_is_tried_after_those_of_the_same_operation() -> None:
    other, common = PolluterRecord("t.gather", KEEPS.id), PolluterRecord("t.gather", BREAKS.id)
    unknown = result(KEEPS.id, divergence=["value", "contaminated"])
    polluted = [result(KEEPS.id, api=f"t.{number}", polluter=common) for number in range(2)]
    elsewhere = replace(polluted[0], target="another", polluter=other)
    run = run_of(case_record(KEEPS), case_record(BREAKS), unknown, *polluted, result("x", polluter=other), elsewhere)
    assert polluters_of(run, unknown) == [common, other]
    assert polluters_of(run, run.results[-2]) == [other]


def test_a_result_whose_polluter_is_known_represents_its_cause() -> None:
    kinds = {"divergence": ["value", "contaminated"]}
    known = result(KEEPS.id, polluter=PolluterRecord("t.gather", BREAKS.id), **kinds)
    run = run_of(case_record(KEEPS), result("short", **kinds), known)
    assert representatives(Conclusions(run), TARGET) == [known]


def test_a_counterexample_represents_its_cause() -> None:
    record = counterexample(KEEPS)
    run = run_of(record, case_record(KEEPS), result(KEEPS.id), result(record.id), result("other", divergence=["shape"]))
    assert [cause.case for cause in representatives(Conclusions(run), TARGET)] == [record.id]


@pytest.mark.parametrize("more", [{"standing": "own"}, {"verdict": "died", "divergence": []}])
def test_an_own_divergence_and_a_death_are_causes_without_a_counterexample(more: dict[str, Any]) -> None:
    assert len(representatives(Conclusions(run_of(result("a", **more))), TARGET)) == 1


def test_a_cause_has_one_script_on_each_of_its_targets_whatever_its_apis_and_clauses() -> None:
    other = replace(TARGET, id="t[compile]@cpu", mode="compile")
    known = {"known": "an-entry", "standing": "own"}
    of_target = [result("a", api="t.f", **known), result("b", api="t.g", clause="d", divergence=["dtype"], **known)]
    run = run_of(*of_target, *(replace(one, target=other.id) for one in of_target), result("c", standing="own"))
    run.targets.append(other)
    assert len(representatives(Conclusions(run), TARGET)) == 2
    assert len(representatives(Conclusions(run), other)) == 1


def test_a_script_replaces_that_of_its_result_and_of_no_other() -> None:
    run = run_of(result("a", script="old"), result("b", script="kept"), result("c", script="old"))
    written = [ScriptOrReason(run.results[0], "new"), ScriptOrReason(run.results[2], None, "gone")]
    assert [result.script for result in with_scripts(run, written).results] == ["new", "kept", None]
