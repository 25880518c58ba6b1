"""A target that is ready to start: its interpreter is known, and what starting a process of it takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

START_LIMIT = 180.0
"""Seconds for a process of a target's interpreter to import its framework."""
_USERS_OWN = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Prepared:
    """A target whose interpreter is known: what starting a worker for it takes."""

    id: Callable[[str | None], str]
    """The canonical name, given the framework's version; TargetBlocked where that is not the one asked for."""
    framework: str
    title: str
    device: str
    mode: str
    python: Path
    adapter: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    """Set before the framework is imported."""
    packages: Mapping[str, str] = field(default_factory=dict)
    version: str | None = None
    """Of the framework, as installed; what the adapter says of itself comes first."""
    issues: str | None = None
    isolated: bool = True
    """Its environment is the suite's own, so that the user's Python variables are kept from it."""
    eager: bool = True
    """Its mode compiles nothing, so that types of errors are judged."""
    first: float = 0.0
    """Seconds that its mode adds to the start of a worker."""
    shape: float = 0.0
    """Seconds that a call takes in its mode whose shapes or dtypes no call before had."""
    workers: int = 1
    """Among how many its calls are divided."""
    gpu: bool = False
    """The device is one that documents' words about GPUs are about."""
    most_memory: int | None = None
    """Bytes that a worker may have; None for what the machine allows."""


def environment(prepared: Prepared) -> dict[str, str]:
    """The variables that a process of a target's interpreter is started with."""
    kept = {name: value for name, value in os.environ.items() if not (prepared.isolated and name in _USERS_OWN)}
    return {**kept, **prepared.variables}
