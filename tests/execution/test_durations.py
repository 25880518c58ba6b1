"""What targets took in earlier runs decides which starts first."""

from __future__ import annotations

from pathlib import Path

from conformance.events import TargetPreparing
from conformance.execution.measurements import durations_of, seconds_per_case
from conformance.execution.plan import Plan
from conformance.execution.runner import run
from conformance.results.file import FILE_NAME, Results
from conformance.results.records import RunRecord, TargetRecord
from tests.execution.harness import WRONG_ADAPTERS, Heard, fake_cases, job


def test_the_slowest_target_starts_first(tmp_path: Path) -> None:
    quick, slow = job(WRONG_ADAPTERS / "order_dependent.py"), job(WRONG_ADAPTERS / "duplicates.py")
    durations = {"order_dependent[eager]@cpu": 0.1, "duplicates[eager]@cpu": 0.2}
    listener = Heard()
    plan = Plan(RunRecord("", "test", 0, "", ""), [quick, slow], fake_cases()[:1], 5.0, 1, durations=durations)
    run(plan, tmp_path / FILE_NAME, [listener])
    started = [event.target for event in listener.events if isinstance(event, TargetPreparing)]
    assert started.index(slow.target.asked) < started.index(quick.target.asked)


def test_a_target_of_which_nothing_is_known_is_taken_for_a_quick_one_unless_its_mode_compiles() -> None:
    target = job(WRONG_ADAPTERS / "order_dependent.py").target
    assert seconds_per_case(target, {}) < seconds_per_case(target, {"order_dependent[eager]@cpu": 0.1}) == 0.1


def test_nothing_is_known_of_a_target_without_results() -> None:
    nothing = TargetRecord("torch==1@cpu", "torch", "1", "cpu", "eager", seconds=9.0)
    assert durations_of(Results(RunRecord("", "test", 0, "", ""), [nothing])) == {}
