"""Starts the targets of a command line before its specs are read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.app.errors import ConformanceError
from conformance.app.selecting import target_words
from conformance.environments.definition import definitions
from conformance.environments.errors import TargetError
from conformance.environments.resolve import resolve
from conformance.environments.stored import home_folder
from conformance.execution.measurements import PEAKS, concurrency, remembered
from conformance.processes.early_starts import EarlyStarts, early_starts
from conformance.processes.memory import free_memory
from conformance.processes.worker_starter import Starting, StartMethod


@contextlib.contextmanager
def started_early(
    words: Sequence[str],
    default: Sequence[str],
    *,
    python: Path | None,
    here: bool,
    parallel: int | None,
    start: StartMethod,
    start_limit: float,
) -> Iterator[EarlyStarts]:
    """Start the targets among the words of a command line, or by default these, as far as there is memory for them."""
    try:
        targets = resolve(target_words(words) or default, definitions(), python=python, here=here)
    except TargetError as error:
        raise ConformanceError(str(error)) from None
    most = parallel or concurrency(targets, free_memory(), remembered(home_folder(), PEAKS), len(targets))
    with early_starts(targets, most, Starting(start, start_limit)) as started:
        yield started
