"""A mode that is a path: what cannot be exported, and which step changed a result."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.execution.plan import Interpreters, Plan, jobs
from conformance.execution.runner import run
from conformance.findings.behaviour import behaviour_text
from conformance.findings.conclusions import Conclusions
from conformance.outcomes.model import NotExported
from conformance.reports.details import details
from conformance.reports.remarks import remarks
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import RunRecord
from tests.execution.harness import FAKES, fake_cases, result_of

ADAPTER = FAKES / "path" / "path.py"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("exported")
    target_jobs = jobs([f"{ADAPTER}[{mode}]" for mode in ("eager", "export")], Interpreters(here=True))
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    run(Plan(record, target_jobs, fake_cases(), 30.0, 2), folder / FILE_NAME, [])
    return read_results(folder)


@pytest.fixture(scope="module")
def exported(results: Results) -> Results:
    of_path = [target.id for target in results.targets if target.path]
    return replace(results, results=[one for one in results.results if one.target in of_path])


def test_a_call_that_cannot_be_exported_neither_conforms_nor_raises(exported: Results) -> None:
    result = result_of(exported, "fake.refused", "lucky")
    assert result.verdict == "unsupported"
    assert result.outcome == NotExported("RuntimeError: no such operator")
    assert behaviour_text(result) == "cannot be exported"


def test_an_error_of_the_framework_itself_is_not_one_of_the_exporter(exported: Results) -> None:
    assert result_of(exported, "fake.formless", "lucky").outcome.status == "unsupported"


def test_an_error_proves_nothing_if_its_control_cannot_be_exported(exported: Results) -> None:
    result = result_of(exported, "fake.refused", "outside")
    assert result.outcome.status == "raised"
    assert (result.verdict, result.explanation) == ("unsupported", "the control of this call cannot be exported")


@pytest.mark.parametrize(
    ("api", "case", "step"),
    [
        ("fake.reversed_by_exporter", "lucky", "exporter"),
        ("fake.reversed_by_runtime", "lucky", "runtime"),
        ("fake.changed_twice", "lucky", None),
        ("fake.wrong", "lucky", "framework"),
        ("fake.unchecked", "outside", "exporter"),
    ],
)
def test_a_finding_names_the_step_that_changed_the_result(
    exported: Results, api: str, case: str, step: str | None
) -> None:
    result = result_of(exported, api, case)
    assert (result.verdict, result.step) == ("diverges", step)


def test_a_step_is_named_only_on_a_path(results: Results) -> None:
    eager = [target.id for target in results.targets if not target.path]
    wrong = [one for one in results.results if one.target in eager and one.verdict == "diverges"]
    assert {one.api for one in wrong} == {"fake.wrong"}
    assert {one.step for one in wrong} == {None}


def test_the_remarks_count_what_cannot_be_exported(results: Results) -> None:
    [remark] = remarks(results)
    assert "cannot export 3 of 28 calls; the most common reason: RuntimeError: no such operator" in remark


def test_what_a_path_does_is_no_cause_of_the_framework_and_is_worded_as_the_paths(results: Results) -> None:
    reversed_only = [cause for cause in Conclusions(results).causes if "fake.reversed_by_exporter" in cause.apis]
    assert [cause.on_path for cause in reversed_only] == [True]
    result = reversed_only[0].worst.first
    assert details(results, result).startswith(f"{result.api} exported by {result.target} ")
