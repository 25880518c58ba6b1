"""A target whose calls hang does not keep a run busy: after a few hangs, calls like these are not made, and say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.execution.budget import HangLimits
from conformance.execution.plan import Plan
from conformance.execution.runner import run
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.specification.literals import Tensor
from conformance.specification.model import Raises
from tests.execution.harness import fake_cases, job
from tests.execution.in_process import InProcessWorker, in_process

ADAPTER = """
import pathlib
import time
import numpy as np
from conformance.adapter import api

def hanging(name, input, dim, index):
    if {}:
        time.sleep(1000)
    return np.take_along_axis(input, index, dim)
"""
API = """
@api("fake.{name}", operation="gather_elements")
def {name}(input, dim, index):
    return hanging("{name}", input, dim, index)
"""
OUTSIDE = "index[0] > 0"


def numbered(number: int, clause: str, *, outside: bool = False) -> Case:
    """A case of a clause of this name; with an index outside, it should raise."""
    case = fake_cases()[0]
    value = Tensor("int64", np.array([number]), None)
    valid = case.call.with_arguments({"input": value, "index": Tensor("int64", np.array([0]), None)})
    call = valid.with_arguments({"index": Tensor("int64", np.array([1]), None)}) if outside else valid
    return replace(
        case,
        id=f"{clause}/{number}",
        clause=replace(case.clause, id=clause),
        call=call,
        control=valid if outside else None,
        expectation=Raises(None) if outside else Returns(value, False, "spec"),
    )


def run_hanging(
    folder: Path, hangs: str, cases: Sequence[Case], limits: HangLimits, apis: Sequence[str] = ("gather",)
) -> Results:
    adapter = folder / "hangs.py"
    adapter.write_text(ADAPTER.format(hangs) + "".join(API.format(name=name) for name in apis))
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    run(Plan(record, [job(adapter)], cases, 30.0, 1, hang_limits=limits), folder / FILE_NAME, [], in_process)
    return read_results(folder)


def verdicts(results: Results, clause: str, api: str = "gather") -> list[str]:
    found = [one for one in results.results if one.clause == clause and one.api == f"fake.{api}"]
    return [one.verdict for one in sorted(found, key=lambda one: int(one.case.rpartition("/")[2]))]


def reasons(results: Results) -> set[str | None]:
    return {one.explanation for one in results.results if one.verdict == "blocked"}


def test_after_three_hangs_of_a_clause_its_other_calls_on_the_api_are_blocked_and_others_are_made(
    tmp_path: Path,
) -> None:
    cases = [*(numbered(number, "a.hangs") for number in range(1, 8)), numbered(9, "a.other")]
    results = run_hanging(tmp_path, "input[0] < 9", cases, HangLimits(of_target=100, seconds=10_000.0))
    assert verdicts(results, "a.hangs") == ["hung"] * 3 + ["blocked"] * 4
    assert verdicts(results, "a.other") == ["conforms"]
    assert reasons(results) == {"not run: 3 calls of this clause already hung on this API (--hangs-per-clause)"}


def of_clauses(number: int) -> list[Case]:
    """As many clauses, each with a call that should return and one that should raise."""
    pairs = [
        (numbered(each, f"a.valid-{each}"), numbered(each, f"a.broken-{each}", outside=True)) for each in range(number)
    ]
    return [case for pair in pairs for case in pair]


def blocked(results: Results) -> list[ResultRecord]:
    return [one for one in results.results if one.verdict == "blocked"]


def test_after_so_many_hangs_of_a_target_the_calls_that_should_raise_too_are_blocked_and_valid_ones_are_made(
    tmp_path: Path,
) -> None:
    results = run_hanging(tmp_path, OUTSIDE, of_clauses(8), HangLimits(of_target=5, seconds=10_000.0))
    assert [verdicts(results, f"a.broken-{each}") for each in range(8)] == [["hung"]] * 5 + [["blocked"]] * 3
    assert [verdicts(results, f"a.valid-{each}") for each in range(8)] == [["conforms"]] * 8
    [reason] = reasons(results)
    assert str(reason).startswith("not run: 5 calls of this target already hung, for 150 s in all, some of them alike")


def confirmations(results: Results) -> list[str | None]:
    return [one.confirmed for one in results.results if one.verdict == "hung"]


def test_after_half_of_the_seconds_too_since_repetitions_take_the_other_half(tmp_path: Path) -> None:
    results = run_hanging(tmp_path, OUTSIDE, of_clauses(8), HangLimits(of_target=100, seconds=120.0))
    assert [verdicts(results, f"a.broken-{each}") for each in range(8)] == [["hung"]] * 2 + [["blocked"]] * 6
    assert confirmations(results) == ["alone", "alone"]


def test_the_seconds_are_those_of_the_clock_and_not_limits_of_calls_which_a_busy_machine_exceeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InProcessWorker, "slowness", 3.0)
    results = run_hanging(tmp_path, OUTSIDE, of_clauses(8), HangLimits(of_target=100, seconds=180.0))
    assert [verdicts(results, f"a.broken-{each}") for each in range(8)] == [["hung"]] + [["blocked"]] * 7
    assert confirmations(results) == ["alone"]


def test_a_call_that_hung_is_not_repeated_once_all_seconds_are_spent(tmp_path: Path) -> None:
    results = run_hanging(tmp_path, OUTSIDE, of_clauses(2), HangLimits(seconds=60.0), ["first", "second", "third"])
    assert confirmations(results) == ["no", "no"]
    [reason] = {one.explanation for one in results.results if one.verdict == "hung"}
    assert "not confirmed in a fresh process: calls that hung have taken all the time" in str(reason)


def test_each_other_api_may_hang_once_until_twice_as_many_hung_in_all(tmp_path: Path) -> None:
    apis = ["first", "second", "third", "fourth"]
    limits = HangLimits(of_target=2, seconds=10_000.0)
    results = run_hanging(tmp_path, OUTSIDE, of_clauses(3), limits, apis)
    hung = [(one.api, one.clause) for one in results.results if one.verdict == "hung"]
    assert sorted(hung) == [(f"fake.{api}", "a.broken-0") for api in sorted(apis)]
    assert len(blocked(results)) == 2 * len(apis)


def test_a_call_that_was_announced_is_not_made_if_it_is_blocked_and_others_need_no_worker_of_their_own(
    tmp_path: Path,
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    cases = [numbered(number, "a.hangs") for number in range(1, 40)]
    condition = f"pathlib.Path({str(made)!r}, name + str(input[0])).touch() or (name == 'slow' and input[0] > 20)"
    results = run_hanging(tmp_path, condition, cases, HangLimits(), ["slow", "quick"])
    assert verdicts(results, "a.hangs", "quick") == ["conforms"] * 39
    slow = [int(path.name.removeprefix("slow")) for path in made.iterdir() if path.name.startswith("slow")]
    assert max(slow) == 23
    assert (results.targets[0].forks or 0) < 15
