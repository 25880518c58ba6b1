"""What is wrong with a spec: every problem has a place, and all of them are reported at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from conformance.places import data_folder

Path_ = tuple[str | int, ...]
"""Keys from a document's root to a value."""


@dataclass(frozen=True, order=True)
class Location:
    """A line of a file, both as a person types them."""

    file: str
    line: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, order=True)
class Problem:
    """One thing to fix."""

    location: Location
    message: str
    clause: str | None = field(default=None, compare=False)
    """The id of the clause that it is about, where it is about one that can be read."""
    case: str | None = field(default=None, compare=False)
    """The id of the case."""

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


class SpecError(Exception):
    """Specs that cannot be used; ``problems`` names every one found, in the order of files and lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass
class Lines:
    """Where each value of one YAML file stands."""

    file: str
    of: dict[Path_, int] = field(default_factory=dict)

    def location(self, path: Path_) -> Location:
        """The line of a value, or of the nearest thing around it."""
        while path and path not in self.of:
            path = path[:-1]
        return Location(self.file, self.of.get(path, 1))


def closest(word: str, allowed: Iterable[str]) -> str | None:
    """The allowed word that is most likely meant; None where none is close."""
    return next(iter(difflib.get_close_matches(word, sorted(map(str, allowed)), n=1)), None)


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where an allowed word is close, else nothing."""
    meant = closest(word, allowed)
    return f"; did you mean {meant!r}?" if meant else ""


def nearest(word: str, allowed: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where an allowed word is close, else all that is allowed."""
    names = sorted(map(str, allowed))
    return did_you_mean(word, names) or (f"; allowed: {', '.join(names)}" if names else "")


def shown(path: Path) -> str:
    """A file's name as messages and records give it: the suite's own by its place in the suite, others from here."""
    absolute = path.resolve()
    for folder in (data_folder(), Path.cwd()):
        if absolute.is_relative_to(folder):
            return str(absolute.relative_to(folder))
    return str(absolute)
