"""A target with everything that is needed to start its processes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

from conformance.environments.definition import THREADS, Mode
from conformance.environments.name_checks import FILE_MODE
from conformance.environments.resolve import Target, canonical_id, check_version
from conformance.environments.stored import Environment
from conformance.specification.adapter_files import defined_names
from conformance.specification.vocabulary import Capability, Hook

START_LIMIT = 180.0
"""Seconds for a process to import its framework."""
PYTHONPATH = "PYTHONPATH"
_USER_VARIABLES = (PYTHONPATH, "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV")
_MODE_OF_FILE = Mode(passes=["shared"])
"""The mode of an adapter without a target.toml."""


@dataclass(frozen=True)
class Prepared:
    """A target with its environment."""

    target: Target
    environment: Environment
    memory_limit: int | None = None
    """Bytes of memory that a worker may use; None for a fraction of the machine's."""
    overrides: Mapping[str, str | None] = field(default_factory=dict)
    """Environment variables with another value than the target's; None for one that is not set."""

    @property
    def mode(self) -> Mode:
        """Its execution mode; a mode with default costs for an adapter without a target.toml."""
        return mode_of(self.target)

    @property
    def compile_limit(self) -> float:
        """Seconds for compiling in addition to the time limit of a call; 0 in a mode that compiles nothing."""
        target = self.target
        compiles = self.mode.compiled or (target.definition is None and target.mode != FILE_MODE)
        return self.mode.compile_limit if compiles else 0.0

    @property
    def default_mode(self) -> Mode:
        """The default mode of its framework."""
        definition = self.target.definition
        return definition.modes[definition.default_mode] if definition else _MODE_OF_FILE

    @property
    def variables(self) -> Mapping[str, str]:
        """Environment variables to set before the framework is imported, for one thread unless overridden."""
        definition = self.target.definition
        own = (
            {**definition.variables_in(self.target.mode), **dict.fromkeys(definition.threads, "1")}
            if definition
            else {}
        )
        return {name: value for name, value in {**own, **self.overrides}.items() if value is not None}

    def identify(self, version: str | None) -> str:
        """Return the canonical name for the framework's version; raise TargetBlocked if it is not the requested one."""
        if version is not None:
            check_version(self.target, version)
        return canonical_id(self.target, version)

    def process_variables(self) -> dict[str, str]:
        """The environment variables for a process of its interpreter."""
        isolated = self.environment.folder is not None
        dropped = {*self.overrides, *(_USER_VARIABLES if isolated else ())}
        inherited = {name: value for name, value in os.environ.items() if name not in dropped}
        if PYTHONPATH in inherited:  # which may be relative to the folder of the command, where no worker runs
            inherited[PYTHONPATH] = os.pathsep.join(map(os.path.abspath, inherited[PYTHONPATH].split(os.pathsep)))
        return {**inherited, **self.variables}

    @property
    def thread_variables(self) -> Sequence[str]:
        """Environment variables for the number of threads; none if it computes with one."""
        return self.target.definition.threads if self.target.definition else THREADS

    @property
    def has_one_core(self) -> bool:
        """Whether a worker is bound to one core; never if its number of threads is overridden."""
        return self.target.definition is not None and self.target.definition.one_core and not self.overrides

    def with_threads(self, number: int | None) -> Prepared:
        """The same target with this number of threads; None for the framework's default."""
        return replace(self, overrides=dict.fromkeys(self.thread_variables, None if number is None else str(number)))

    @property
    def python(self) -> Path:
        return self.environment.python


def capabilities_of(target: Target) -> list[Capability]:
    """What a target can do with a call: what its mode passes, and the transforms of which its adapter has the hook.

    A model has none, since a transform is one of the framework's own functions.
    """
    mode = mode_of(target)
    hooks = defined_names(target.adapter) if mode.transforms and not mode.path else frozenset()
    return [*mode.passes, *(name for name in get_args(Hook) if name in hooks)]


def mode_of(target: Target) -> Mode:
    """Return the execution mode of a target, with its costs."""
    return target.definition.modes[target.mode] if target.definition else _MODE_OF_FILE
