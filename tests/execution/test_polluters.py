"""What happens after earlier calls once, and not again, is chance and not their effect."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conformance.execution.polluters import Polluters
from conformance.judging.judgement import Judgement

CALLS = [SimpleNamespace(api="fake.race", case=f"case/{number}", operation="put") for number in range(3)]
CASE = SimpleNamespace(id="case/race", operation=SimpleNamespace(name="put"))
FINDING = SimpleNamespace(
    attempt=SimpleNamespace(case=CASE, api="fake.race"),
    history=SimpleNamespace(calls=lambda: CALLS),
    ended_process=False,
)
ISOLATED = SimpleNamespace(judgement=Judgement("conforms"))


def kind(monkeypatch: pytest.MonkeyPatch, happens: Iterator[bool], *, search: bool, ended: bool = False) -> str:
    """The kind of a finding that is made again in processes in which it happens, or not, by turns."""
    finding = SimpleNamespace(**{**vars(FINDING), "ended_process": ended})
    monkeypatch.setattr(Polluters, "_reproduces", lambda *_, **__: next(happens, False))
    client = SimpleNamespace(forget=lambda: None)
    return Polluters(cast("Any", client)).blame(cast("Any", finding), cast("Any", ISOLATED), search=search).kind


@pytest.mark.parametrize("search", [True, False])
def test_what_happens_after_earlier_calls_once_is_flaky(monkeypatch: pytest.MonkeyPatch, search: bool) -> None:
    assert kind(monkeypatch, iter([True]), search=search) == "unstable"


@pytest.mark.parametrize("search", [True, False])
def test_what_always_happens_after_them_depends_on_them(monkeypatch: pytest.MonkeyPatch, search: bool) -> None:
    assert kind(monkeypatch, iter([True] * 100), search=search) == "contaminated"


def test_the_end_of_a_process_after_earlier_calls_is_no_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind(monkeypatch, iter([True]), search=False, ended=True) == "contaminated"


def test_where_calls_are_expensive_it_is_searched_among_the_last_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def reproduces(_: Polluters, finding: object, calls: list[object], **__: object) -> bool:
        tried.append(len(calls))
        return False

    monkeypatch.setattr(Polluters, "_reproduces", reproduces)
    client = SimpleNamespace(forget=lambda: None)
    polluters = Polluters(cast("Any", client), most=2)
    assert polluters.blame(cast("Any", FINDING), cast("Any", ISOLATED)).kind == "unstable"
    assert max(tried) == 2
