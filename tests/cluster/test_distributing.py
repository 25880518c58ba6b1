"""A run in units is the same run, whatever happens to the machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.shards import Shard, parse_shard
from conformance.cluster.messages import Blocked, Ended, EngineLost, Lost, Message, Output, Refused
from conformance.cluster.unit import Attempt
from conformance.events import TargetBlocked, TargetFinished, TargetNotice, TargetStarted
from conformance.outcomes.model import Died
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from tests.cluster.parts import begun, carried_out, output, printed, run_units
from tests.execution import sharded
from tests.execution.harness import Heard
from tests.execution.sharded import without_times


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return sharded.carried_out(sharded.plan(), tmp_path_factory.mktemp("whole"))


def is_first_of(attempt: Attempt, shard: str) -> bool:
    return attempt.unit.shard == shard and attempt.number == 1


def until(lines: Sequence[str], number: int) -> list[str]:
    """Lines up to a result, without it."""
    results = [index for index, line in enumerate(lines) if json.loads(line)["kind"] == "result"]
    return list(lines[: results[number]])


def test_units_together_are_the_whole_run_but_for_times(whole: Results, tmp_path: Path) -> None:
    assert without_times(run_units(tmp_path).results) == without_times(whole)


def test_a_unit_is_done_again_if_its_machine_is_lost_and_its_results_come_once(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if is_first_of(attempt, "2/3"):
            return [begun(attempt), output(attempt, until(printed(attempt), -1)), Lost(attempt.name, "unplugged")]
        return carried_out(attempt)

    run = run_units(tmp_path, script)
    assert [attempt.number for attempt in run.attempts] == [1, 1, 1, 2]
    assert without_times(run.results) == without_times(whole)


def test_a_line_that_was_cut_off_when_a_machine_was_lost_is_ignored(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if is_first_of(attempt, "2/3"):
            return [begun(attempt), Output(attempt.name, [printed(attempt)[-2][:40]]), Lost(attempt.name, "unplugged")]
        return carried_out(attempt)

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_what_a_machine_sends_that_was_thought_to_be_lost_is_ignored(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if is_first_of(attempt, "2/3"):
            return [begun(attempt), Lost(attempt.name, "paused"), *carried_out(attempt)]
        return carried_out(attempt)

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_findings_of_an_attempt_that_did_not_end_are_not_reported(tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard == "2/3":
            return [begun(attempt), output(attempt, printed(attempt)[:-1]), EngineLost("the scheduler is gone")]
        return carried_out(attempt)

    results = run_units(tmp_path, script).results
    shard = {case.id for case in sharded.plan(Shard(2, 3)).cases}
    assert {result.verdict for result in results.results if result.case in shard} <= {
        "conforms",
        "unsupported",
        "observed",
    }
    assert results.end is not None
    assert (results.end.complete, results.end.reason) == (False, "the scheduler is gone")


def test_a_run_whose_engine_was_lost_is_resumed_at_the_units_that_are_missing(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        return [EngineLost("gone")] if attempt.unit.shard == "3/3" else carried_out(attempt)

    assert not run_units(tmp_path, script).results.complete
    resumed = run_units(tmp_path, resume=True)
    assert [attempt.unit.shard for attempt in resumed.attempts] == ["3/3"]
    assert without_times(resumed.results) == without_times(whole)


def test_a_complete_run_leaves_no_file_of_its_units(tmp_path: Path) -> None:
    run_units(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]


CALL = ("gather_elements.example.from-a-square-along-dim-1/as-printed", "fake.short")
CALLING = json.dumps({"kind": "calling", "case": CALL[0], "api": CALL[1], "waits": True})


def takes_machine_down(attempt: Attempt) -> list[Message]:
    """The script of a call that does so."""
    if all(CALL[0] != case.id for case in sharded.plan(parse_shard(attempt.unit.shard)).cases) or attempt.fatal:
        return carried_out(attempt)
    return [begun(attempt), output(attempt, [CALLING] if attempt.one_by_one else []), Lost(attempt.name, "burnt")]


def test_a_call_that_takes_two_machines_down_is_not_made_again_and_died(whole: Results, tmp_path: Path) -> None:
    run = run_units(tmp_path, takes_machine_down)
    [result] = [result for result in run.results.results if (result.case, result.api) == CALL]
    assert (result.verdict, result.outcome) == ("died", Died(machine=True))
    assert [attempt.fatal for attempt in run.attempts if attempt.number > 1] == [(), (CALL,)]
    others = [_key(one) for one in run.results.results if one.api != CALL[1] and "/found." not in one.case]
    assert others == [_key(one) for one in whole.results if one.api != CALL[1] and "/found." not in one.case]


def _key(result: ResultRecord) -> tuple[str, str, str]:
    return result.case, result.api, result.verdict


def test_two_losses_in_different_calls_are_nobodys_fault(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard != "2/3" or attempt.number > 2:
            return carried_out(attempt)
        lines = printed(attempt)
        results = [json.loads(line) for line in lines if json.loads(line)["kind"] == "result"]
        first = {"kind": "calling", "case": results[0]["case"], "api": results[0]["api"], "waits": True}
        received = until(lines, 1) if attempt.number == 1 else [json.dumps(first)]
        return [begun(attempt), output(attempt, received), Lost(attempt.name, "reclaimed")]

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_a_unit_that_always_loses_its_machine_is_missing_in_the_results(tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard == "2/3":
            return [begun(attempt), Lost(attempt.name, "no power")]
        return carried_out(attempt)

    run = run_units(tmp_path, script)
    assert run.results.end is not None
    assert run.results.end.reason == "wrong_on_draws: missing shard 2/3 (no power, in 6 attempts)"


def test_a_machine_that_refuses_a_unit_gets_none_again(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if "old" not in attempt.avoid:
            return [Refused("old", "it has conformance 0.0", attempt.name)]
        return carried_out(attempt)

    heard = Heard()
    run = run_units(tmp_path, script, [heard])
    assert without_times(run.results) == without_times(whole)
    notices = [event.message for event in heard.events if isinstance(event, TargetNotice)]
    assert notices == ["old is not used: it has conformance 0.0"]


def test_a_machine_with_other_specs_is_refused(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if "other" in attempt.avoid:
            return carried_out(attempt)
        lines = [line.replace('"spec_digest":"digest"', '"spec_digest":"other"') for line in printed(attempt)]
        return [begun(attempt, "other"), output(attempt, lines), Ended(attempt.name, 0)]

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


@pytest.mark.parametrize("changed", [("cases", "digest"), ("target", "numpy")])
def test_a_machine_that_runs_something_else_is_refused(
    changed: tuple[str, str], whole: Results, tmp_path: Path
) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard == "1/3" or "other" in attempt.avoid:
            return carried_out(attempt)
        lines = [json.dumps(otherwise(json.loads(line))) for line in printed(attempt)]
        return [begun(attempt, "other"), output(attempt, lines), Ended(attempt.name, 0)]

    def otherwise(content: dict[str, Any]) -> dict[str, Any]:
        kind, name = changed
        return {**content, name: "other"} if content["kind"] == kind else content

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_a_target_that_cannot_be_started_is_tried_on_one_other_machine(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        return carried_out(attempt) if "a" in attempt.avoid else not_started(attempt)

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def not_started(attempt: Attempt) -> list[Message]:
    target = json.loads(next(line for line in printed(attempt) if json.loads(line)["kind"] == "target"))
    line = json.dumps({**target, "blocked": "no such device"})
    return [begun(attempt), output(attempt, [line]), Ended(attempt.name, 6)]


def test_a_target_that_cannot_be_started_on_two_machines_is_blocked(tmp_path: Path) -> None:
    heard = Heard()
    results = run_units(tmp_path, not_started, [heard]).results
    assert [target.blocked for target in results.targets] == ["no such device"]
    assert [event.reason for event in heard.events if isinstance(event, TargetBlocked)] == ["no such device"]
    assert results.complete


def test_a_target_that_no_machine_suits_is_blocked_with_the_reason(tmp_path: Path) -> None:
    results = run_units(tmp_path, lambda attempt: [Blocked(attempt.name, "no worker declares a GPU")]).results
    assert [target.blocked for target in results.targets] == ["no worker declares a GPU"]


def test_a_full_disk_sends_the_unit_to_another_machine(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if "a" in attempt.avoid:
            return carried_out(attempt)
        return [begun(attempt), output(attempt, printed(attempt)[:-1]), Ended(attempt.name, 4, "", "its disk is full")]

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_listeners_hear_what_they_hear_of_a_run_on_one_machine(tmp_path: Path) -> None:
    heard = Heard()
    results = run_units(tmp_path, listeners=[heard]).results
    [started] = [event for event in heard.events if isinstance(event, TargetStarted)]
    assert started.results == sum("/found." not in result.case for result in results.results)
    [finished] = [event for event in heard.events if isinstance(event, TargetFinished)]
    assert finished.record == results.targets[0]
