"""Progress of a run on standard error: bars on a terminal, otherwise a line for each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from conformance.events import (
    Event,
    Listener,
    ResultReady,
    RunFinished,
    RunStarted,
    TargetBlocked,
    TargetFinished,
    TargetNotice,
    TargetPreparing,
    TargetStarted,
)
from conformance.reports.statistics import TargetStatistics, counts_text, sort_of
from conformance.reports.text import counted, one_line
from conformance.results.records import TargetRecord

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
    """Prints a line when a target is prepared, starts, finishes or is blocked, but not for each result."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._counts = VerdictCounts()

    def handle(self, event: Event) -> None:
        """Print the line of the event, if it has one."""
        self._counts.handle(event)
        line = event_line(event, self._counts)
        if line:
            print(line, file=self._stream, flush=True)


class VerdictCounts:
    """The results of each target by verdict so far, and the blocked targets."""

    def __init__(self) -> None:
        self._by_target: dict[str, Counter[str]] = {}
        self.blocked: set[str] = set()

    def handle(self, event: Event) -> None:
        """Count a result or record a blocked target."""
        if isinstance(event, ResultReady):
            self._by_target.setdefault(event.target, Counter())[sort_of(event.result)] += 1
        elif isinstance(event, TargetBlocked):
            self.blocked.add(event.target)

    def text(self, target: str) -> str:
        """``12 results: 9 conforms, 3 unsupported``."""
        record = TargetRecord(target, "", None, "", "")
        return counts_text(TargetStatistics(record, self._by_target.get(target, Counter()), known=0))

    def alarms(self, target: str) -> str:
        """The findings so far: ``diverges: 3 own; 1 died``."""
        counts = self._by_target.get(target, Counter())
        diverges = ", ".join(f"{counts[sort]} {sort}" for sort in ("own", "printed", "portability") if counts[sort])
        ended = [f"{counts[sort]} {sort}" for sort in ("died", "hung") if counts[sort]]
        return "; ".join([*([f"diverges: {diverges}"] if diverges else []), *ended])


def event_line(event: Event, counts: VerdictCounts) -> str | None:
    """The line for an event; None for events without one."""
    line: str | None = None
    match event:
        case RunStarted(targets, cases):
            line = f"{counted(cases, 'case')} for {counted(len(targets), 'target')}: {', '.join(targets)}"
        case TargetPreparing(target, message) | TargetNotice(target, message):
            line = f"{target}: {message}"
        case TargetStarted(target, record, results):
            line = f"{target}: started, {started_text(record)}; {counted(results, 'result')} expected"
        case TargetBlocked(target, reason):
            line = f"{target}: blocked: {reason}"
        case TargetFinished(target, seconds) if target not in counts.blocked:
            line = f"{target}: finished in {seconds:.1f} s, {counts.text(target)}"
        case RunFinished(end) if not end.complete:
            line = f"incomplete run: {end.reason or 'no reason recorded'}"
    return one_line(line, 1000) if line else None


def started_text(record: TargetRecord) -> str:
    """``torch 2.13.0, Python 3.11.9, NumPy 2.4.6``."""
    parts = [f"{record.framework} {record.version or 'unknown version'}"]
    parts += [f"Python {record.python}"] if record.python else []
    parts += [f"NumPy {record.numpy}"] if record.numpy else []
    return ", ".join(parts)


class Bars:
    """A bar for each target; blocked targets and notices are printed above the bars."""

    def __init__(self, display: Progress) -> None:
        self._display = display
        self._counts = VerdictCounts()
        self._tasks: dict[str, TaskID] = {}

    def handle(self, event: Event) -> None:
        """Advance the bar of the target, or print a line above the bars."""
        self._counts.handle(event)
        if isinstance(event, RunStarted | RunFinished | TargetNotice):
            self._print(event)
        else:
            self._move(event)

    def _task(self, target: str) -> TaskID:
        if target not in self._tasks:
            self._tasks[target] = self._display.add_task(one_line(target), total=None, start=False, status="")
        return self._tasks[target]

    def _move(self, event: TargetPreparing | TargetStarted | TargetBlocked | ResultReady | TargetFinished) -> None:
        task = self._task(event.target)
        if isinstance(event, TargetPreparing):
            self._display.start_task(task)
            self._display.update(task, status=one_line(event.message, 60))
        elif isinstance(event, TargetStarted):
            self._display.update(task, total=event.results, status="")
        elif isinstance(event, ResultReady):
            self._display.update(task, advance=1, status=self._counts.alarms(event.target))
        elif isinstance(event, TargetBlocked):
            self._display.update(task, status="blocked")
            self._display.stop_task(task)
            self._print(event)
        else:
            if event.target not in self._counts.blocked:
                self._display.update(task, status=self._counts.alarms(event.target) or "done")
            self._display.stop_task(task)

    def _print(self, event: Event) -> None:
        line = event_line(event, self._counts)
        if line:
            self._display.console.print(line, markup=False, highlight=False)
