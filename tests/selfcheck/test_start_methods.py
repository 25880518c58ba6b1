"""Forked workers are compared with new processes, and a disagreement is a failure of the suite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from conformance.app.errors import ConformanceError
from conformance.cli import selfcheck
from conformance.environments.resolve import resolve
from conformance.judging.vocabulary import Determinism
from conformance.results.exit_status import BLOCKED, INTERNAL
from conformance.results.file import Results
from conformance.results.records import EndRecord, ResultRecord, RunRecord, TargetRecord
from conformance.selfcheck import start_methods
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.start_methods import compared, detections, representative_cases
from tests.execution.harness import FAKES, fake_cases
from tests.outcomes import ABORT, SEGFAULT, returned


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
    assert compared("mine", results(forked), results(spawned)).caught is agree


def test_what_varies_within_a_run_is_counted_and_not_compared() -> None:
    varying = result(case="varies", determinism=Determinism(30, 2, "varies", permitted=True))
    flaky = result(case="flaky", verdict="diverges", divergence=["value", "unstable"])
    one = results(result(), varying, flaky)
    other = results(result(), replace(varying, outcome=OTHER), replace(flaky, verdict="conforms", divergence=[]))
    assert compared("mine", one, other).found == "equal outcomes: 1; not compared, since they vary: 2"


def test_a_result_of_one_run_only_a_blocked_target_and_nothing_at_all_are_failures() -> None:
    assert "only one of them has a result" in compared("mine", results(result()), results()).found
    blocked = compared("mine", results(blocked="no such device"), results(result()))
    assert (blocked.caught, blocked.found) == (False, "not compared: no such device")
    assert not compared("mine", results(), results()).caught


def test_an_adapter_that_can_tell_is_found_out() -> None:
    """Its results depend on how its process was started."""
    targets = resolve(
        [str(FAKES / "tells_how_it_was_started.py"), str(FAKES / "wrong_after_first_call.py")], {}, here=True
    )
    case = next(case for case in fake_cases() if case.operation.name == "gather_elements")
    tells, wrong = detections(targets, [case])
    assert not tells.caught
    assert "conforms (returned) if forked, diverges (returned, value) as a new process" in tells.found
    assert wrong.caught


def test_the_cases_have_every_clause_once() -> None:
    clauses = [case.clause.id for case in representative_cases()]
    assert len(clauses) == len(set(clauses)) > 100


def test_a_disagreement_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    disagreement = Detection("torch", "the same outcomes", caught=False, found="different outcomes: 1: died")

    def comparisons() -> Iterator[Detection]:
        yield disagreement

    monkeypatch.setattr(selfcheck, "_detections", lambda: iter(()))
    monkeypatch.setattr(selfcheck, "_comparisons", comparisons)
    assert selfcheck.check_self(as_json=True) == 0
    with pytest.raises(
        ConformanceError, match=r"1 of 1 checks of the suite failed.*different outcomes: 1: died"
    ) as raised:
        selfcheck.check_self(as_json=False, frameworks=True)
    assert raised.value.status == INTERNAL


def test_without_an_environment_there_is_nothing_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_methods, "targets_with_environment", list)
    monkeypatch.setattr(selfcheck, "_detections", lambda: iter(()))
    with pytest.raises(ConformanceError, match="conformance env make torch") as raised:
        selfcheck.check_self(as_json=False, frameworks=True)
    assert raised.value.status == BLOCKED
