"""The epoch of the suite's specs: a number that is raised when a published case goes, or its call or expectation changes.

``epoch.txt`` beside the specs has the number and the published cases, one a line with a digest, so that changes of different
cases are changes of different lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.files import read_regular, replace_text
from conformance.specification.problems import Location, Problem, SpecError, display_path

EPOCH = "epoch.txt"
COMMAND = "conformance check --update-epoch"
_NUMBER = re.compile(r"epoch ([0-9]{1,6})")
_ENTRY = re.compile(r"(?P<case>\S+/\S+) (?P<digest>[0-9a-f]{16})")
_MOST_NAMED = 10
"""Ids that a message names."""


@dataclass(frozen=True)
class Epoch:
    """The epoch of specs, and by the id of each published case the digest of its call and expectation."""

    number: int
    digests: Mapping[str, str]


@dataclass(frozen=True)
class Difference:
    """How cases differ from those that are published."""

    gone: Sequence[str]
    changed: Sequence[str]
    new: Sequence[str]

    @property
    def raises(self) -> bool:
        """Whether results of the one cannot be merged with those of the other."""
        return bool(self.gone or self.changed)

    def words(self) -> str:
        """The ids that went or changed."""
        groups = [(self.changed, "other call or expectation"), (self.gone, "gone")]
        return "; ".join(f"{what}: {_named(ids)}" for ids, what in groups if ids)


def _named(ids: Sequence[str]) -> str:
    more = len(ids) - _MOST_NAMED
    return ", ".join(ids[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def read_epoch(folder: Path) -> Epoch | None:
    """The epoch of the specs of a folder; None if they have none. SpecError if the file is not as ``write_epoch`` writes it."""
    epoch, problems = _read(folder / EPOCH)
    if problems:
        raise SpecError(problems)
    return epoch


def _read(file: Path) -> tuple[Epoch | None, list[Problem]]:
    """What can be read, so that the file can be written again after a merge with conflicts, and a problem for each other line."""
    try:
        lines = read_regular(file).decode("utf-8").splitlines()
    except FileNotFoundError:
        return None, []
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError([Problem(Location(display_path(file)), f"cannot be read: {error}")]) from None
    numbers: list[int] = []
    digests: dict[str, str] = {}
    problems: list[Problem] = []
    for at, line in enumerate(lines or [""], 1):
        number, entry = _NUMBER.fullmatch(line), _ENTRY.fullmatch(line)
        if number is not None and (at == 1 or problems):
            numbers.append(int(number[1]))
        elif entry is not None and at > 1 and entry["case"] not in digests:
            digests[entry["case"]] = entry["digest"]
        else:
            expected = "'epoch NUMBER'" if at == 1 else "'CASE DIGEST', each case once"
            text = f"{line[:80]!r}: expected {expected}; {COMMAND} writes the file again"
            problems.append(Problem(Location(display_path(file), at), text))
    return Epoch(max(numbers, default=1), digests), problems


def difference(published: Mapping[str, str], digests: Mapping[str, str]) -> Difference:
    """How the cases with these digests differ from the published ones."""
    both = sorted(published.keys() & digests.keys())
    return Difference(
        sorted(published.keys() - digests.keys()),
        [case for case in both if published[case] != digests[case]],
        sorted(digests.keys() - published.keys()),
    )


def epoch_problems(folder: Path, digests: Mapping[str, str]) -> list[Problem]:
    """A problem if a published case of the folder went or changed; that there are new ones is none."""
    epoch = read_epoch(folder)
    differs = difference(epoch.digests, digests) if epoch is not None else None
    if epoch is None or differs is None or not differs.raises:
        return []
    text = (
        f"not the published cases of epoch {epoch.number} ({differs.words()}); if that is meant, {COMMAND} raises the epoch, so "
        "that their results are not merged with earlier ones"
    )
    return [Problem(Location(display_path(folder / EPOCH)), text)]


def write_epoch(folder: Path, digests: Mapping[str, str]) -> tuple[Epoch, Difference]:
    """Publish these cases: the epoch is raised if one that was published went or changed."""
    before = _read(folder / EPOCH)[0] or Epoch(1, {})
    differs = difference(before.digests, digests)
    epoch = Epoch(before.number + differs.raises, dict(sorted(digests.items())))
    lines = [f"epoch {epoch.number}", *(f"{case} {digest}" for case, digest in epoch.digests.items())]
    replace_text(folder / EPOCH, "\n".join(lines) + "\n")
    return epoch, differs
