from __future__ import annotations

import io
import re

from rich.console import Console

from conformance.events import (
    Event,
    Listener,
    ResultReady,
    RunFinished,
    RunStarted,
    TargetBlocked,
    TargetFinished,
    TargetPreparing,
    TargetStarted,
)
from conformance.reports.progress import bars, progress
from conformance.results.records import EndRecord
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE, TARGETS, TORCH


def events(reason: str | None = None) -> list[Event]:
    """A run of two targets as the runner tells it: both are named as they were asked for."""
    some = [result for result in sample().results if result.target == TORCH]
    return [
        RunStarted(("torch", "jax"), 11),
        TargetPreparing("torch", "installing torch==2.13.0"),
        TargetStarted("torch", TARGETS[1], len(some)),
        *(ResultReady("torch", result) for result in some),
        TargetPreparing("jax", "installing jax==0.10.0"),
        TargetBlocked("jax", "no such version " + HOSTILE),
        TargetFinished("jax", 0.5),
        TargetFinished("torch", 12.34),
        RunFinished(EndRecord(reason is None, {}, reason)),
    ]


def follow(listener: Listener, some: list[Event]) -> None:
    for event in some:
        listener.handle(event)


def lines(some: list[Event]) -> list[str]:
    stream = io.StringIO()
    with progress(stream) as listener:
        follow(listener, some)
    return stream.getvalue().splitlines()


def test_without_a_terminal_each_step_of_a_target_is_a_line_and_no_result_is() -> None:
    said = lines(events())
    assert said[:4] == [
        "11 cases for 2 targets: torch, jax",
        "torch: installing torch==2.13.0",
        "torch: started, torch 2.13.0, Python 3.11.9, NumPy 2.4.6; 10 results expected",
        "jax: installing jax==0.10.0",
    ]
    assert said[4].startswith("jax: blocked: no such version </script>")
    assert said[5:] == [
        "torch: finished in 12.3 s, 10 results: 3 conforms, 1 unsupported, 1 observed, "
        "4 diverges (portability), 1 diverges (own)"
    ]


def test_an_interrupted_run_is_said_to_be_incomplete() -> None:
    assert lines(events("interrupted"))[-1] == "incomplete run: interrupted"


def test_a_message_stays_on_its_line_and_cannot_command_the_terminal() -> None:
    said = "\n".join(lines(events()))
    assert "\x1b" not in said
    assert "#x1B[31mred" in said


def test_quiet_says_nothing() -> None:
    stream = io.StringIO()
    with progress(stream, quiet=True) as listener:
        follow(listener, events())
    assert stream.getvalue() == ""


def screen(some: list[Event], width: int = 80) -> str:
    """What a terminal was sent, without its control sequences."""
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None)
    with bars(console) as listener:
        follow(listener, some)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", file.getvalue())


def test_on_a_terminal_a_target_has_a_bar_with_its_numbers_and_what_went_wrong() -> None:
    shown = screen(events()[:-3])
    assert "10/10" in shown
    assert "diverges: 1 own, 4 portability" in shown


def test_on_a_terminal_a_blocked_target_leaves_its_reason() -> None:
    shown = screen(events())
    assert "jax: blocked: no such version" in shown
    assert "finished" not in shown
