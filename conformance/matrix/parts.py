"""The results of each target in several results files, and which file is used where two overlap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.results.file import Results
from conformance.results.records import CaseRecord, PatternCountRecord, ResultRecord, TargetRecord, UnexpectedRecord


class MergeError(Exception):
    """Results files that cannot be merged; the message names them and the reason."""


@dataclass(frozen=True, eq=False)
class Part:
    """A results file."""

    name: str
    """As the user wrote it."""
    results: Results

    @cached_property
    def planned(self) -> frozenset[str]:
        """Ids of the cases that the run had to execute, without its counterexamples."""
        return frozenset(name for name, case in self.results.cases.items() if not case.is_counterexample)


@dataclass(frozen=True)
class Merged:
    """Several runs merged into one."""

    results: Results
    remarks: list[str]
    """What was left out, and for what reason."""


@dataclass(frozen=True)
class TargetPart:
    """The results of one target in one part."""

    part: Part
    requested: str
    """The target as requested on the command line."""
    records: tuple[TargetRecord, ...]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(record.id for record in self.records)

    @property
    def started(self) -> frozenset[str]:
        return frozenset(record.id for record in self.records if record.blocked is None)

    @property
    def is_whole(self) -> bool:
        """Whether the run is complete and every target started."""
        return self.part.results.complete and len(self.started) == len(self.records)

    @cached_property
    def results(self) -> list[ResultRecord]:
        ids = self.ids
        return [result for result in self.part.results.results if result.target in ids]

    @cached_property
    def cases(self) -> Mapping[str, CaseRecord]:
        """The planned cases of the run, and the counterexamples of this target."""
        names = {result.case for result in self.results} | self.part.planned
        return {name: case for name, case in self.part.results.cases.items() if name in names}

    @property
    def pattern_counts(self) -> list[PatternCountRecord]:
        end = self.part.results.end
        return [count for count in end.pattern_counts if count.target in self.ids] if end else []

    @property
    def unexpected(self) -> list[UnexpectedRecord]:
        end = self.part.results.end
        return [record for record in end.unexpected if record.target in self.ids] if end else []

    def replaces(self, other: TargetPart) -> bool:
        """Whether it covers another part of the same target, and is complete or later."""
        covers = other.started <= self.started and other.part.planned <= self.part.planned
        if not covers or self.is_whole < other.is_whole:
            return False
        return self.is_whole > other.is_whole or self._started_at >= other._started_at

    @property
    def _started_at(self) -> str:
        return self.part.results.run.started


def chosen(parts: Sequence[Part]) -> tuple[list[TargetPart], list[str]]:
    """The parts of targets that are used, in the order of the files, and a remark for each that is not.

    Raises MergeError if two overlap and neither is a later superset of the other.
    """
    used: list[TargetPart] = []
    remarks: list[str] = []
    for candidate in (target_part for part in parts for target_part in _target_parts(part)):
        for rival in [target_part for target_part in used if _overlap(target_part, candidate)]:
            _check_machines(rival, candidate)
            winner, loser = _ranked(rival, candidate)
            remarks.append(_remark(winner, loser))
            if loser is candidate:
                break
            used.remove(rival)
        else:
            used.append(candidate)
    return used, remarks


def _target_parts(part: Part) -> Iterator[TargetPart]:
    by_request: dict[str, list[TargetRecord]] = {}
    for record in part.results.targets:
        by_request.setdefault(record.asked or record.id, []).append(record)
    for requested, records in by_request.items():
        yield TargetPart(part, requested, tuple(records))


def _overlap(first: TargetPart, second: TargetPart) -> bool:
    """Whether they have results for the same calls. The version of a target that did not start may be any."""
    if first.requested != second.requested:
        return False
    same_version = first.started & second.started or not first.started or not second.started
    return bool(same_version) and bool(first.part.planned & second.part.planned)


_OF_A_MACHINE = ("os", "arch", "gpu_name", "gpu_driver")
"""Fields of targets whose results never replace each other, as both may be right."""


def _check_machines(first: TargetPart, second: TargetPart) -> None:
    """MergeError if both have results of the same target on machines of different kinds."""
    records = {record.id: record for record in first.records if record.blocked is None}
    for record in (record for record in second.records if record.id in records and record.blocked is None):
        for name in _OF_A_MACHINE:
            before, after = getattr(records[record.id], name), getattr(record, name)
            if before != after:
                raise MergeError(
                    f"cannot merge: {first.part.name} and {second.part.name} have results of {record.id} on different "
                    f"machines: {name} is {before!r} in {first.part.name} and {after!r} in {second.part.name}; make a "
                    "report of each, and compare them with `conformance diff`"
                )


def _ranked(earlier: TargetPart, later: TargetPart) -> tuple[TargetPart, TargetPart]:
    if later.replaces(earlier):
        return later, earlier
    if earlier.replaces(later):
        return earlier, later
    common = len(earlier.part.planned & later.part.planned)
    raise MergeError(
        f"{earlier.part.name} and {later.part.name} overlap in {common} cases of {earlier.requested}, and neither is a "
        "later superset of the other; remove one, or run both with the same selection"
    )


def _remark(winner: TargetPart, loser: TargetPart) -> str:
    reason = "later" if winner.is_whole == loser.is_whole else "complete"
    return (
        f"{loser.requested} is in {loser.part.name} and {winner.part.name}; using {winner.part.name}, which is {reason}"
    )
