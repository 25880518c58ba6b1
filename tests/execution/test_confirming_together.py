"""Like findings share two processes, each of which begins with another; company confirms nothing that is right alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.execution import confirm
from conformance.execution.attempt import AttemptResult, CallAttempt, History, result_record
from conformance.execution.confirm import ALONE_IF_GRAVE, companies, packed
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import Divergence
from conformance.outcomes.model import Returned
from conformance.outcomes.observation import Observation
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.specification.literals import Tensor
from tests.execution.harness import fake_cases, run_adapters

NUMBER = 20
ADAPTER = """
import os
import numpy as np
from conformance.adapter import api

earlier = []

@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    result = np.take_along_axis(input, index, dim)
    number = int(input[0])
    last = max(earlier, default=0)
    earlier.append(number)
    return {}
"""


def numbered(number: int, *, dtype: str = "int64", length: int = 1) -> Case:
    """A case whose first element, and whose expected result, is its number."""
    case = fake_cases()[0]
    value = Tensor(dtype, np.array([number]), None)
    elements = Tensor(dtype, np.array([number] * length), None)
    call = case.call.with_arguments({"input": elements, "index": Tensor("int64", np.array([0]), None)})
    return replace(case, id=f"{case.clause.id}/{number}", call=call, expectation=Returns(value, False, "spec"))


CASES = [numbered(number) for number in range(1, NUMBER + 1)]


def run(folder: Path, result: str, cases: Sequence[Case] = CASES) -> Results:
    folder.mkdir()
    (folder / "fake.py").write_text(ADAPTER.format(result))
    return run_adapters(folder, [folder / "fake.py"], cases=cases)


def how(results: Results) -> Counter[str | None]:
    return Counter(result.confirmed for result in results.results)


def processes(tmp_path: Path, found: Results) -> int:
    """The number of processes that confirmed findings: more than where all is right."""
    right = run(tmp_path / "right", "result")
    assert how(right) == {None: NUMBER}
    return (found.targets[0].forks or 0) - (right.targets[0].forks or 0)


def test_like_findings_are_confirmed_in_two_processes(tmp_path: Path) -> None:
    found = run(tmp_path / "wrong", "result.astype('float64')")
    assert {tuple(result.divergence) for result in found.results} == {("dtype",)}
    assert how(found) == {"alone": 2, "after-others": NUMBER - 2}
    assert processes(tmp_path, found) == 2


def test_of_what_is_grave_and_unknown_eight_are_confirmed_alone(tmp_path: Path) -> None:
    found = run(tmp_path / "wrong", "result + 1")
    assert {tuple(result.divergence) for result in found.results} == {("value",)}
    assert how(found) == {"alone": ALONE_IF_GRAVE, "after-others": NUMBER - ALONE_IF_GRAVE}
    assert processes(tmp_path, found) == ALONE_IF_GRAVE


def test_findings_of_other_kinds_share_no_process(tmp_path: Path) -> None:
    found = run(tmp_path / "wrong", "result.astype('float64') if number % 2 else result[:, None]")
    assert how(found) == {"alone": 4, "after-others": NUMBER - 4}
    assert processes(tmp_path, found) == 4


def test_what_is_right_alone_is_confirmed_by_no_company(tmp_path: Path) -> None:
    found = run(tmp_path / "wrong", "result.astype('float64') if last else result")
    wrong = [result for result in found.results if result.verdict == "diverges"]
    assert len(wrong) == NUMBER - 1
    assert {tuple(result.divergence) for result in wrong} == {("dtype", "contaminated")}
    assert {result.confirmed for result in wrong} == {"after-others"}


def test_what_differs_in_company_is_repeated_alone(tmp_path: Path) -> None:
    cases = [*CASES, numbered(100, dtype="int32")]  # with which the second process begins
    found = run(tmp_path / "wrong", "result.astype('float64') + (last > number)", cases)
    assert {tuple(result.divergence) for result in found.results} == {("dtype",)}
    assert how(found) == {"alone": 2 + (NUMBER - 1) // 2, "after-others": NUMBER // 2}


def test_findings_that_are_not_alike_share_a_process_if_there_are_too_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm, "PROCESSES", 1)
    found = run(tmp_path / "wrong", "result.astype('float64') if number % 2 else result[:, None]")
    assert how(found) == {"alone": 1, "after-others": NUMBER - 1}
    assert processes(tmp_path, found) == 1


def test_what_is_grave_and_unknown_begins_a_process_if_there_are_too_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm, "PROCESSES", 1)
    found = run(tmp_path / "wrong", f"result + 1 if number == {NUMBER} else result.astype('float64')")
    [alone] = [result for result in found.results if result.confirmed == "alone"]
    assert alone.divergence == ["value"]
    assert how(found) == {"alone": 1, "after-others": NUMBER - 1}


def test_a_process_begins_with_each_group_before_one_begins_with_another_of_a_group() -> None:
    one, two, three = ([[finding(case)] for case in cases] for cases in (CASES[:3], CASES[3:4], CASES[4:6]))
    heads = [company[0].attempt.case.id for company in packed([one, two, three], 3)]
    assert heads == [group[0][0].attempt.case.id for group in (one, two, three)]
    assert packed([one, two, three], 6) == [*one, *two, *three]
    assert sum(len(company) for company in packed([one, two, three], 4)) == 6


def test_each_death_is_confirmed_alone(tmp_path: Path) -> None:
    found = run(tmp_path / "wrong", "os.abort() if number % 2 else result.astype('float64')")
    died = [result for result in found.results if result.verdict == "died"]
    assert {result.confirmed for result in died} == {"alone"}
    assert len(died) == NUMBER // 2
    assert how(found) == {"alone": NUMBER // 2 + 2, "after-others": NUMBER // 2 - 2}


def finding(case: Case, *divergences: Divergence) -> AttemptResult:
    attempt = CallAttempt(case, "fake.gather", Subject("portability", None, immutable=False), case.call, {}, None)
    returned = Observation(Returned("int64", (1,), "digest"))
    return AttemptResult(attempt, returned, Judgement("diverges", [*divergences]), History([], 0))


def record(result: AttemptResult) -> ResultRecord:
    return result_record(result, "fake")


@pytest.mark.parametrize(("dtype", "length"), [("int32", 3), ("int64", 9)])
def test_the_first_process_begins_with_the_smallest_call_and_the_second_with_the_most_different(
    dtype: str, length: int
) -> None:
    cases = [
        numbered(1, length=5),
        numbered(2, length=8),
        numbered(3, length=2),
        numbered(4, dtype=dtype, length=length),
        numbered(5, length=6),
    ]
    first, second = companies([finding(case, "dtype") for case in cases], record)
    assert [one.attempt.case.id.rpartition("/")[2] for one in first] == ["3", "1", "5"]
    assert [one.attempt.case.id.rpartition("/")[2] for one in second] == ["4", "2"]
