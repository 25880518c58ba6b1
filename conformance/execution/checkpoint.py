"""What a run that was broken off has of a target, and what of it is kept when the run is resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from conformance.results.file import Results
from conformance.results.records import MappingRecord, ResultRecord, TargetRecord
from conformance.targets.errors import TargetBlocked

_OF_THE_RUN = ("seconds", "memory", "blocked")
"""Fields of a target's record that are another each time."""


@dataclass(frozen=True)
class Checkpoint:
    """What there is of one target already."""

    record: TargetRecord
    mappings: Sequence[MappingRecord]
    results: Sequence[ResultRecord]

    @property
    def finished(self) -> bool:
        """Whether its part of the run came to its end."""
        return self.record.seconds is not None

    @cached_property
    def done(self) -> frozenset[tuple[str, str]]:
        """The cases and APIs that need not be run again."""
        return frozenset((result.case, result.api) for result in self.results)


def checkpoint_of(results: Results, asked: str) -> Checkpoint | None:
    """What a results file has of the target that was asked for by this name; None where it did not start."""
    records = [target for target in results.targets if target.asked == asked and target.blocked is None]
    if not records:
        return None
    record = records[-1]
    return Checkpoint(
        record,
        [mapping for mapping in results.mappings if mapping.target == record.id],
        [result for result in results.results if result.target == record.id],
    )


def check_same(checkpoint: Checkpoint, now: TargetRecord) -> None:
    """TargetBlocked where what starts now is not what gave the results that are there."""
    was = checkpoint.record
    for name in (field.name for field in fields(TargetRecord) if field.name not in _OF_THE_RUN):
        if getattr(was, name) != getattr(now, name):
            raise TargetBlocked(
                f"cannot be resumed: its {name} was {getattr(was, name)!r} and is {getattr(now, name)!r} now; "
                "run it anew, without --resume"
            )
