"""Progress of a run on standard error: bars on a terminal, otherwise a line for each step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from conformance.events import (
    Event,
    Listener,
    RunFinished,
    RunStarted,
    StillRunning,
    TargetBlocked,
    TargetFinished,
    TargetNotice,
    TargetPreparing,
    TargetStarted,
)
from conformance.reports.statistics import origins_text
from conformance.reports.text import counted, one_line, one_line_with_end
from conformance.reports.under_way import TargetUnderWay, UnderWay
from conformance.results.records import TargetRecord

SILENCE = 30.0
"""Seconds without a line after which one is printed, without a terminal."""
if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


@contextmanager
def progress(stream: TextIO, *, quiet: bool = False) -> Iterator[Listener]:
    """A listener that shows the progress of a run on this stream; bars disappear when the block ends."""
    if quiet:
        yield Quiet()
    elif stream.isatty():
        from rich.console import Console

        with bars(Console(file=stream, highlight=False)) as listener:
            yield listener
    else:
        yield Lines(stream)


@contextmanager
def bars(console: Console) -> Iterator[Listener]:
    """A bar for each target on a console."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[status]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as display:
        yield Bars(display)


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


def event_line(event: Event, state: UnderWay) -> str | None:
    """The line for an event; None for events without one."""
    line: str | None = None
    match event:
        case RunStarted(targets, cases, origins):
            names = ", ".join(targets)
            line = f"{counted(cases, 'case')}{origins_text(origins)} for {counted(len(targets), 'target')}: {names}"
        case TargetPreparing(target, message) | TargetNotice(target, message):
            line = f"{target}: {message}"
        case TargetStarted(target, record, results):
            line = f"{target}: started, {started_text(record)}; {counted(results, 'result')} expected, one per case and API"
        case TargetBlocked(target, reason):
            line = f"{target}: blocked: {reason}"
        case TargetFinished(target, seconds) if target not in state.blocked:
            line = f"{target}: finished in {seconds:.1f} s, {state.target(target).counts_text()}"
        case RunFinished(end) if not end.complete:
            line = f"incomplete run: {end.reason or 'no reason recorded'}"
    return one_line_with_end(line, 1000) if line else None


def started_text(record: TargetRecord) -> str:
    """``torch 2.13.0, Python 3.11.9, NumPy 2.4.6``."""
    parts = [f"{record.framework} {record.version or 'unknown version'}"]
    parts += [f"Python {record.python}"] if record.python else []
    parts += [f"NumPy {record.numpy}"] if record.numpy else []
    return ", ".join(parts)


class Bars:
    """A bar for each target; blocked targets and notices are printed above the bars."""

    def __init__(self, display: Progress, clock: Callable[[], float] = time.monotonic) -> None:
        self._display = display
        self._state = UnderWay(clock)
        self._tasks: dict[str, TaskID] = {}

    def handle(self, event: Event) -> None:
        """Update the bar of the target, or print a line above the bars."""
        self._state.handle(event)
        if isinstance(event, RunStarted | RunFinished | TargetNotice | TargetBlocked):
            self._print(event)
        for target in self._changed(event):
            self._show(target, event)

    def _changed(self, event: Event) -> Iterable[TargetUnderWay]:
        """The targets whose bars may look different after an event."""
        if isinstance(event, StillRunning):
            return [target for target in self._state.targets.values() if not target.has_ended]
        return () if isinstance(event, RunStarted | RunFinished | TargetNotice) else [self._state.target(event.target)]

    def _show(self, target: TargetUnderWay, event: Event) -> None:
        if target.name not in self._tasks:
            self._tasks[target.name] = self._display.add_task(one_line(target.name), total=None, start=False, status="")
        task = self._tasks[target.name]
        if isinstance(event, TargetPreparing):
            self._display.start_task(task)
        self._display.update(task, total=target.total, completed=target.done, status=self._status(target))
        if isinstance(event, TargetBlocked | TargetFinished):
            self._display.stop_task(task)

    def _status(self, target: TargetUnderWay) -> str:
        if target.name in self._state.blocked:
            return "blocked"
        if target.expected is None:
            return one_line(target.preparing or "", 60)
        text = "; ".join(filter(None, [target.current(), target.findings()]))
        return text or ("done" if target.has_ended else "")

    def _print(self, event: Event) -> None:
        line = event_line(event, self._state)
        if line:
            self._display.console.print(line, markup=False, highlight=False)
