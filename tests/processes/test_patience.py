"""A hang is told from a busy machine by what the process computes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from conformance.processes.patience import LONGEST, LONGEST_STOP, Activity, Patience, activity_of

LIMIT = 4.0
STEP = 0.125

States = Callable[[float], Activity | None]
"""The activity of a process after these seconds."""


def waited(states: States, limit: float = LIMIT) -> float:
    """Seconds until a process with these activities is held to have hung."""
    now = 0.0
    patience = Patience(1, limit, lambda process: states(now), lambda: now)
    while not patience.is_over():
        assert now <= LONGEST * limit
        now += STEP
    return now


def test_what_neither_returns_nor_computes_has_hung_at_the_limit() -> None:
    assert waited(lambda now: Activity(5.0, is_runnable=False)) == LIMIT


def test_what_computes_all_the_time_has_hung_at_the_limit() -> None:
    assert waited(lambda now: Activity(5.0 + now, is_runnable=True)) == LIMIT


def test_with_several_threads_the_limit_is_still_that_of_the_clock() -> None:
    assert waited(lambda now: Activity(4 * now, is_runnable=True)) == LIMIT


def test_where_the_system_tells_nothing_the_clock_decides() -> None:
    assert waited(lambda now: None) == LIMIT


def test_what_gets_a_quarter_of_a_core_has_four_times_the_limit() -> None:
    assert waited(lambda now: Activity(now / 4, is_runnable=True)) == 4 * LIMIT


def test_what_never_gets_a_core_has_a_multiple_of_the_limit() -> None:
    assert waited(lambda now: Activity(5.0, is_runnable=True)) == LONGEST * LIMIT


@pytest.mark.parametrize("stops", [LIMIT, 2 * LIMIT])
def test_what_stops_to_compute_after_the_limit_has_hung_soon_after(stops: float) -> None:
    assert stops < waited(lambda now: Activity(min(now, stops) / 4, is_runnable=now < stops)) <= stops + 1.5


@pytest.mark.parametrize("stopped", [LIMIT, LONGEST_STOP * LIMIT])
def test_time_for_which_a_process_is_stopped_does_not_count(stopped: float) -> None:
    def states(now: float) -> Activity:
        return Activity(5.0, is_runnable=False, is_stopped=1 < now <= 1 + stopped)

    assert waited(states) == LIMIT + stopped


def test_what_stays_stopped_has_hung_in_the_end() -> None:
    assert waited(lambda now: Activity(5.0, is_runnable=False, is_stopped=True)) == (LONGEST_STOP + 1) * LIMIT


def test_the_system_tells_that_a_process_is_stopped() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"])
    try:
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        activity = activity_of(process.pid)
        assert activity is not None
        assert activity.is_stopped
    finally:
        process.kill()
        process.wait()


def test_a_short_limit_needs_no_long_idling() -> None:
    assert waited(lambda now: Activity(5.0, is_runnable=False), limit=0.5) == 0.5


def test_the_system_tells_what_this_process_computed() -> None:
    before = activity_of(os.getpid())
    assert before is not None
    while (now := activity_of(os.getpid())) is not None and now.seconds == before.seconds:
        pass
    assert now is not None
    assert now.seconds > before.seconds
    assert activity_of(2**30) is None
