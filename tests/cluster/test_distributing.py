"""A run in units is the same run, whatever happens to the machines."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.shards import Shard, parse_shard
from conformance.cluster.gathering import FOLDER
from conformance.cluster.messages import Calling, ClusterLost, Ended, Lost, Message, Progress, Refused
from conformance.cluster.unit import Attempt
from conformance.events import PartUnderWay, StillRunning, TargetBlocked, TargetFinished, TargetNotice, TargetStarted
from conformance.outcomes.model import Died
from conformance.reports.under_way import UnderWay
from conformance.results.exit_status import STOPPED
from conformance.results.file import FILE_NAME, Results
from conformance.results.order import write_results
from conformance.results.records import ResultRecord
from tests.cluster.parts import calling, carried_out, ended, lines, part_of, run_units
from tests.execution import sharded
from tests.execution.harness import Heard
from tests.execution.sharded import impatient, without_times


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return sharded.carried_out(sharded.plan(), tmp_path_factory.mktemp("whole"))


def is_first_of(attempt: Attempt, shard: str) -> bool:
    return attempt.unit.shard == shard and attempt.number == 1


def unplugged(attempt: Attempt, call: Calling | None = None) -> Lost:
    return Lost(attempt.name, "unplugged", "a", call)


def test_units_together_are_the_whole_run_but_for_times(whole: Results, tmp_path: Path) -> None:
    assert without_times(run_units(tmp_path).results) == without_times(whole)


def test_a_unit_is_done_again_if_its_machine_is_lost_and_its_results_come_once(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        return [unplugged(attempt)] if is_first_of(attempt, "2/3") else carried_out(attempt)

    run = run_units(tmp_path, script)
    assert [attempt.number for attempt in run.attempts] == [1, 1, 1, 2]
    assert without_times(run.results) == without_times(whole)


@pytest.mark.parametrize("kept", [0, 40, -1])
def test_a_unit_whose_process_was_killed_is_done_again_whatever_it_had_written(
    kept: int, whole: Results, tmp_path: Path
) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if is_first_of(attempt, "2/3"):
            return [ended(attempt, content=lines(attempt)[:kept], status=-9)]
        return carried_out(attempt)

    run = run_units(tmp_path, script)
    assert len(run.attempts) == 4
    assert without_times(run.results) == without_times(whole)


def test_a_unit_that_somebody_interrupted_on_its_machine_is_done_again(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if is_first_of(attempt, "2/3"):
            return [ended(attempt, content=part_of(lines(attempt), 5, "interrupted"), status=2)]
        return carried_out(attempt)

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_what_a_machine_sends_that_was_thought_to_be_lost_is_ignored(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        late = [unplugged(attempt)] if is_first_of(attempt, "2/3") else []
        return [*late, *carried_out(attempt)]

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_without_its_cluster_a_run_is_incomplete_and_keeps_the_units_that_were_complete(
    whole: Results, tmp_path: Path
) -> None:
    def script(attempt: Attempt) -> list[Message]:
        return [ClusterLost("the scheduler is gone")] if attempt.unit.shard == "3/3" else carried_out(attempt)

    results = run_units(tmp_path, script).results
    assert results.end is not None
    assert (results.end.complete, results.end.reason) == (False, "the scheduler is gone")
    missing = {case.id for case in sharded.plan(Shard(3, 3)).cases}
    assert {*map(_key, results.results)} == {*map(_key, whole.results)} - {
        _key(one) for one in whole.results if one.case in missing or one.clause in _drawn(missing)
    }


def _drawn(cases: set[str]) -> set[str]:
    """The clauses of which these cases are draws: their counterexamples are in the same shard."""
    return {case.partition("/")[0] for case in cases if "/draw." in case}


def test_a_run_whose_cluster_was_lost_is_resumed_at_the_units_that_are_missing(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        return [ClusterLost("gone")] if attempt.unit.shard == "3/3" else carried_out(attempt)

    assert not run_units(tmp_path, script).results.complete
    resumed = run_units(tmp_path, resume=True)
    assert [attempt.unit.shard for attempt in resumed.attempts] == ["3/3"]
    assert without_times(resumed.results) == without_times(whole)


def test_a_run_whose_process_was_killed_is_resumed_at_the_units_that_are_missing(
    whole: Results, tmp_path: Path
) -> None:
    class Killed(BaseException):
        pass

    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard == "3/3" and attempt.number > 1:
            raise Killed
        return [Lost(attempt.name, "left")] if attempt.unit.shard == "3/3" else carried_out(attempt)

    with pytest.raises(Killed):
        run_units(tmp_path, script)
    stored = [*(tmp_path / FOLDER).iterdir()]
    assert len(stored) == 2
    (tmp_path / FOLDER / f"new.{stored[0].name}").write_bytes(stored[0].read_bytes()[:100])
    resumed = run_units(tmp_path, resume=True)
    assert [attempt.unit.shard for attempt in resumed.attempts] == ["3/3"]
    assert without_times(resumed.results) == without_times(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]


def test_a_stored_unit_that_was_damaged_is_run_again(whole: Results, tmp_path: Path) -> None:
    run_units(tmp_path, lambda attempt: [ClusterLost("gone")] if attempt.unit.shard == "3/3" else carried_out(attempt))
    first = min((tmp_path / FOLDER).glob("*.gz"))
    first.write_bytes(first.read_bytes()[:-200])
    resumed = run_units(tmp_path, resume=True)
    assert len(resumed.attempts) == 2
    assert without_times(resumed.results) == without_times(whole)


def test_a_target_that_an_interrupted_run_on_one_machine_had_finished_has_no_units(
    whole: Results, tmp_path: Path
) -> None:
    assert whole.end is not None
    interrupted = replace(whole, end=replace(whole.end, complete=False, reason="interrupted"))
    write_results(interrupted, tmp_path / FILE_NAME)
    resumed = run_units(tmp_path, resume=True)
    assert not resumed.attempts
    assert without_times(resumed.results) == without_times(whole)


def test_a_complete_run_leaves_no_file_of_its_units(tmp_path: Path) -> None:
    run_units(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]


def test_an_interrupt_asks_units_to_end_and_keeps_what_they_have(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard == "3/3":
            signal.raise_signal(signal.SIGINT)
        return carried_out(attempt) if attempt.unit.shard == "1/3" else []

    def on_stop(attempt: Attempt) -> list[Message]:
        return [ended(attempt, content=part_of(lines(attempt), 7, "interrupted"), status=2)]

    run = run_units(tmp_path, script, on_stop=on_stop)
    end = run.results.end
    assert end is not None
    assert (end.complete, end.reason) == (False, "interrupted")
    cases = {shard: {case.id for case in sharded.plan(Shard(shard, 3)).cases} for shard in (1, 2, 3)}
    parts = [[one for one in run.results.results if one.case in cases[shard]] for shard in (1, 2, 3)]
    assert [len(part) for part in parts[1:]] == [7, 7]
    assert {*map(_key, parts[0])} == {_key(one) for one in whole.results if one.case in cases[1]}
    assert [target.seconds for target in run.results.targets] == [None]


def test_a_unit_that_does_not_end_when_it_is_asked_to_does_not_keep_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.cluster.distributing._GRACE", 0.0)

    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard == "3/3":
            signal.raise_signal(signal.SIGINT)
        return []

    assert run_units(tmp_path, script).results.end.reason == "interrupted"  # type: ignore[union-attr]


def test_the_limit_on_failures_counts_those_of_all_units_and_keeps_what_they_have(tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        return [Progress(attempt.name, "a", started={"framework": "f"}, counts={"own": 1}, failures=1)]

    def on_stop(attempt: Attempt) -> list[Message]:
        return [ended(attempt, content=part_of(lines(attempt), 9, "interrupted"), status=2)]

    results = run_units(tmp_path, script, on_stop=on_stop, failure_limit=impatient()).results
    assert results.end is not None
    assert (results.end.complete, results.end.reason) == (False, STOPPED)
    assert len(results.results) == 27
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]  # no unit is complete


def test_a_unit_that_stopped_at_the_limit_ends_the_run_with_its_results(tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        content = lines(attempt)
        failing = next(n for n, one in enumerate((one for one in content if one["kind"] == "result"), 1)
                       if one["verdict"] == "diverges")  # fmt: skip
        return [ended(attempt, content=part_of(content, failing, STOPPED), status=1)]

    limit = replace(impatient(), most=1)
    results = run_units(tmp_path, script, failure_limit=limit).results
    assert results.end is not None
    assert results.end.reason == STOPPED
    assert results.end.counts["diverges"] >= 1


CALL = ("gather_elements.example.from-a-square-along-dim-1/as-printed", "fake.short")


def takes_machine_down(attempt: Attempt) -> list[Message]:
    """The script of a call that does so."""
    if all(CALL[0] != case.id for case in sharded.plan(parse_shard(attempt.unit.shard)).cases) or attempt.fatal:
        return carried_out(attempt)
    return [unplugged(attempt, calling(CALL) if attempt.announces else None)]


def test_a_call_that_takes_two_machines_down_is_not_made_again_and_died(whole: Results, tmp_path: Path) -> None:
    run = run_units(tmp_path, takes_machine_down)
    [result] = [result for result in run.results.results if (result.case, result.api) == CALL]
    assert (result.verdict, result.outcome) == ("died", Died(machine=True))
    assert [attempt.fatal for attempt in run.attempts if attempt.number > 1] == [(), (CALL,)]
    others = [_key(one) for one in run.results.results if one.api != CALL[1] and "/found." not in one.case]
    assert others == [_key(one) for one in whole.results if one.api != CALL[1] and "/found." not in one.case]


def _key(result: ResultRecord) -> tuple[str, str, str]:
    return result.case, result.api, result.verdict


def test_a_call_during_which_only_the_process_of_the_unit_was_killed_counts_in_the_same_way(tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        messages = takes_machine_down(attempt)
        return [
            Ended(one.attempt, "a", -9, None, calling=one.calling) if isinstance(one, Lost) else one for one in messages
        ]

    run = run_units(tmp_path, script)
    [result] = [result for result in run.results.results if (result.case, result.api) == CALL]
    assert result.outcome == Died(machine=True)


def test_two_losses_in_different_calls_are_nobodys_fault(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard != "2/3" or attempt.number > 2:
            return carried_out(attempt)
        if attempt.number == 1:  # lost after five results, so in a later call
            return [Progress(attempt.name, "a", counts={"conforms": 5}), unplugged(attempt)]
        first = next(line for line in lines(attempt) if line["kind"] == "result")
        return [unplugged(attempt, calling((first["case"], first["api"]), 0))]

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_a_unit_that_always_loses_its_machine_is_missing_in_the_results(tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        return [unplugged(attempt)] if attempt.unit.shard == "2/3" else carried_out(attempt)

    run = run_units(tmp_path, script)
    assert run.results.end is not None
    assert run.results.end.reason == "wrong_on_draws: missing shard 2/3 (a: unplugged, in 6 attempts)"
    assert [target.seconds for target in run.results.targets] == [None]  # so that --resume runs what is missing


def test_a_loss_before_a_machine_had_begun_is_no_attempt(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard == "2/3" and attempt.number < 10:
            return [Lost(attempt.name, "all workers have left")]
        return carried_out(attempt)

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


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


@pytest.mark.parametrize(
    ("kind", "name", "value", "says"),
    [
        ("run", "spec_digest", "other", "its specs differ from those of this command"),
        ("case", "digest", "other", "it draws other calls from the same seed"),
        ("run", "seed", 7, "it ran shard"),
        ("target", "numpy", "0.1", "numpy of wrong_on_draws is '0.1' there and"),
        ("target", "packages", {"numpy": "0.1"}, "packages.numpy of wrong_on_draws is '0.1' there and None elsewhere"),
    ],
)
def test_a_machine_that_runs_something_else_is_refused_with_the_reason(
    kind: str, name: str, value: Any, says: str, whole: Results, tmp_path: Path
) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if attempt.unit.shard == "1/3" or "other" in attempt.avoid:
            return carried_out(attempt)
        changed = [{**line, name: value} if line["kind"] == kind else line for line in lines(attempt)]
        return [ended(attempt, "other", changed)]

    heard = Heard()
    assert without_times(run_units(tmp_path, script, [heard]).results) == without_times(whole)
    [notice] = [event.message for event in heard.events if isinstance(event, TargetNotice)]
    assert f"other is not used: {says}" in notice


def test_a_machine_that_sends_what_is_no_results_file_is_tried_again(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if is_first_of(attempt, "2/3"):
            return [ended(attempt, results=b"no gzip")]
        return carried_out(attempt)

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_a_target_that_cannot_be_started_is_tried_on_one_other_machine(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        return carried_out(attempt) if "a" in attempt.avoid else not_started(attempt)

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def not_started(attempt: Attempt) -> list[Message]:
    content = [line for line in lines(attempt) if line["kind"] not in ("result", "mapping", "example")]
    content = [{**line, "blocked": "no such device"} if line["kind"] == "target" else line for line in content]
    return [ended(attempt, content=[*content[:-1], {**content[-1], "counts": {}}], status=6)]


def test_a_target_that_cannot_be_started_on_two_machines_is_blocked(tmp_path: Path) -> None:
    heard = Heard()
    results = run_units(tmp_path, not_started, [heard]).results
    assert [target.blocked for target in results.targets] == ["no such device"]
    assert [event.reason for event in heard.events if isinstance(event, TargetBlocked)] == ["no such device"]
    assert results.complete


def test_a_target_that_no_machine_suits_is_blocked_with_the_reason(tmp_path: Path) -> None:
    results = run_units(tmp_path, reason="no worker declares a GPU").results
    assert [target.blocked for target in results.targets] == ["no worker declares a GPU"]


def test_a_full_disk_sends_the_unit_to_another_machine(whole: Results, tmp_path: Path) -> None:
    def script(attempt: Attempt) -> list[Message]:
        if "a" in attempt.avoid:
            return carried_out(attempt)
        return [ended(attempt, content=lines(attempt)[:-1], status=4, problem="its disk is full")]

    assert without_times(run_units(tmp_path, script).results) == without_times(whole)


def test_listeners_hear_what_they_hear_of_a_run_on_one_machine(tmp_path: Path) -> None:
    heard = Heard()
    results = run_units(tmp_path, listeners=[heard]).results
    assert [event.target for event in heard.events if isinstance(event, TargetStarted)] == ["wrong_on_draws"]
    [finished] = [event for event in heard.events if isinstance(event, TargetFinished)]
    assert finished.record == results.targets[0]


def test_the_progress_of_units_counts_once_and_only_until_their_results_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.cluster.distributing._TICK", 0.0)

    def script(attempt: Attempt) -> list[Message]:
        started = {"framework": "f", "version": "1"}
        told = [
            Progress(attempt.name, "a", started=started, expected=90, counts={"conforms": number}) for number in (3, 8)
        ]
        waits = replace(told[-1], waiting=("fake.short", "a-case", 4.0), notices=["slow"])
        return [*told, waits, *carried_out(attempt)]

    state, seen, heard = UnderWay(lambda: 0.0), [], Heard()

    class Listener:
        def handle(self, event: Any) -> None:
            state.handle(event)
            heard.handle(event)
            if isinstance(event, PartUnderWay):
                seen.append(state.target("wrong_on_draws").counts.total())

    results = run_units(tmp_path, script, [Listener()]).results
    assert seen[:3] == [3, 8, 8]
    assert state.target("wrong_on_draws").counts.total() == len(results.results)
    waiting = [one for event in heard.events if isinstance(event, StillRunning) for one in event.waiting]
    assert ("fake.short", "a-case", 4.0) in {(one.api, one.case, one.seconds) for one in waiting}
    assert [event.message for event in heard.events if isinstance(event, TargetNotice)] == ["slow (a)"]
