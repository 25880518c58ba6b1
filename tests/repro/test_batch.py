"""The causes of a run, and its counterexamples as cases again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.cases.written import written_cases
from conformance.repro.batch import ScriptOrReason, causes, counterexample_cases, with_scripts
from conformance.results.describe import case_record
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ResultRecord, RunRecord, TargetRecord
from tests.cases.draws import CATALOGUE, REFERENCE
from tests.outcomes import returned

TARGET = TargetRecord("t@cpu", "t", "1.0", "cpu", "eager")
CASES = {
    case.id: case
    for case in written_cases(CATALOGUE.operations["gather_elements"], REFERENCE)
    if isinstance(case, Case)
}
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
    return replace(case_record(case), id=f"{case.clause.id}/found.0123abcd", provenance="found")


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
    [again] = counterexample_cases(run_of(counterexample(case)), CATALOGUE, REFERENCE)
    assert again.id == f"{case.clause.id}/found.0123abcd"
    assert case_record(again).digest == case_record(case).digest


def test_a_counterexample_that_the_specs_have_no_clause_for_is_left_out() -> None:
    assert list(counterexample_cases(run_of(replace(counterexample(KEEPS), clause="gone")), CATALOGUE, REFERENCE)) == []


def test_a_case_of_the_specs_is_not_a_counterexample() -> None:
    assert list(counterexample_cases(run_of(case_record(KEEPS)), CATALOGUE, REFERENCE)) == []


def test_a_counterexample_represents_its_cause() -> None:
    record = counterexample(KEEPS)
    run = run_of(record, case_record(KEEPS), result(KEEPS.id), result(record.id), result("other", divergence=["shape"]))
    assert [cause.case for cause in causes(run, TARGET)] == [record.id]


@pytest.mark.parametrize("more", [{"standing": "own"}, {"verdict": "died", "divergence": []}])
def test_an_own_divergence_and_a_death_are_causes_without_a_counterexample(more: dict[str, Any]) -> None:
    assert len(causes(run_of(result("a", **more)), TARGET)) == 1


def test_a_script_replaces_that_of_its_result_and_of_no_other() -> None:
    run = run_of(result("a", script="old"), result("b", script="kept"), result("c", script="old"))
    written = [ScriptOrReason(run.results[0], "new"), ScriptOrReason(run.results[2], None, "gone")]
    assert [result.script for result in with_scripts(run, written).results] == ["new", "kept", None]
