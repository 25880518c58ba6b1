"""Work that a thread does ahead of time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from threading import Event

import pytest

from conformance.execution.ahead import Ahead

LIMIT = 20.0


@dataclass
class Work:
    """Pieces of work that note their names, of which the first is under way until ``ended`` is set."""

    ahead: Ahead = field(default_factory=Ahead)
    done: list[str] = field(default_factory=list)
    under_way: Event = field(default_factory=Event)
    ended: Event = field(default_factory=Event)

    def begin(self, name: str) -> Future[str]:
        return self.ahead.begin(self.named(name))

    def begin_first(self) -> Future[bool]:
        first = self.ahead.begin(self._wait)
        assert self.under_way.wait(LIMIT)
        return first

    def named(self, name: str) -> Callable[[], str]:
        return partial(self._note, name)

    def _note(self, name: str) -> str:
        self.done.append(name)
        return name

    def _wait(self) -> bool:
        self.under_way.set()
        return self.ended.wait(LIMIT)


@pytest.fixture
def work() -> Iterator[Work]:
    work = Work()
    yield work
    work.ahead.stop(work.ended.set)


def test_what_was_begun_is_done_in_order_before_anybody_waits(work: Work) -> None:
    names = ["a", "b", "c"]
    assert [begun.result(LIMIT) for begun in [work.begin(name) for name in names]] == names
    assert work.done == names


def test_what_is_waited_for_comes_before_what_was_begun(work: Work) -> None:
    work.begin_first()
    rest = [work.begin(name) for name in ("a", "b")]
    with ThreadPoolExecutor(1) as waiting:
        result = waiting.submit(work.ahead.result, work.named("b"), rest[1])
        while not rest[1].cancelled():  # until it waits
            assert not result.done()
        work.ended.set()
        assert result.result(LIMIT) == "b"
    rest[0].result(LIMIT)
    assert work.done == ["b", "a"]


def test_the_same_work_may_be_done_again(work: Work) -> None:
    begun = work.begin("a")
    assert [work.ahead.result(work.named("a"), begun), work.ahead.result(work.named("a"))] == ["a", "a"]
    assert work.done == ["a", "a"]


def test_an_exception_reaches_who_waits_and_the_rest_is_done(work: Work) -> None:
    failing: Future[None] = work.ahead.begin([].pop)
    following = work.begin("following")
    with pytest.raises(IndexError, match="pop from empty list"):
        work.ahead.result(lambda: None, failing)
    assert following.result(LIMIT) == "following"


def test_stopping_ends_the_work_under_way_and_leaves_the_rest_undone(work: Work) -> None:
    first = work.begin_first()
    rest = work.begin("rest")
    work.ahead.stop(work.ended.set)
    assert first.done()
    assert not rest.done()
    assert work.done == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_raises_instead_of_waiting_for_a_thread_that_it_does_not_have() -> None:
    work = Work()
    assert work.ahead.result(work.named("before")) == "before"
    child = os.fork()
    if child == 0:
        try:
            work.ahead.result(work.named("in the child"))
        except RuntimeError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    work.ahead.stop(work.ended.set)
