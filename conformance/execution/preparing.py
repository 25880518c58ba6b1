"""From the targets of a command line to jobs of a run: an environment is made when the job's turn comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from conformance.known.load import known_beside
from conformance.known.model import KnownDivergences
from conformance.places import adapters_folder
from conformance.targets.definition import find_definitions
from conformance.targets.environment import ensure
from conformance.targets.prepared import Prepared
from conformance.targets.resolve import Target, resolve

Report = Callable[[str], None]
"""Takes a message about what happens now."""


@dataclass(frozen=True)
class Job:
    """A target as asked for, and how to make it ready to start."""

    target: Target
    prepare: Callable[[Report], Prepared]
    known: KnownDivergences = field(default_factory=KnownDivergences)


@dataclass(frozen=True)
class Interpreters:
    """Which interpreters the targets of a command run in; by default each in an environment of its own."""

    python: Path | None = None
    here: bool = False
    offline: bool = False


def jobs(names: Sequence[str], interpreters: Interpreters) -> list[Job]:
    """A job for each target; TargetError or SpecError for what can be found wrong before anything is started."""
    definitions = find_definitions(adapters_folder())
    targets = resolve(names, definitions, python=interpreters.python, here=interpreters.here)
    return [
        Job(target, partial(_prepare, target, interpreters.offline), known_beside(target.adapter)) for target in targets
    ]


def _prepare(target: Target, offline: bool, report: Report) -> Prepared:
    return Prepared(target, ensure(target, report=report, offline=offline))
