"""Progress of a run on a terminal: a line for each target with its state, a bar, a count and what it does.

Where the terminal is too narrow for all of it, the message is cut first, then the time is left out, then the bar becomes shorter,
and only then the name is cut.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID
from rich.text import Text

from conformance.events import (
    Event,
    RunFinished,
    RunStarted,
    StillRunning,
    TargetBlocked,
    TargetFinished,
    TargetNotice,
    TargetPreparing,
)
from conformance.reports.text import one_line
from conformance.reports.under_way import STATES, TargetUnderWay, UnderWay, event_line

_STATE = max(map(len, STATES))
_TIME = len("0:00:00")
_SPACES = 6
"""One after each part, also after one that is left out."""
_LONGEST_BAR, _SHORTEST_BAR = 20, 5
_SHORTEST_NAME = 12
_SHORTEST_MESSAGE, _USUAL_MESSAGE = 20, 36
"""Columns below which a message says too little to be shown, and below which the bar gives way to it."""


@dataclass(frozen=True)
class Layout:
    """The columns of each part of a line, which spaces separate; 0 for a part that is left out."""

    name: int
    bar: int
    count: int
    time: int
    message: int


def layout(width: int, names: Sequence[str], counts: Sequence[str]) -> Layout:
    """The layout of lines with these names and counts on a terminal of this width."""
    name, count = max(map(len, names), default=0), max(map(len, counts), default=0)
    left = width - (name + _STATE + count) - _SPACES
    bar = min(_LONGEST_BAR, max(_SHORTEST_BAR, left - _TIME - _USUAL_MESSAGE))
    left -= bar
    if left < 0:
        name = max(_SHORTEST_NAME, name + left)
    shown_time = _TIME if left >= _TIME else 0
    left -= shown_time
    if left >= _SHORTEST_MESSAGE:
        return Layout(name, bar, count, shown_time, left)
    return Layout(name, min(_LONGEST_BAR, bar + max(0, left)), count, shown_time, 0)


@contextmanager
def bars(console: Console) -> Iterator[Bars]:
    """A bar for each target on a console, which disappears when the block ends."""
    lines = _Lines(console)
    with Progress(*lines.columns(), console=console, transient=True) as display:
        lines.display = display
        yield Bars(display)


class _Lines:
    """Renders the parts of a line, all in the layout of the moment: a terminal may change its width."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.display: Progress | None = None

    def columns(self) -> Iterator[ProgressColumn]:
        yield _Part(lambda task, layout: _cut(str(task.fields["target"]), layout.name).ljust(layout.name), self)
        yield _Part(lambda task, _: str(task.fields["state"]).ljust(_STATE), self)
        yield _Bar(self)
        yield _Part(lambda task, layout: _count(task).rjust(layout.count), self)
        yield _Part(lambda task, layout: _elapsed(task) if layout.time else "", self)
        yield _Part(lambda task, layout: _cut(str(task.fields["message"]), layout.message), self)

    def layout(self) -> Layout:
        tasks = self.display.tasks if self.display is not None else []
        names = [str(task.fields["target"]) for task in tasks]
        return layout(self._console.width, names, [_count(task) for task in tasks])


class _Part(ProgressColumn):
    """A part of a line that is a text."""

    def __init__(self, text: Callable[[Task, Layout], str], lines: _Lines) -> None:
        super().__init__()
        self._text = text
        self._lines = lines

    def render(self, task: Task) -> Text:
        return Text(self._text(task, self._lines.layout()), no_wrap=True, end="")


class _Bar(BarColumn):
    """The bar of a line."""

    def __init__(self, lines: _Lines) -> None:
        super().__init__()
        self._lines = lines

    def render(self, task: Task):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a type of rich.progress_bar
        self.bar_width = self._lines.layout().bar
        return super().render(task)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(0, most - 1)]}…" if most else ""


def _count(task: Task) -> str:
    return "" if task.total is None else f"{task.completed:.0f}/{task.total:.0f}"


def _elapsed(task: Task) -> str:
    seconds = task.finished_time if task.finished else task.elapsed
    minutes, rest = divmod(int(seconds or 0), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


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
            line = event_line(event, self._state)
            if line:
                self._display.console.print(line, markup=False, highlight=False)
        for target in self._changed(event):
            self._show(target, event)

    def _changed(self, event: Event) -> Iterable[TargetUnderWay]:
        """The targets whose bars may look different after an event."""
        if isinstance(event, StillRunning):
            return [target for target in self._state.targets.values() if not target.has_ended]
        return () if isinstance(event, RunStarted | RunFinished | TargetNotice) else [self._state.target(event.target)]

    def _show(self, target: TargetUnderWay, event: Event) -> None:
        if target.name not in self._tasks:
            self._tasks[target.name] = self._display.add_task(
                "", total=None, start=False, target=one_line(target.name), state="", message=""
            )
        task = self._tasks[target.name]
        if isinstance(event, TargetPreparing):
            self._display.start_task(task)
        self._display.update(
            task, total=target.total, completed=target.done, state=target.state, message=one_line(target.message())
        )
        if isinstance(event, TargetBlocked | TargetFinished):
            self._display.stop_task(task)
