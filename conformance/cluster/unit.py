"""The unit of work that any engine can carry: one target, one part of the cases."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Unit:
    """A target and a shard of its cases. Everything that its results depend on is in it."""

    target: str
    """As a machine finds it, which has the files of the user under other paths."""
    shard: str
    """As ``2/5``."""
    suite: str
    """The version of the suite."""
    data: str
    """Digest of the suite's specs and adapters, with their known divergences."""
    files: str | None
    """Digest of the user's own specs, adapters and case files; None if there are none."""
    seed: int = 0
    draws: int = 0
    selection: tuple[str, ...] = ()
    """Words of the command line that select cases."""
    options: tuple[str, ...] = ()
    """Other words of the command line that results depend on."""

    @cached_property
    def key(self) -> str:
        """A hash of all of it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:24]

    @property
    def contents(self) -> list[str]:
        """The digests of what a machine needs for it."""
        return [digest for digest in (self.data, self.files) if digest is not None]


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
    one_by_one: bool = False
    """Each call is announced before it is made, so that the call during which a machine is lost is known."""
    fatal: tuple[tuple[str, str], ...] = ()
    """Cases and APIs that took machines down, which are not called again."""
    limits: tuple[str, ...] = ()
    """Words of the command line that may end it early."""
    needs: Needs = Needs()
    avoid: frozenset[str] = field(default=frozenset(), compare=False)
    """Machines that cannot carry it out."""

    @property
    def name(self) -> str:
        """Unique among all attempts of all units."""
        return f"{self.unit.key}-{self.number}"

    @property
    def arguments(self) -> list[str]:
        """The command line of the process that carries it out."""
        unit = self.unit
        numbers = ["--seed", str(unit.seed), "--draws", str(unit.draws), "--shard", unit.shard]
        words = ["run", unit.target, *unit.selection, *numbers, *unit.options, *self.limits, "--quiet", "--output", "-"]
        return [*words, "--unit", json.dumps({"one_by_one": self.one_by_one, "fatal": self.fatal})]


def attempt_text(attempt: Attempt) -> str:
    """An attempt as text, for a machine; without what only the engine needs."""
    content = asdict(attempt)
    del content["avoid"], content["needs"]
    return json.dumps(content)


def read_attempt(text: str) -> Attempt:
    """The attempt of such a text."""
    content = json.loads(text)
    unit = content.pop("unit")
    unit = Unit(**{**unit, "selection": tuple(unit["selection"]), "options": tuple(unit["options"])})
    fatal = tuple((case, api) for case, api in content.pop("fatal"))
    return Attempt(unit, fatal=fatal, limits=tuple(content.pop("limits")), **content)
