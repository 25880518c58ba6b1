"""A started target that is asked for a few results at a time, as by pytest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue

import pytest

from conformance.execution.attempt import AttemptResult
from conformance.execution.plan import Plan
from conformance.execution.target_session import Called, TargetSession
from conformance.execution.worker_calls import Output, Pair, WorkerCalls
from conformance.results.records import ResultRecord, RunRecord
from conformance.targets.staging import staged_worker
from tests.execution.harness import WRONG_ADAPTERS, fake_cases, job, run_adapters

ADAPTER = WRONG_ADAPTERS / "order_dependent.py"
LIMIT = 30.0
"""Seconds to wait for what never happens if the code is wrong."""


@pytest.fixture
def session() -> Iterator[TargetSession]:
    cases = fake_cases()
    plan = Plan(RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0"), [job(ADAPTER)], cases, LIMIT, 1)
    with staged_worker() as script, closing(TargetSession(plan, plan.jobs[0], script)) as started:
        yield started


def test_results_asked_for_one_by_one_are_those_of_a_run(session: TargetSession, tmp_path: Path) -> None:
    begun = [session.begin([pair]) for pair in session.pairs]
    results = [session.results([pair], future) for pair, future in zip(session.pairs, begun, strict=True)]
    asked_for = {_judged(output) for result in results for output in result.outputs}
    assert asked_for == {_judged(result) for result in run_adapters(tmp_path, [ADAPTER]).results}


def test_calls_are_made_while_earlier_findings_are_confirmed(
    session: TargetSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirmed = WorkerCalls.confirmed
    later: SimpleQueue[Future[Called]] = SimpleQueue()
    wrong, right = (
        next(pair for pair in session.pairs if _verdict(session, pair) == verdict)
        for verdict in ("diverges", "conforms")
    )

    def confirmed_later(calls: WorkerCalls, findings: Sequence[AttemptResult]) -> Iterator[Output]:
        assert later.get(timeout=LIMIT).result(LIMIT).outputs
        return confirmed(calls, findings)

    monkeypatch.setattr(WorkerCalls, "confirmed", confirmed_later)
    first = session.begin([wrong])
    later.put(session.begin([right]))
    [result] = session.results([wrong], first).outputs
    assert isinstance(result, ResultRecord)
    assert result.confirmed


def _verdict(session: TargetSession, pair: Pair) -> str:
    [result] = session.results([pair]).outputs
    assert isinstance(result, ResultRecord)
    return result.verdict


def _judged(result: Output) -> tuple[object, ...]:
    assert isinstance(result, ResultRecord)
    return result.case, result.api, result.verdict, *result.divergence, result.polluter, result.confirmed
