"""A started target that is given pairs of cases and APIs, all at once or a few at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.cases.model import ApiCall
from conformance.execution.attempt import AttemptResult
from conformance.execution.calls import Output, WorkerCalls
from conformance.execution.client import ClientFactory, Stopped
from conformance.execution.plan import Interpreters, Job, Plan, jobs
from conformance.execution.session import Batch, Session
from conformance.execution.target import Pair
from conformance.results.records import ResultRecord
from tests.execution.harness import FAKES, WRONG_ADAPTERS, fake_cases, job
from tests.execution.in_process import in_process, in_process_slowly

ORDER = WRONG_ADAPTERS / "order_dependent.py"
LIMIT = 20.0
"""Seconds to wait for what never happens if the code is wrong."""


def session(
    of: Job | None = None, before_call: Callable[[ApiCall], None] | None = None, *, piecewise: bool = True,
    client: ClientFactory = in_process,
) -> Session:  # fmt: skip
    """A started session of an adapter file."""
    chosen = of or job(ORDER)
    plan = replace(Plan.alone(chosen, fake_cases(), {}, LIMIT), before_call=before_call)
    started = Session(plan, chosen, Path("worker.py"), piecewise=piecewise, client=client)
    started.start()
    return started


def judged(output: Output) -> tuple[object, ...]:
    """A record without what differs in each process."""
    assert isinstance(output, ResultRecord)
    return (
        output.case,
        output.api,
        output.verdict,
        *output.divergence,
        output.polluter,
        output.unconfirmed,
        output.known,
    )


def results_of(pairs: Sequence[Sequence[Pair]], started: Session) -> list[Output]:
    batches = [started.begin(some) for some in pairs]
    return [output for batch in batches for output in batch.outputs()]


@pytest.fixture(scope="module")
def whole() -> set[tuple[object, ...]]:
    with closing(session(piecewise=False)) as started:
        return {judged(output) for output in started.begin(started.pairs).outputs()}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), client=st.sampled_from([in_process, in_process_slowly]))
def test_any_division_of_the_pairs_into_batches_gives_the_same_records(
    whole: set[tuple[object, ...]], data: st.DataObject, client: ClientFactory
) -> None:
    with closing(session(client=client)) as started:
        ends = sorted(data.draw(st.sets(st.integers(1, len(started.pairs) - 1))))
        parts = [started.pairs[first:end] for first, end in zip([0, *ends], [*ends, len(started.pairs)], strict=True)]
        outputs = results_of(parts, started)
    assert len(outputs) == len(started.pairs)
    assert {judged(output) for output in outputs} == whole


def test_a_mode_with_several_workers_divides_every_batch_among_them() -> None:
    [crowd] = jobs([f"{FAKES / 'modes' / 'modes.py'}[crowd]"], Interpreters(here=True))
    threads = set()
    made = []

    def note(call: ApiCall) -> None:
        threads.add(threading.current_thread())
        made.append(call.case)

    with closing(session(crowd, note)) as started:
        outputs = results_of([started.pairs], started)
    assert len(outputs) == len(started.pairs)
    assert 1 < len(threads) <= 3 + 2  # two confirm


class Held:
    """The first call of a session waits until it is released."""

    def __init__(self) -> None:
        self.made: list[ApiCall] = []
        self.is_under_way = Event()
        self.is_released = Event()

    def __call__(self, call: ApiCall) -> None:
        self.made.append(call)
        self.is_under_way.set()
        assert self.is_released.wait(LIMIT)


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held()
    yield held
    held.is_released.set()


def right(started: Session) -> list[Pair]:
    return [(case, api) for case, api in started.pairs if api["name"] == "fake.stained"]


def test_what_is_waited_for_comes_before_what_was_begun(held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    result = Future.result

    def released(future: Future[None], timeout: float | None = None) -> None:
        held.is_released.set()
        result(future, timeout)

    with closing(session(before_call=held)) as started:
        first, second, third, *_ = right(started)
        batches = [started.begin([pair]) for pair in (first, second, third)]
        assert held.is_under_way.wait(LIMIT)
        monkeypatch.setattr(Future, "result", released)
        for batch in reversed(batches):
            batch.wait()
    order = list(dict.fromkeys(call.case for call in held.made))
    assert order == [first[0].id, third[0].id, second[0].id]


def test_the_calls_of_a_batch_are_made_while_the_findings_of_another_are_confirmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with closing(session()) as started:
        wrong = next(pair for pair in started.pairs if pair[1]["name"] == "fake.steady")
        later: list[Batch] = []
        begun = Event()
        confirmed = WorkerCalls.confirmed

        def confirmed_later(calls: WorkerCalls, findings: Sequence[AttemptResult]) -> Iterator[Output]:
            assert begun.wait(LIMIT)
            assert later[0].outputs()
            return confirmed(calls, findings)

        monkeypatch.setattr(WorkerCalls, "confirmed", confirmed_later)
        first = started.begin([wrong])
        later.append(started.begin(right(started)[:1]))
        begun.set()
        [result] = first.outputs()
        assert isinstance(result, ResultRecord)
        assert result.confirmed == "alone"


def test_the_same_pairs_may_be_asked_for_again() -> None:
    with closing(session()) as started:
        [once], [again] = (started.begin(started.pairs[:1]).outputs() for _ in range(2))
        assert judged(once) == judged(again)


def test_an_exception_reaches_who_waits_and_other_batches_are_finished() -> None:
    def fail(call: ApiCall) -> None:
        if call.case == first[0].id:
            raise LookupError("it is lost")

    with closing(session(before_call=fail)) as started:
        first, second, *_ = right(started)
        failing, following = started.begin([first]), started.begin([second])
        with pytest.raises(LookupError, match="it is lost"):
            failing.wait()
        assert following.wait()


def test_closing_ends_the_call_under_way_and_leaves_the_rest_undone(held: Held) -> None:
    started = session(before_call=held)
    first, second, *_ = right(started)
    batches = [started.begin([pair]) for pair in (first, second)]
    assert held.is_under_way.wait(LIMIT)
    closing_it = threading.Thread(target=started.close)
    closing_it.start()
    with pytest.raises(Stopped):
        batches[1].wait()
    held.is_released.set()
    closing_it.join(LIMIT)
    assert not batches[0].wait()
    assert {call.case for call in held.made} == {first[0].id}
    with pytest.raises(Stopped):
        started.begin([first])


def test_a_session_that_is_stopped_before_it_starts_does_not_start() -> None:
    chosen = job(ORDER)
    never = Session(Plan.alone(chosen, fake_cases(), {}, LIMIT), chosen, Path("worker.py"), client=in_process)
    never.stop()
    with pytest.raises(Stopped):
        never.start()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_raises_instead_of_waiting_for_threads_that_it_does_not_have() -> None:
    with closing(session()) as started:
        assert started.begin(started.pairs[:1]).wait()
        child = os.fork()
        if child == 0:
            try:
                started.begin(started.pairs[:1])
            except RuntimeError:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_the_record_at_the_end_has_what_was_measured() -> None:
    started = session()
    started.begin(started.pairs).wait()
    ended = started.end()
    assert ended.seconds is not None
    assert ended.memory == 1 << 20
    assert (ended.imports, ended.not_repeated) == (0, None)
    assert ended.forks
    assert replace(ended, seconds=None, memory=None, imports=None, forks=None) == started.record
