from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from conformance.events import (
    Event,
    Listener,
    ResultReady,
    RunFinished,
    RunStarted,
    StillRunning,
    TargetActivity,
    TargetBlocked,
    TargetFinished,
    TargetPreparing,
    TargetStarted,
    Waiting,
)
from conformance.reports.bars import Layout, bars, layout
from conformance.reports.progress import Lines, progress
from conformance.reports.wording import origins_text
from conformance.results.records import EndRecord
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE, TARGETS, TORCH


def events(reason: str | None = None) -> list[Event]:
    """A run of two targets as the runner tells it: both are named as they were asked for."""
    some = [result for result in sample().results if result.target == TORCH]
    return [
        RunStarted(("torch", "jax"), 11, {"dtype": 7, "written": 4}),
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
        "11 cases (4 written, 7 in other dtypes) for 2 targets: torch, jax",
        "torch: installing torch==2.13.0",
        "torch: started, torch 2.13.0, Python 3.11.9, NumPy 2.4.6; 10 results expected, one per case and API",
        "jax: installing jax==0.10.0",
    ]
    assert said[4].startswith("jax: blocked: no such version </script>")
    assert said[5:] == [
        "torch: finished in 12.3 s, 9 results: 3 conforms, 1 observed, "
        "4 diverges (portability), 1 diverges (own); "
        "1 call of forms that the API does not have"
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


RESULTS = [result for result in sample().results if result.target == TORCH]


def test_what_remains_after_the_last_call_counts_as_work() -> None:
    shown = screen(
        [
            TargetPreparing("torch", "starting"),
            TargetStarted("torch", TARGETS[1], 12),
            *(ResultReady("torch", result) for result in RESULTS[:6]),
            TargetActivity("torch", 0, "re-checking", 1, 4),
            TargetActivity("torch", 1, "re-checking", 1, 2),
        ],
        width=140,
    )
    assert "8/18" in shown
    assert "re-checking 2 of 6 in fresh processes" in shown


def test_an_activity_that_is_done_is_not_named_any_more() -> None:
    shown = screen(
        [
            TargetStarted("torch", TARGETS[1], 2),
            TargetActivity("torch", 0, "repeating", 3, 3),
            TargetActivity("torch", 0, "minimizing", 1, 5),
        ],
        width=140,
    )
    assert "making draws smaller, 1 of 5" in shown
    assert "repeating" not in shown


def waiting(seconds: float) -> StillRunning:
    return StillRunning((Waiting("torch", "torch.gather", "gather_elements.example.a/1", seconds),))


def test_a_bar_names_the_call_that_it_waits_for_until_it_returns() -> None:
    begun: list[Event] = [TargetStarted("torch", TARGETS[1], 2)]
    assert "waiting 12 s for torch.gather with gather_elements" in screen([*begun, waiting(12)], width=140)
    last_frame = screen([*begun, waiting(12), StillRunning(())], width=140).splitlines()[-1]
    assert "waiting" not in last_frame
    assert "waiting" not in screen([*begun, waiting(1)], width=140)


NAMES = ("tensorflow==2.21.0[xla]@cpu", "torch")
COUNTS = ("17263/17263", "12/3000")


def columns(layout: Layout) -> int:
    """The columns that a line takes, with the state and a space after each of the six parts."""
    return layout.name + len("re-checking") + layout.bar + layout.count + layout.time + layout.message + 6


@pytest.mark.parametrize("width", range(60, 241))
def test_a_line_fits_the_terminal_and_the_name_and_count_are_whole(width: int) -> None:
    parts = layout(width, NAMES, COUNTS)
    assert columns(parts) <= width
    assert (parts.name, parts.count) == (len(NAMES[0]), len(COUNTS[0]))
    assert parts.bar >= 5


def test_the_message_gives_way_first_then_the_time_then_the_bar_and_last_the_name() -> None:
    name, count = len(NAMES[0]), len(COUNTS[0])
    name, count = len(NAMES[0]), len(COUNTS[0])
    assert layout(140, NAMES, COUNTS) == Layout(name, bar=20, count=count, time=7, message=58)
    assert layout(100, NAMES, COUNTS) == Layout(name, bar=5, count=count, time=7, message=33)
    assert layout(80, NAMES, COUNTS) == Layout(name, bar=18, count=count, time=7, message=0)
    assert layout(67, NAMES, COUNTS) == Layout(name, bar=5, count=count, time=7, message=0)
    assert layout(66, NAMES, COUNTS) == Layout(name, bar=11, count=count, time=0, message=0)
    assert layout(50, NAMES, COUNTS) == Layout(name - 10, bar=5, count=count, time=0, message=0)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_each_of_twelve_targets_shows_its_state_and_its_count(width: int) -> None:
    begun = [event for number in range(12) for event in started(f"framework-{number}==2.{number}.0")]
    last_frame = screen([*begun, waiting(12)], width=width).rstrip().splitlines()[-12:]
    assert all(len(line) <= width for line in last_frame)
    for number, line in enumerate(last_frame):
        assert line.startswith(f"framework-{number}==2.{number}.0 ")
        assert " re-checking " in line
        assert " 13/18" in line


def started(name: str) -> list[Event]:
    results = [ResultReady(name, result) for result in RESULTS[:10]]
    return [TargetStarted(name, TARGETS[1], 10), *results, TargetActivity(name, 0, "re-checking", 3, 8)]


def test_a_finished_target_says_so_and_nothing_else() -> None:
    some = [*started("torch"), waiting(5), TargetFinished("torch", 12.0), waiting(60)]
    last = screen(some, width=140).rstrip().splitlines()[-1]
    assert re.fullmatch(r"torch done +━+ +13/18 0:00:00 *", last)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_a_terminal_half_a_minute_of_silence_ends_with_a_line_for_each_target_that_still_runs() -> None:
    clock, stream = Clock(), io.StringIO()
    listener = Lines(stream, clock)
    follow(listener, [TargetPreparing("jax", "installing 9 packages"), TargetStarted("torch", TARGETS[1], 12)])
    follow(listener, [TargetStarted("mindspore", TARGETS[3], 3), TargetFinished("mindspore", 1.0)])
    follow(listener, [ResultReady("torch", RESULTS[0]), TargetActivity("torch", 0, "re-checking", 12, 40)])
    before = len(stream.getvalue().splitlines())
    for seconds in (29, 30, 59, 60):
        clock.now = 100.0 + seconds
        follow(listener, [waiting(12)])
    said = stream.getvalue().splitlines()[before:]
    in_half_a_minute = [
        "jax: installing 9 packages (30 s)",
        "torch: 1 of 12 results; re-checking 12 of 40 in fresh processes; "
        "waiting 12 s for torch.gather with gather_elements.example.a/1",
    ]
    assert said == [*in_half_a_minute, in_half_a_minute[0].replace("30", "60"), in_half_a_minute[1]]


def test_cases_are_counted_by_where_they_come_from() -> None:
    assert origins_text({"written": 3}) == ""
    assert origins_text({"drawn": 1, "found": 2, "written": 3}) == " (3 written, 2 found on targets, 1 drawn)"
