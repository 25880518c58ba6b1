"""Scripts of results that need more than one call: after others, after several, or only sometimes."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cli.reproducing import reproducer
from conformance.data_folders import adapters_folder
from conformance.environments.prepared_target import Prepared
from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Died
from conformance.repro.batch import scripts
from conformance.repro.errors import NoScript
from conformance.results.file import Results
from conformance.results.observed import CaseResult
from conformance.results.records import ResultRecord
from conformance.specification.loader import load_specs
from tests.execution.harness import FAKES, THIS_ENVIRONMENT, WRONG_ADAPTERS, fake_cases, job, run_adapters

SUM = "tensor_scatter_nd_add.behaviour.duplicates-are-summed/scalars"


def script_of(results: Results, result: ResultRecord, cases: list[Case], adapter: Path) -> str:
    """The verified script of a result; NoScript if it has none."""
    by_id = {case.id: case for case in cases}
    run = replace(results, results=[replace(result, script=None)])
    case_result = CaseResult(by_id[result.case], result, results.targets[-1], results.mappings)
    with reproducer(Prepared(job(adapter).target, THIS_ENVIRONMENT), 10.0, run, by_id) as reproduce:
        script = reproduce(case_result)
    if script.mismatch is not None:
        raise NoScript(script.mismatch)
    return script.text


def run_alone(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "alone.py"
    path.write_text(script)
    return subprocess.run([sys.executable, "-I", path], capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def polluted(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_adapters(tmp_path_factory.mktemp("run"), [WRONG_ADAPTERS / "order_dependent.py"])


def order_dependent(results: Results) -> ResultRecord:
    return next(one for one in results.results if one.polluter is not None and one.case.endswith("as-printed"))


def test_every_order_dependent_result_has_a_script_with_the_call_before_it(polluted: Results, tmp_path: Path) -> None:
    result = order_dependent(polluted)
    script = script_of(polluted, result, fake_cases(), WRONG_ADAPTERS / "order_dependent.py")
    assert script.index("earlier = ") < script.index("got = ")
    assert run_alone(script, tmp_path).returncode == 0


def test_a_polluter_that_the_run_did_not_find_is_that_of_another_result(polluted: Results) -> None:
    known = order_dependent(polluted)
    unknown = replace(known, polluter=None)
    cases, adapter = fake_cases(), WRONG_ADAPTERS / "order_dependent.py"
    with pytest.raises(NoScript, match="only after other calls, which the run did not narrow down to one"):
        script_of(polluted, unknown, cases, adapter)
    by_id = {case.id: case for case in cases}
    with reproducer(Prepared(job(adapter).target, THIS_ENVIRONMENT), 10.0, polluted, by_id) as reproduce:
        target = polluted.targets[-1]
        assert reproduce(CaseResult(by_id[known.case], unknown, target, polluted.mappings)).mismatch is None


def test_a_polluter_that_has_no_effect_is_the_reason_why_there_is_no_script(polluted: Results) -> None:
    result = order_dependent(polluted)
    assert result.polluter is not None
    harmless = replace(result, polluter=replace(result.polluter, case="gather_elements.example.lucky/as-printed"))
    with pytest.raises(NoScript, match=r"not wrong after fake\.\w+ with gather_elements\.example\.lucky/as-printed"):
        script_of(polluted, harmless, fake_cases(), WRONG_ADAPTERS / "order_dependent.py")


def test_a_call_that_ends_the_process_only_after_valid_ones_is_shown_after_as_many_as_it_needs(tmp_path: Path) -> None:
    adapter = FAKES / "ends_after_valid_calls.py"
    results = run_adapters(tmp_path, [adapter])
    [outside] = [one for one in results.results if one.case == "gather_elements.example.outside/as-printed"]
    died = replace(outside, outcome=Died(signal="SIGABRT"), verdict="died", divergence=[])
    script = script_of(results, died, fake_cases(), adapter)
    assert "for repetition in range(3):" in script
    assert run_alone(script, tmp_path).returncode == -6


def test_a_flaky_result_is_repeated_and_says_how_often_it_was_what(tmp_path: Path) -> None:
    adapter = WRONG_ADAPTERS / "duplicates.py"
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    cases = [case for case in build_cases(load_specs().only([SUM.partition(".")[0]]), reference) if case.id == SUM]
    results = run_adapters(tmp_path, [adapter], cases=cases)
    [loses] = [one for one in results.results if one.api == "fake.loses"]
    assert "unstable" in loses.divergence
    script = script_of(results, loses, cases, adapter)
    printed = run_alone(script, tmp_path).stdout
    assert sorted(re.findall(r"^(\d+) of 30 times got: array", printed, re.MULTILINE)) == ["10", "20"]


def test_a_flaky_result_that_is_always_right_has_no_script_and_says_in_how_many_repetitions(tmp_path: Path) -> None:
    adapter = FAKES / "ends_after_valid_calls.py"
    results = run_adapters(tmp_path, [adapter])
    [lucky] = [one for one in results.results if one.case == "gather_elements.example.lucky/as-printed"]
    flaky = replace(lucky, verdict="diverges", divergence=["value", "unstable"])
    with pytest.raises(NoScript, match="none of 300 repetitions was wrong in a new process"):
        script_of(results, flaky, fake_cases(), adapter)


def test_a_repeated_result_is_shown_with_the_threads_that_it_was_repeated_with(polluted: Results) -> None:
    graded = replace(order_dependent(polluted), determinism=Determinism(30, 1, "same-bits", permitted=True, threads=3))
    script = script_of(polluted, graded, fake_cases(), WRONG_ADAPTERS / "order_dependent.py")
    assert "# Environment: OMP_NUM_THREADS=3" in script


def test_a_cause_without_a_script_keeps_the_reason(polluted: Results) -> None:
    def none(result: CaseResult) -> None:
        raise NoScript(f"none for {result.case.id}")

    by_id = {case.id: case for case in fake_cases()}
    outcomes = list(scripts(polluted, polluted.targets[-1], by_id, none))  # type: ignore[arg-type]
    assert outcomes
    assert {outcome.reason for outcome in outcomes} == {f"none for {outcome.result.case}" for outcome in outcomes}
