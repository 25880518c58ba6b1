"""What each of several results files has of a target, and which of two that have the same counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.results.file import Results
from conformance.results.records import CaseRecord, PatternCountRecord, ResultRecord, TargetRecord, UnexpectedRecord


class MergeError(Exception):
    """Results files that cannot be one run; the message names them and says why."""


@dataclass(frozen=True, eq=False)
class Part:
    """A results file."""

    name: str
    """As it was named by the user."""
    results: Results

    @cached_property
    def planned(self) -> frozenset[str]:
        """Ids of the cases that the run was to make, without those that it made up on the way."""
        return frozenset(name for name, case in self.results.cases.items() if not case.is_counterexample)


@dataclass(frozen=True)
class Merged:
    """Several runs as one."""

    results: Results
    remarks: list[str]
    """What was left out, and why."""


@dataclass(frozen=True)
class Share:
    """What one part has of one target."""

    part: Part
    asked: str
    """The name by which the target was asked for."""
    records: tuple[TargetRecord, ...]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(record.id for record in self.records)

    @property
    def started(self) -> frozenset[str]:
        return frozenset(record.id for record in self.records if record.blocked is None)

    @property
    def is_whole(self) -> bool:
        """Whether it has all results that the run was to give."""
        return self.part.results.complete and len(self.started) == len(self.records)

    @cached_property
    def results(self) -> list[ResultRecord]:
        ids = self.ids
        return [result for result in self.part.results.results if result.target in ids]

    @cached_property
    def cases(self) -> Mapping[str, CaseRecord]:
        """The cases of the run, and of those that it made itself the ones of this target."""
        made = {result.case for result in self.results}
        return {name: case for name, case in self.part.results.cases.items() if name in made | self.part.planned}

    @property
    def pattern_counts(self) -> list[PatternCountRecord]:
        end = self.part.results.end
        return (
            [pattern_count for pattern_count in end.pattern_counts if pattern_count.target in self.ids] if end else []
        )

    @property
    def unexpected(self) -> list[UnexpectedRecord]:
        end = self.part.results.end
        return [record for record in end.unexpected if record.target in self.ids] if end else []

    def replaces(self, other: Share) -> bool:
        """Whether it holds all that another has, and is the one to be believed."""
        covers = other.started <= self.started and other.part.planned <= self.part.planned
        if not covers or self.is_whole < other.is_whole:
            return False
        return self.is_whole > other.is_whole or self._began >= other._began

    @property
    def _began(self) -> str:
        return self.part.results.run.started


def chosen(parts: Sequence[Part]) -> tuple[list[Share], list[str]]:
    """The shares that count, in the order of their parts, and a sentence for each that does not.

    MergeError where two have results for the same calls, and neither holds all that the other has.
    """
    kept: list[Share] = []
    remarks: list[str] = []
    for share in (share for part in parts for share in _shares(part)):
        rivals = [one for one in kept if one.asked == share.asked and _meet(one, share)]
        for other in rivals:
            winner, loser = _judged(other, share)
            remarks.append(_remark(winner, loser))
            if loser is share:
                break
            kept.remove(other)
        else:
            kept.append(share)
    return kept, remarks


def _shares(part: Part) -> Iterator[Share]:
    by_name: dict[str, list[TargetRecord]] = {}
    for record in part.results.targets:
        by_name.setdefault(record.asked or record.id, []).append(record)
    for asked, records in by_name.items():
        yield Share(part, asked, tuple(records))


def _meet(one: Share, other: Share) -> bool:
    """Whether they are about the same calls: of the same version, or of one that is not known as it did not start."""
    same = one.started & other.started or not one.started or not other.started
    return bool(same) and bool(one.part.planned & other.part.planned)


def _judged(earlier: Share, later: Share) -> tuple[Share, Share]:
    if later.replaces(earlier):
        return later, earlier
    if earlier.replaces(later):
        return earlier, later
    both = len(earlier.part.planned & later.part.planned)
    raise MergeError(
        f"{earlier.part.name} and {later.part.name} both hold {earlier.asked} and {both} of the same cases, but neither "
        "holds all that the other has and came later; leave one out, or run both with the same selection"
    )


def _remark(winner: Share, loser: Share) -> str:
    why = "is the later one" if winner.is_whole == loser.is_whole else "is complete"
    return f"{loser.asked} is in {loser.part.name} and in {winner.part.name}: the latter counts, which {why}"
