"""Starts the targets of a command line before its specs are read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.app.errors import ConformanceError
from conformance.app.memcheck import memcheck_for
from conformance.app.selecting import target_words
from conformance.environments.definition import definitions
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.name import exact_version
from conformance.environments.resolve import Target, resolve
from conformance.environments.stored import existing_environment, home_folder
from conformance.execution.measurements import PEAKS, concurrency, remembered
from conformance.processes.early_starts import EarlyStarts, early_starts
from conformance.processes.memcheck import SLOWER
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
    fresh_compile: bool = False,
    memcheck: bool = False,
    offline: bool | None = None,
) -> Iterator[EarlyStarts]:
    """Start the targets among the words of a command line, or by default these, as far as there is memory for them.

    offline: whether indexes may not be asked, to fail at once if no target can be run; None leaves that to the run.
    """
    try:
        targets = resolve(target_words(words) or default, definitions(), python=python, here=here)
    except TargetError as error:
        raise ConformanceError(str(error)) from None
    most = parallel or concurrency(targets, free_memory(), remembered(home_folder(), PEAKS), len(targets))
    starting = Starting(
        start,
        start_limit * (SLOWER if memcheck else 1),
        memcheck=memcheck_for(targets) if memcheck else None,
        fresh_compile=fresh_compile,
    )
    with early_starts(targets, most, starting) as started:
        if offline is not None:
            _check_some_can_run(targets, offline=offline)
        yield started


def _check_some_can_run(targets: Sequence[Target], *, offline: bool) -> None:
    """Fail if the interpreter is none, or no index has the version, of every target: its cases would be built for nothing."""
    reasons = []
    for target in targets:
        try:
            _check_can_run(target, offline=offline)
        except (TargetBlocked, TargetError) as error:
            reasons.append(str(error))
        else:
            return
    raise ConformanceError("\n".join(dict.fromkeys(reasons)), TargetBlocked.exit_status)


def _check_can_run(target: Target, *, offline: bool) -> None:
    if existing_environment(target) is not None or target.definition is None or target.specifier is None:
        return
    if exact_version(target.specifier) in (None, target.definition.tested):
        return  # a tested version can be installed, and the newest of a range is looked for once
    from conformance.environments.environment import check_installable  # slow to import

    check_installable(target, offline=offline)
