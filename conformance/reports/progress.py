"""Progress of a run on standard error: bars on a terminal, otherwise a line for each step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from conformance.events import (
    Event,
    Listener,
)
from conformance.reports.text import for_console, one_line
from conformance.reports.under_way import UnderWay, event_line

SILENCE = 30.0
"""Seconds without a line after which one is printed, without a terminal."""


@contextmanager
def progress(stream: TextIO, *, quiet: bool = False) -> Iterator[Listener]:
    """A listener that shows the progress of a run on this stream; bars disappear when the block ends."""
    if quiet:
        yield Quiet()
    elif stream.isatty():
        from rich.console import Console

        from conformance.reports.bars import bars

        with bars(Console(file=for_console(stream), highlight=False)) as listener:
            yield listener
    else:
        yield Lines(stream)


class Quiet:
    """Shows nothing."""

    def handle(self, event: Event) -> None:
        """Ignore the event."""


class Lines:
    """Prints a line when a target is prepared, starts, finishes or is blocked, and after half a minute without one."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._state = UnderWay(clock)
        self._last = clock()

    def handle(self, event: Event) -> None:
        """Print the line of the event, if it has one, or what the targets are doing."""
        self._state.handle(event)
        line = event_line(event, self._state)
        if line:
            self._print(line)
        elif self._clock() - self._last >= SILENCE:
            for target in self._state.targets.values():
                if not target.has_ended:
                    self._print(one_line(f"{target.name}: {target.line(self._clock())}", 400))

    def _print(self, line: str) -> None:
        print(line, file=self._stream, flush=True)
        self._last = self._clock()
