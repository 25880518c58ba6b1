"""The unit of work: one target, one part of the cases. A machine carries it out as ``conformance run`` in a process of its own."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from conformance.version import __version__


@dataclass(frozen=True)
class Unit:
    """A target and a shard of its cases. Everything that its results depend on is in it."""

    target: str
    """As a machine finds it, which has the files of the user under other paths."""
    shard: str
    """As ``2/5``."""
    data: str
    """Digest of the suite's specs and adapters, with their known divergences."""
    files: str | None
    """Digest of the user's own specs, adapters and case files; None if there are none."""
    words: tuple[str, ...] = ()
    """The options of the command line that its results depend on."""
    suite: str = __version__
    """The version of the suite."""

    @cached_property
    def key(self) -> str:
        """A hash of all of it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Needs:
    """What a machine must have for a unit."""

    gpu: bool = False
    memory: int | None = None
    """Bytes; None if it is not known."""


@dataclass(frozen=True)
class Attempt:
    """A unit, to be carried out for the first time or again."""

    unit: Unit
    number: int = 1
    announces: bool = False
    """Each call is announced before it is made, so that the call during which a machine is lost is known."""
    fatal: tuple[tuple[str, str], ...] = ()
    """Cases and APIs that took machines down, which are not called again."""
    limits: tuple[str, ...] = ()
    """Words of the command line that may end it early."""
    needs: Needs = Needs()
    avoid: frozenset[str] = field(default=frozenset())
    """Machines that cannot carry it out."""

    @property
    def name(self) -> str:
        """Unique among all attempts of all units."""
        return f"{self.unit.key}-{self.number}"

    def order(self) -> str:
        """What a machine must know of it, in a form that any version of the suite can read: JSON."""
        unit = self.unit
        return json.dumps(
            {
                "suite": unit.suite,
                "python": python_version(),
                "name": self.name,
                "data": unit.data,
                "files": unit.files,
                "announces": self.announces,
                "fatal": self.fatal,
                "words": ["run", unit.target, "--shard", unit.shard, *unit.words, *self.limits],
            }
        )


Order = dict[str, Any]
"""An order, as read."""


def python_version() -> str:
    """The version of Python that Dask needs on all machines, as ``3.11``."""
    return ".".join(platform.python_version_tuple()[:2])
