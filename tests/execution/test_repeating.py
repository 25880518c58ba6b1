"""Calls with duplicate indices are repeated, and their results are graded."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.cases.build import build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.environments.definition import load_definition
from conformance.events import TargetNotice
from conformance.execution import calls
from conformance.execution.client import GaveUp
from conformance.execution.measurements import cores
from conformance.execution.plan import Plan
from conformance.execution.repeat import PROCESSES, ROUNDS, thread_setting
from conformance.execution.runner import run
from conformance.judging.vocabulary import Determinism
from conformance.reports.remarks import not_repeated_texts
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.worker import calls as worker_calls
from tests.execution.harness import FAKES, WRONG_ADAPTERS, Heard, job, job_of, run_adapters
from tests.execution.in_process import in_process

OPEN = "tensor_scatter_nd_update.behaviour.which-duplicate-remains/three-updates-to-one-element"
SUM = "tensor_scatter_nd_add.behaviour.duplicates-are-summed/scalars"
FRACTIONS = "tensor_scatter_nd_add.behaviour.duplicates-are-summed/fractions"
ALL = 1 + PROCESSES
ALONE = PROCESSES * ROUNDS
THREADS = thread_setting(cores())


def chosen_cases() -> list[Case]:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    every = {case.id: case for case in build_cases(load_specs(), reference)}
    # What is expected of GPUs, asked of a process here.
    on_any = replace(every[f"{OPEN}.gpu"], entry=replace(every[f"{OPEN}.gpu"].entry, device=None))
    once = "tensor_scatter_nd_add.rule.result-dtype/keep.float32"
    return [every[f"{OPEN}.cpu"], on_any, every[SUM], every[FRACTIONS], every[once]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_adapters(tmp_path_factory.mktemp("run"), [WRONG_ADAPTERS / "duplicates.py"], cases=chosen_cases())


def result_of(results: Results, api: str, case: str) -> ResultRecord:
    [found] = [one for one in results.results if (one.api, one.case) == (api, case)]
    return found


def without_times(results: Results) -> list[ResultRecord]:
    return [replace(result, seconds=0.0) for result in results.results if result.api != "fake.noise"]


def test_a_slow_machine_gives_the_same_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, results: Results
) -> None:
    clock = itertools.count(0, 60)  # seconds
    monkeypatch.setattr(worker_calls, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    slow = run_adapters(tmp_path, [WRONG_ADAPTERS / "duplicates.py"], cases=chosen_cases())
    assert {result.seconds for result in slow.results} == {60.0}
    assert without_times(slow) == without_times(results)


def test_what_is_the_same_each_time_has_the_same_bits(results: Results) -> None:
    for case in (f"{OPEN}.cpu", f"{OPEN}.gpu"):
        result = result_of(results, "fake.last", case)
        assert result.determinism == Determinism(ALL, 1, "same-bits", permitted=True, threads=THREADS)
        assert result.divergence == []


def test_a_winner_that_changes_is_told_and_permitted_where_the_document_leaves_it_open(results: Results) -> None:
    result = result_of(results, "fake.any", f"{OPEN}.gpu")
    assert result.verdict == "conforms"
    assert result.determinism is not None
    assert (result.determinism.grade, result.determinism.permitted) == ("varies", True)
    assert result.determinism.distinct == 3


def test_a_value_that_no_update_has_is_none_of_the_permitted(results: Results) -> None:
    judged, observed = (result_of(results, "fake.mixes", f"{OPEN}.{device}") for device in ("gpu", "cpu"))
    assert (judged.verdict, judged.divergence) == ("diverges", ["value"])
    assert (observed.verdict, observed.divergence) == ("observed", [])
    assert (
        judged.determinism == observed.determinism == Determinism(ALL, 1, "same-bits", permitted=False, threads=THREADS)
    )


def test_noise_is_an_unstable_value(results: Results) -> None:
    result = result_of(results, "fake.noise", SUM)
    assert result.divergence == ["value", "unstable"]
    assert result.determinism is not None
    assert result.determinism.distinct > 2
    assert replace(result.determinism, distinct=0) == Determinism(ALONE, 0, "varies", permitted=False, threads=THREADS)


def test_what_goes_wrong_in_some_calls_alone_is_unstable_and_says_in_how_many(results: Results) -> None:
    result = result_of(results, "fake.loses", SUM)
    assert result.divergence == ["value", "unstable"]
    assert f"of {ALONE} repetitions were wrong" in str(result.explanation)
    assert result_of(results, "fake.fails_later", SUM).divergence == ["rejected", "unstable"]


def test_what_is_wrong_only_after_another_call_is_order_dependent_and_not_unstable(results: Results) -> None:
    of_api = [
        one for one in results.results if one.api == "fake.cached" and one.determinism and one.verdict == "diverges"
    ]
    assert of_api
    for result in of_api:
        assert result.divergence == ["value", "contaminated"]
        assert result.polluter is not None
        assert result.polluter.api == "fake.cached"
        assert result.determinism == Determinism(ALONE, 1, "same-bits", permitted=True, threads=THREADS)


def test_a_call_that_is_right_at_first_and_wrong_ever_after_is_order_dependent_and_not_unstable(
    results: Results,
) -> None:
    of_api = [one for one in results.results if one.api == "fake.once" and one.verdict == "diverges"]
    assert {one.case for one in of_api} >= {FRACTIONS}
    for result in of_api:
        assert result.divergence == ["value", "contaminated"]
        assert result.polluter is not None
        assert result.polluter.api == "fake.once"
        assert "correct in a fresh process" in str(result.explanation)


VARYING = """
import os
import numpy as np
from conformance.adapter import api

calls = []

@api("fake.varies", operation="tensor_scatter_nd_add")
def add(tensor, indices, updates):
    result = tensor.copy()
    np.add.at(result, tuple(np.moveaxis(indices, -1, 0)), updates)
    calls.append(None)
    return result + np.array({}, tensor.dtype)
"""


def repeated_alike(folder: Path, error: str, number: int) -> Results:
    """The results of one call in so many cases, and of one in another dtype, on an API with this error in its sums."""
    sums = [case for case in chosen_cases() if case.id == SUM]
    alike = [replace(case, id=f"{SUM}.{copy}") for case in sums for copy in range(number)]
    other = [case for case in chosen_cases() if case.id == FRACTIONS]
    folder.mkdir()
    (folder / "varying.py").write_text(VARYING.format(error))
    return run_adapters(folder, [folder / "varying.py"], cases=[*alike, *other])


def test_calls_of_one_form_that_vary_share_their_processes(tmp_path: Path) -> None:
    one, four = (repeated_alike(tmp_path / str(number), "os.getpid() % 2", number) for number in (1, 4))
    assert {(*result.divergence,) for result in four.results} == {("value", "unstable")}
    assert {result.determinism.repeats for result in four.results if result.determinism} == {ALONE}
    assert [result.confirmed for result in four.results] == ["alone", *["after-others"] * 3, "alone"]
    assert four.targets[0].forks == one.targets[0].forks


def test_what_varies_only_after_like_calls_is_repeated_without_them(tmp_path: Path) -> None:
    results = repeated_alike(tmp_path / "once", "len(calls) > 1", 4)
    wrong = [result for result in results.results if result.verdict == "diverges"]
    assert len(wrong) == 5
    fewer = 3 * ROUNDS
    assert {(*result.divergence,) for result in wrong} == {("value", "contaminated")}
    assert {(result.determinism.repeats, result.determinism.distinct) for result in wrong if result.determinism} == {
        (ALONE, 2),
        (fewer, 2),
    }


AFTER_ANOTHER_DTYPE = "bool(calls[:-1]) and calls[-2] != tensor.dtype"


@pytest.mark.parametrize(
    ("error", "repeats"),
    [
        (AFTER_ANOTHER_DTYPE, 3 * ROUNDS),
        ("os.getpid() % 2", ALONE),
        (f"(os.getpid() % 2 if tensor.dtype == 'float32' else {AFTER_ANOTHER_DTYPE})", ALONE),
    ],
)
def test_once_an_api_depends_on_earlier_calls_those_of_other_clauses_take_fewer_processes_unless_they_vary_there(
    tmp_path: Path, error: str, repeats: int
) -> None:
    first, second = (case for case in chosen_cases() if case.id in (SUM, FRACTIONS))
    for call, dtype in ((first.call, "int32"), (second.call, "float32")):
        tensor = call.arguments["tensor"]
        assert isinstance(tensor, Tensor)
        assert tensor.dtype == dtype
    second = replace(second, clause=replace(second.clause, id="another.clause"))
    (tmp_path / "varying.py").write_text(VARYING.format(error).replace("append(None)", "append(tensor.dtype)"))
    found = run_adapters(tmp_path, [tmp_path / "varying.py"], cases=[first, second]).results
    assert [result.determinism and result.determinism.repeats for result in found] == [ALONE, repeats]


def test_sums_of_fractions_may_differ_by_rounding_and_no_more(results: Results) -> None:
    right, wrong = (result_of(results, api, FRACTIONS) for api in ("fake.rounds", "fake.loses"))
    assert right.verdict == "conforms"
    assert right.determinism is not None
    assert right.determinism.permitted is True
    assert "value" in wrong.divergence
    assert wrong.differences is not None
    assert wrong.differences.bound == 1.0e-5


def test_a_call_without_duplicates_is_made_once(results: Results) -> None:
    once = [one for one in results.results if one.case.endswith("keep.float32")]
    assert len(once) == 6
    assert {one.determinism for one in once} == {None}


def test_a_mode_whose_first_calls_are_expensive_is_repeated_in_one_process(tmp_path: Path) -> None:
    definition = load_definition(FAKES / "modes" / "target.toml", "modes")
    expensive = job_of(replace(job(WRONG_ADAPTERS / "duplicates.py").target, definition=definition, mode="expensive"))
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    run(Plan(record, [expensive], chosen_cases(), 30.0, 1), tmp_path / FILE_NAME, [], in_process)
    found = read_results(tmp_path)
    assert result_of(found, "fake.last", f"{OPEN}.gpu").determinism == Determinism(
        1 + ROUNDS, 1, "same-bits", permitted=True, threads=THREADS
    )
    varies = result_of(found, "fake.any", f"{OPEN}.gpu").determinism
    assert varies is not None
    assert (varies.grade, varies.permitted) == ("varies", True)
    assert result_of(found, "fake.loses", SUM).divergence == ["value", "unstable"]


def test_a_target_without_threads_makes_each_call_once(tmp_path: Path) -> None:
    definition = load_definition(FAKES / "modes" / "target.toml", "modes").model_copy(update={"threads": []})
    of_one_thread = job_of(replace(job(WRONG_ADAPTERS / "duplicates.py").target, definition=definition, mode="eager"))
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    run(Plan(record, [of_one_thread], chosen_cases(), 30.0, 1), tmp_path / FILE_NAME, [], in_process)
    found = read_results(tmp_path)
    assert result_of(found, "fake.last", f"{OPEN}.gpu").verdict == "conforms"
    assert {one.determinism for one in found.results} == {None}


def test_there_is_one_result_for_each_case_and_api(results: Results) -> None:
    pairs = [(one.api, one.case) for one in results.results]
    assert len(pairs) == len(set(pairs)) == 3 * 2 + 6 * 3


def test_repetitions_that_the_target_gave_up_are_said_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise GaveUp("five workers in a row ended\nwith more lines")

    monkeypatch.setattr(calls, "repeated", give_up)
    listener = Heard()
    adapter = WRONG_ADAPTERS / "duplicates.py"
    results = run_adapters(tmp_path, [adapter], cases=chosen_cases()[:1], listeners=[listener])
    assert {one.determinism for one in results.results} == {None}
    assert [target.not_repeated for target in results.targets] == ["five workers in a row ended"]
    notices = [event.message for event in listener.events if isinstance(event, TargetNotice)]
    assert notices == ["calls with duplicate indices were not repeated: five workers in a row ended"]
    assert not_repeated_texts(results) == [
        "duplicates@cpu did not repeat calls with duplicate indices: five workers in a row ended"
    ]
