"""When a worker that does not answer has hung or ended, rather than being slow on a busy machine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LONGEST = 10
"""The longest wait, as a multiple of the limit."""
LONGEST_STOP = 5
"""The longest time for which a process may be stopped without that being part of the wait, as a multiple of the limit."""
IDLE = 1.0
"""Seconds without computing after which a process waits for what does not come."""


@dataclass(frozen=True)
class Activity:
    """What the system tells of a process."""

    seconds: float
    """Time that it has computed."""
    is_runnable: bool
    """It would compute if it had a core."""
    is_stopped: bool = False
    """A signal or a debugger has stopped it, from which it may be continued."""


def activity_of(process: int) -> Activity | None:
    """The activity of a process; None if unknown."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return Activity(
            (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), fields[0] == "R", fields[0] in "Tt"
        )
    except (OSError, ValueError, IndexError):
        return None


_EXITING = 0x4
"""The kernel's flag of a process that is ending."""


def has_ended(process: int) -> bool:
    """Whether a process has ended or is ending, though perhaps nobody has waited for it yet; False if unknown."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return fields[0] in "ZX" or bool(int(fields[6]) & _EXITING)
    except FileNotFoundError:
        return Path("/proc/self/stat").exists()
    except (OSError, ValueError, IndexError):
        return False


class Patience:
    """How long to wait for a process: up to its limit, or while it computes until it has computed for as long.

    Time for which the process is stopped does not count, since somebody else has stopped it.
    """

    def __init__(
        self,
        process: int,
        limit: float,
        activity: Callable[[int], Activity | None] = activity_of,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._process = process
        self._limit = limit
        self._activity = activity
        self._clock = clock
        self._begun = self._active_at = self._asked_at = clock()
        self._stopped = 0.0
        """Seconds for which the process was stopped."""
        self._first: Activity | None = None
        self._last: Activity | None = None

    @property
    def waited(self) -> float:
        """Seconds since the wait began."""
        return self._clock() - self._begun

    def remaining(self, most: float) -> float:
        """Seconds until the next question whether it is over."""
        remaining = self._begun + self._limit - self._clock()
        return min(most, remaining) if remaining > 0 else most

    def is_over(self) -> bool:
        """Whether the process has hung; to be asked several times a second."""
        now, activity = self._clock(), self._activity(self._process)
        if activity is not None:
            self._first = self._first or activity
            is_stopped = activity.is_stopped and self._stopped < LONGEST_STOP * self._limit
            self._stopped += now - self._asked_at if is_stopped else 0.0
            if activity.is_runnable or is_stopped or activity.seconds > (self._last or self._first).seconds:
                self._active_at = now
            self._last = activity
        self._asked_at = now
        waited = now - self._begun - self._stopped
        if waited < self._limit:
            return False
        if activity is None or self._first is None or waited >= LONGEST * self._limit:
            return True
        has_computed = activity.seconds - self._first.seconds
        return has_computed >= self._limit or now - self._active_at > min(IDLE, self._limit / 2)
