"""A run reports what it does besides making each call once, and what it waits for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.cases.model import ApiCall
from conformance.events import ResultReady, TargetActivity, Waiting
from conformance.execution.heartbeat import Heartbeat
from conformance.execution.plan import Job
from tests.execution.harness import FAKES, Heard, fake_cases, job, run_adapters

CASE = fake_cases()[0]


def test_findings_are_counted_while_they_are_confirmed_in_fresh_processes(tmp_path: Path) -> None:
    heard = Heard()
    results = run_adapters(tmp_path, [FAKES / "wrong_after_first_call.py"], listeners=[heard])
    findings = [result for result in results.results if result.verdict == "diverges"]
    parts = [event for event in heard.events if isinstance(event, TargetActivity)]
    confirmed = [(event.done, event.total) for event in parts if event.activity == "re-checking"]
    assert len(findings) > 1
    assert confirmed == [(number, len(findings)) for number in range(len(findings) + 1)]
    reported = [number for number, event in enumerate(heard.events) if isinstance(event, ResultReady)]
    assert reported[-1] > heard.events.index(parts[-1])


@dataclass
class Caller:
    job: Job
    current_call: ApiCall | None = None


def call() -> ApiCall:
    return ApiCall("gather_elements", CASE.call, "fake.gather", CASE.id)


def test_a_call_is_waited_for_as_long_as_it_is_the_current_one() -> None:
    now = 0.0
    first, second = (Caller(job(FAKES / f"{name}.py")) for name in ("strides", "other_devices"))
    heartbeat = Heartbeat([first, second], lambda: now)
    first.current_call = slow = call()

    def beat(at: float) -> list[tuple[Waiting, ...]]:
        nonlocal now
        now = at
        return [event.waiting for event in heartbeat.due()]

    assert beat(0.5) == []
    assert beat(1.0) == [()]
    second.current_call = call()
    assert beat(2.5) == [(Waiting("strides", "fake.gather", slow.case, 1.5),)]
    second.current_call = call()
    first.current_call = None
    assert beat(3.0) == []
    assert beat(4.0) == [()]
