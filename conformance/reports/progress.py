"""How far a run is, on standard error: bars on a terminal, a line for each step elsewhere, or nothing."""

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
    TargetPreparing,
    TargetStarted,
)
from conformance.reports.statistics import TargetFigures, counts_text, sort_of
from conformance.reports.text import counted, one_line
from conformance.results.records import TargetRecord

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


@contextmanager
def progress(stream: TextIO, *, quiet: bool = False) -> Iterator[Listener]:
    """A listener that shows a run on this stream; bars are gone again when the block ends."""
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
        TextColumn("{task.fields[said]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as shown:
        yield Bars(shown)


class Quiet:
    """Says nothing."""

    def handle(self, event: Event) -> None:
        """Take an event and leave it."""


class Lines:
    """A line when a target is prepared, starts, finishes or is blocked; none for a single result."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._pattern_counts = Tallies()

    def handle(self, event: Event) -> None:
        """Print the event's line, if it has one."""
        self._pattern_counts.handle(event)
        line = event_line(event, self._pattern_counts)
        if line:
            print(line, file=self._stream, flush=True)


class Tallies:
    """What each target's results have come to so far, and which targets are blocked."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self.blocked: set[str] = set()

    def handle(self, event: Event) -> None:
        """Count a result, note a blocked target."""
        if isinstance(event, ResultReady):
            self._counts.setdefault(event.target, Counter())[sort_of(event.result)] += 1
        elif isinstance(event, TargetBlocked):
            self.blocked.add(event.target)

    def text(self, target: str) -> str:
        """``12 results: 9 conforms, 3 unsupported``."""
        record = TargetRecord(target, "", None, "", "")
        return counts_text(TargetFigures(record, self._counts.get(target, Counter()), known=0))

    def alarms(self, target: str) -> str:
        """What a person who watches wants to know: ``diverges: 3 own; 1 died``."""
        counts = self._counts.get(target, Counter())
        diverges = ", ".join(f"{counts[sort]} {sort}" for sort in ("own", "portability") if counts[sort])
        ended = [f"{counts[sort]} {sort}" for sort in ("died", "hung") if counts[sort]]
        return "; ".join([*([f"diverges: {diverges}"] if diverges else []), *ended])


def event_line(event: Event, pattern_counts: Tallies) -> str | None:
    """The line that says an event, or None for those that are too many or say nothing new."""
    line: str | None = None
    match event:
        case RunStarted(targets, cases):
            line = f"{counted(cases, 'case')} for {counted(len(targets), 'target')}: {', '.join(targets)}"
        case TargetPreparing(target, message):
            line = f"{target}: {message}"
        case TargetStarted(target, record, results):
            line = f"{target}: started, {started_text(record)}; {counted(results, 'result')} to come"
        case TargetBlocked(target, reason):
            line = f"{target}: blocked: {reason}"
        case TargetFinished(target, seconds) if target not in pattern_counts.blocked:
            line = f"{target}: finished in {seconds:.1f} s, {pattern_counts.text(target)}"
        case RunFinished(end) if not end.complete:
            line = f"the run is incomplete: {end.reason or 'no reason is given'}"
    return one_line(line, 1000) if line else None


def started_text(record: TargetRecord) -> str:
    """``torch 2.13.0, Python 3.11.9, NumPy 2.4.6``."""
    parts = [f"{record.framework} {record.version or 'of unknown version'}"]
    parts += [f"Python {record.python}"] if record.python else []
    parts += [f"NumPy {record.numpy}"] if record.numpy else []
    return ", ".join(parts)


class Bars:
    """A bar for each target; what is blocked is printed above them and stays."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._pattern_counts = Tallies()
        self._tasks: dict[str, TaskID] = {}

    def handle(self, event: Event) -> None:
        """Move the target's bar, or print above the bars what must not be missed."""
        self._pattern_counts.handle(event)
        if isinstance(event, RunStarted | RunFinished):
            self._print(event)
        else:
            self._move(event)

    def _task(self, target: str) -> TaskID:
        if target not in self._tasks:
            self._tasks[target] = self._shown.add_task(one_line(target), total=None, start=False, said="")
        return self._tasks[target]

    def _move(self, event: TargetPreparing | TargetStarted | TargetBlocked | ResultReady | TargetFinished) -> None:
        task = self._task(event.target)
        if isinstance(event, TargetPreparing):
            self._shown.start_task(task)
            self._shown.update(task, said=one_line(event.message, 60))
        elif isinstance(event, TargetStarted):
            self._shown.update(task, total=event.results, said="")
        elif isinstance(event, ResultReady):
            self._shown.update(task, advance=1, said=self._pattern_counts.alarms(event.target))
        elif isinstance(event, TargetBlocked):
            self._shown.update(task, said="blocked")
            self._shown.stop_task(task)
            self._print(event)
        else:
            if event.target not in self._pattern_counts.blocked:
                self._shown.update(task, said=self._pattern_counts.alarms(event.target) or "done")
            self._shown.stop_task(task)

    def _print(self, event: Event) -> None:
        line = event_line(event, self._pattern_counts)
        if line:
            self._shown.console.print(line, markup=False, highlight=False)
