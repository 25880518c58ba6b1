"""Problems of specs: each has a location, and all are reported together."""

from __future__ import annotations

import bisect
import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.data_folders import data_folder

Path_ = tuple[str | int, ...]
"""Keys from the root of a document to a value."""


@dataclass(frozen=True, order=True)
class Location:
    """A file and a line number, counted from 1."""

    file: str
    line: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, order=True)
class Problem:
    """An error in a file, with its location."""

    location: Location
    message: str
    clause: str | None = field(default=None, compare=False)
    """The id of the affected clause, if it could be read."""
    case: str | None = field(default=None, compare=False)
    """The id of the affected case."""

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


class SpecError(Exception):
    """Invalid specs; ``problems`` lists all problems, sorted by file and line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass
class Lines:
    """The line of each value of a YAML file."""

    file: str
    of: dict[Path_, int] = field(default_factory=dict)

    def location(self, path: Path_) -> Location:
        """The location of a value, or of the nearest enclosing value."""
        while path and path not in self.of:
            path = path[:-1]
        return Location(self.file, self.of.get(path, 1))

    def problem(self, path: Path_, message: str) -> Problem:
        """A problem with a value, whose message begins with its keys."""
        return Problem(self.location(path), f"{'.'.join(map(str, path))}: {message}")


MOST_COMPARED = 200
"""The maximum number of names of a file that are searched for a similar one, which is done for each wrong name."""
LONGEST_NAME = 100
"""The maximum number of characters of a word for which a similar one is searched."""
MOST_LISTED = 40
"""The maximum number of names in a message."""


def closest(word: str, allowed: Iterable[str], similarity: float = 0.6) -> str | None:
    """The allowed word closest to this one; None if none is similar."""
    return next(iter(difflib.get_close_matches(word, sorted(map(str, allowed)), n=1, cutoff=similarity)), None)


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """``; did you mean 'x'?`` if an allowed word is similar, otherwise an empty string."""
    suggestion = closest(word, allowed)
    return f"; did you mean {suggestion!r}?" if suggestion else ""


def nearest(word: str, allowed: Iterable[str]) -> str:
    """``; did you mean 'x'?`` if an allowed word is similar, otherwise all allowed words."""
    names = sorted(map(str, allowed))
    return did_you_mean(word[:LONGEST_NAME], _around(word, names)) or (f"; allowed: {listed(names)}" if names else "")


def _around(word: str, names: list[str]) -> list[str]:
    """Of many sorted names, those beside the word in this order, since they begin as it does."""
    first = max(0, min(bisect.bisect(names, word) - MOST_COMPARED // 2, len(names) - MOST_COMPARED))
    return names[first : first + MOST_COMPARED]


def listed(names: Sequence[str]) -> str:
    """The names, separated by commas; of many, the first and the number of the others."""
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"{', '.join(names[:MOST_LISTED])}{more}"


def display_path(path: Path) -> str:
    """A path for messages and records: relative to the suite or to the current folder if inside one, otherwise absolute."""
    absolute = Path(os.path.realpath(path))  # unlike resolve(), no error for a link to itself
    for folder in (data_folder(), Path.cwd()):
        if absolute.is_relative_to(folder):
            return str(absolute.relative_to(folder))
    return str(absolute)
