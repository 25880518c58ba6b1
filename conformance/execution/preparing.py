"""Creates the jobs of a run from the targets on the command line; environments are created when a job starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from conformance.known.load import known_beside, load_known
from conformance.known.model import KnownDivergences
from conformance.targets.definition import definitions
from conformance.targets.prepared import Prepared
from conformance.targets.resolve import Target, resolve
from conformance.targets.worker_starter import WorkerStarter

Report = Callable[[str], None]
"""Is called with messages about the progress."""


@dataclass(frozen=True)
class Job:
    """A requested target, and the function that prepares it."""

    target: Target
    prepare: Callable[[Report], Prepared]
    known: KnownDivergences = field(default_factory=KnownDivergences)
    early: Callable[[], WorkerStarter | None] = lambda: None
    """Takes the starter of its workers if one was started before the run, so that it need not be prepared."""


@dataclass(frozen=True)
class Interpreters:
    """The interpreters for the targets of a command; by default each target has its own environment."""

    python: Path | None = None
    here: bool = False
    offline: bool = False


def jobs(names: Sequence[str], interpreters: Interpreters, ledgers: Mapping[str, Path] | None = None) -> list[Job]:
    """A job for each target; TargetError or SpecError for errors in targets or known divergences.

    ledgers: by framework, a file of known divergences in addition to the one beside its adapter.
    """
    targets = resolve(names, definitions(), python=interpreters.python, here=interpreters.here)
    return [
        Job(target, partial(_prepare, target, interpreters.offline), _known(target, ledgers or {}))
        for target in targets
    ]


def _known(target: Target, ledgers: Mapping[str, Path]) -> KnownDivergences:
    beside = known_beside(target.adapter)
    if target.framework not in ledgers:
        return beside
    more = load_known(ledgers[target.framework])
    return KnownDivergences(more.file, (*more.entries, *beside.entries))


def _prepare(target: Target, offline: bool, report: Report) -> Prepared:
    from conformance.targets.environment import ensure  # slow to import, and not needed by targets started early

    return Prepared(target, ensure(target, report=report, offline=offline))
