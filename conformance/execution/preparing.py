"""From the targets of a command line to jobs of a run: an environment is made when the job's turn comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from conformance.execution.runner import Job
from conformance.execution.target_run import Say
from conformance.known.load import ledger_beside
from conformance.places import adapters_folder
from conformance.targets.definition import find_definitions
from conformance.targets.environment import ensure
from conformance.targets.prepared import Prepared
from conformance.targets.resolve import Target, canonical_id, check_version, resolve


@dataclass(frozen=True)
class Interpreters:
    """Which interpreters the targets of a command run in; by default each in an environment of its own."""

    python: Path | None = None
    here: bool = False
    offline: bool = False


def jobs(names: Sequence[str], interpreters: Interpreters) -> list[Job]:
    """A job for each target; TargetError or SpecError for what can be told to be wrong before anything is started."""
    definitions = find_definitions(adapters_folder())
    targets = resolve(names, definitions, python=interpreters.python, here=interpreters.here)
    return [
        Job(
            target.asked,
            target.framework,
            target.device,
            target.mode,
            partial(_prepare, target, interpreters.offline),
            ledger_beside(target.adapter),
            _cost(target),
        )
        for target in targets
    ]


def _cost(target: Target) -> tuple[int, float]:
    mode = target.definition.modes[target.mode] if target.definition else None
    return (mode.workers, mode.shape) if mode else (1, 0.0)


def _prepare(target: Target, offline: bool, say: Say) -> Prepared:
    environment = ensure(target, say=say, offline=offline)
    definition = target.definition
    mode = definition.modes[target.mode] if definition else None
    return Prepared(
        id=partial(_identify, target),
        framework=target.framework,
        title=target.title,
        device=target.device,
        mode=target.mode,
        python=environment.python,
        adapter=target.adapter,
        variables=definition.variables if definition else {},
        packages=environment.packages,
        version=environment.version,
        issues=definition.issues if definition else None,
        isolated=environment.folder is not None,
        eager=mode is None or not mode.compiled,
        first=mode.first if mode else 0.0,
        shape=mode.shape if mode else 0.0,
        workers=mode.workers if mode else 1,
        gpu=target.gpu,
    )


def _identify(target: Target, version: str | None) -> str:
    if version is not None:
        check_version(target, version)
    return canonical_id(target, version)
