"""The results of an interrupted run for one target, from which the run is resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from conformance.results.file import Results
from conformance.results.records import ExampleRecord, MappingRecord, ResultRecord, TargetRecord
from conformance.targets.errors import TargetBlocked

_OF_THE_RUN = ("seconds", "memory", "imports", "forks", "blocked")
"""Fields of a target's record that differ from run to run."""


@dataclass(frozen=True)
class Checkpoint:
    """The existing records of one target."""

    record: TargetRecord
    mappings: Sequence[MappingRecord]
    results: Sequence[ResultRecord]
    examples: Sequence[ExampleRecord] = ()
    """Those that need not be run again."""

    @property
    def finished(self) -> bool:
        """Whether its part of the run is complete."""
        return self.record.seconds is not None

    @cached_property
    def done(self) -> frozenset[tuple[str, str]]:
        """The cases and APIs that need not be run again."""
        return frozenset((result.case, result.api) for result in self.results)


def checkpoint_of(results: Results, requested: str) -> Checkpoint | None:
    """The records of the target requested under this name; None if it did not start."""
    records = [target for target in results.targets if target.asked == requested and target.blocked is None]
    if not records:
        return None
    record = records[-1]
    return Checkpoint(
        record,
        [mapping for mapping in results.mappings if mapping.target == record.id],
        [result for result in results.results if result.target == record.id],
        [example for example in results.examples if example.target == record.id],
    )


def check_same(checkpoint: Checkpoint, record: TargetRecord) -> None:
    """TargetBlocked if the target that starts differs from the one that gave the existing results."""
    for name in (field.name for field in fields(TargetRecord) if field.name not in _OF_THE_RUN):
        before, after = getattr(checkpoint.record, name), getattr(record, name)
        if before != after:
            raise TargetBlocked(
                f"cannot be resumed: {name} was {before!r} and is now {after!r}; start again without --resume"
            )
