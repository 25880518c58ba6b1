"""A target that is ready to start: its interpreter is known, and what starting a process of it takes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.targets.definition import Mode
from conformance.targets.home import Environment
from conformance.targets.resolve import Target, canonical_id, check_version

START_LIMIT = 180.0
"""Seconds for a process of a target's interpreter to import its framework."""
_USERS_OWN = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Prepared:
    """A target with the environment that it runs in."""

    target: Target
    environment: Environment
    most_memory: int | None = None
    """Bytes that a worker may have; None for what the machine allows."""

    @property
    def mode(self) -> Mode:
        """What its execution mode costs; a user's adapter without a target.toml has the mode of default costs."""
        return mode_of(self.target)

    @property
    def variables(self) -> Mapping[str, str]:
        """Set before the framework is imported."""
        return self.target.definition.variables if self.target.definition else {}

    def identify(self, version: str | None) -> str:
        """The canonical name, given the framework's version; TargetBlocked where that is not the one asked for."""
        if version is not None:
            check_version(self.target, version)
        return canonical_id(self.target, version)

    def process_variables(self) -> dict[str, str]:
        """The variables that a process of its interpreter is started with."""
        isolated = self.environment.folder is not None
        inherited = {name: value for name, value in os.environ.items() if not (isolated and name in _USERS_OWN)}
        return {**inherited, **self.variables}

    @property
    def python(self) -> Path:
        return self.environment.python


def mode_of(target: Target) -> Mode:
    """The execution mode of a target, with what it costs."""
    return target.definition.modes[target.mode] if target.definition else Mode()
