"""The results of an interrupted run for one target, from which the run is resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from conformance.results.file import Results
from conformance.results.records import ExampleRecord, MappingRecord, ResultRecord, TargetRecord
from conformance.targets.errors import TargetBlocked

_OF_A_RUN = frozenset(
    {"id", "asked", "requested", "blocked"}  # how it was requested, and whether it could be started
    | {"seconds", "memory", "imports", "forks"}
    | {"modules"}  # where files are; ``sources`` has what is in them
    | {"left_out", "forms", "not_repeated"}  # which of its cases were run
)
"""Fields of a target's record that differ between runs of the same target."""


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


@dataclass(frozen=True)
class Difference:
    """A field in which the records of two targets differ."""

    field: str
    """With the key, if it is a mapping: ``packages.numpy``."""
    first: Any
    second: Any


def difference(first: TargetRecord, second: TargetRecord) -> Difference | None:
    """What makes them different targets, whose results must not be combined; None if they are the same."""
    for name in (field.name for field in fields(TargetRecord) if field.name not in _OF_A_RUN):
        before, after = getattr(first, name), getattr(second, name)
        if before == after:
            continue
        if isinstance(before, dict):
            key = next(key for key in sorted(before.keys() | after.keys()) if before.get(key) != after.get(key))
            return Difference(f"{name}.{key}", before.get(key), after.get(key))
        return Difference(name, before, after)
    return None


def check_same(checkpoint: Checkpoint, record: TargetRecord) -> None:
    """TargetBlocked if the target that starts differs from the one that gave the existing results."""
    changed = difference(checkpoint.record, record)
    if changed is not None:
        raise TargetBlocked(
            f"cannot be resumed: {changed.field} was {changed.first!r} and is now {changed.second!r}; "
            "start again without --resume"
        )
