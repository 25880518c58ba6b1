"""Forked workers are compared with new processes, and differences between them are found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.environments.resolve import resolve
from conformance.judging.vocabulary import Determinism
from conformance.results.file import Results
from conformance.results.records import EndRecord, ResultRecord, RunRecord, TargetRecord
from tests.execution.harness import FAKES, fake_cases
from tests.outcomes import ABORT, SEGFAULT, returned
from tests.planted.start_methods import Comparison, compared, comparisons, representative_cases


def results(*records: ResultRecord, blocked: str | None = None) -> Results:
    found = Results(RunRecord("", "", 0, "", ""), end=EndRecord(True, {}, None))
    found.results.extend(records)
    found.targets.append(TargetRecord("mine@cpu", "mine", "1", "cpu", "eager", blocked=blocked))
    return found


def result(**more: Any) -> ResultRecord:
    return replace(ResultRecord("a case", "mine@cpu", "an api", "a clause", returned(), "conforms", "own"), **more)


OTHER = replace(returned(), digest="other")


@pytest.mark.parametrize(
    ("forked", "spawned", "agree"),
    [
        (result(), result(), True),
        (result(), result(outcome=OTHER), False),
        (result(), result(verdict="diverges", divergence=["value"]), False),
        (result(outcome=SEGFAULT, verdict="died"), result(outcome=SEGFAULT, verdict="died"), True),
        (result(outcome=SEGFAULT, verdict="died"), result(outcome=ABORT, verdict="died"), False),
        # What is out of bounds may be read from any memory.
        (
            result(verdict="diverges", divergence=["accepted"]),
            result(verdict="diverges", divergence=["accepted"], outcome=OTHER),
            True,
        ),
    ],
)
def test_outcomes_agree_if_they_end_alike_and_judged_values_are_equal(
    forked: ResultRecord, spawned: ResultRecord, agree: bool
) -> None:
    assert compared(results(forked), results(spawned)).agree is agree


def test_what_varies_within_a_run_is_counted_and_not_compared() -> None:
    varying = result(case="varies", determinism=Determinism(30, 2, "varies", permitted=True))
    flaky = result(case="flaky", verdict="diverges", divergence=["value", "unstable"])
    one = results(result(), varying, flaky)
    other = results(result(), replace(varying, outcome=OTHER), replace(flaky, verdict="conforms", divergence=[]))
    assert compared(one, other).found == "equal outcomes: 1; not compared, since they vary: 2"


def test_a_result_of_one_run_only_a_blocked_target_and_nothing_at_all_are_failures() -> None:
    assert "only one of them has a result" in compared(results(result()), results()).found
    blocked = compared(results(blocked="no such device"), results(result()))
    assert blocked == Comparison(False, "not compared: no such device")
    assert not compared(results(), results()).agree


def test_an_adapter_that_can_tell_is_found_out() -> None:
    """Its results depend on how its process was started."""
    targets = resolve(
        [str(FAKES / "tells_how_it_was_started.py"), str(FAKES / "wrong_after_first_call.py")], {}, here=True
    )
    case = next(case for case in fake_cases() if case.operation.name == "gather_elements")
    tells, wrong = comparisons(targets, [case])
    assert not tells.agree
    assert "conforms (returned) if forked, diverges (returned, value) as a new process" in tells.found
    assert wrong.agree


def test_the_cases_have_every_clause_once() -> None:
    clauses = [case.clause.id for case in representative_cases()]
    assert len(clauses) == len(set(clauses)) > 100
