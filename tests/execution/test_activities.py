"""A run reports what it does besides making each call once, and what it waits for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from conformance.cases.model import ApiCall
from conformance.environments.prepared_target import Prepared
from conformance.events import ResultReady, TargetActivity, Waiting
from conformance.execution.client import Client, CurrentCall
from conformance.execution.heartbeat import Heartbeat
from conformance.execution.plan import Job
from conformance.outcomes.model import Died
from conformance.processes.process import WorkerEnded
from conformance.processes.worker_starter import WorkerStarter
from tests.execution.harness import FAKES, THIS_ENVIRONMENT, Heard, fake_cases, job, run_adapters

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
    current_call: CurrentCall | None = None


def call() -> ApiCall:
    return ApiCall(CASE.call, "fake.gather", CASE.id)


def test_each_second_says_which_calls_are_waited_for_and_since_when() -> None:
    now = 0.0
    first, second = (Caller(job(FAKES / f"{name}.py")) for name in ("strides", "other_devices"))
    heartbeat = Heartbeat([first, second], lambda: now)

    def beat(at: float) -> list[tuple[Waiting, ...]]:
        nonlocal now
        now = at
        return [event.waiting for event in heartbeat.due()]

    assert beat(0.5) == []
    assert beat(1.0) == [()]
    first.current_call = CurrentCall(call(), 1.25)
    assert beat(1.75) == []
    assert beat(2.5) == [(Waiting("strides", "fake.gather", CASE.id, 1.25),)]
    first.current_call, second.current_call = None, CurrentCall(call(), 3.0)
    assert beat(3.5) == [(Waiting("other_devices", "fake.gather", CASE.id, 0.5),)]


class Watched:
    """In place of a starter and its worker, which ends at the first call; notes what the client waits for until then."""

    forks = True
    script = Path("worker.py")
    prepared = Prepared(job(FAKES / "strides.py").target, THIS_ENVIRONMENT)

    def __init__(self) -> None:
        self.client = Client(cast("WorkerStarter", self), 1.0)
        self.seen: list[list[ApiCall]] = []

    def launch(self) -> Watched:
        self.note()
        return self

    def initialize(self, worker: Watched) -> None: ...
    def begin_next(self) -> None: ...
    def send(self, *_: object) -> None: ...

    def receive(self, *_: object) -> None:
        self.note()
        raise WorkerEnded(Died(signal="SIGKILL"))

    def note(self) -> None:
        self.seen.append([current.call for current in self.client.current_calls()])


def test_a_call_is_waited_for_from_its_request_to_its_reply_and_no_longer() -> None:
    watched = Watched()
    made = call()
    watched.client.call(made)
    watched.note()
    assert watched.seen == [[], [made], []]


def test_a_client_waits_for_the_calls_of_its_others_too() -> None:
    watched = Watched()
    [other] = watched.client.others(1)
    made = call()
    other.call(made)
    assert watched.seen == [[], [made]]
