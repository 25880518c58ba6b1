"""Whether two runs were asked for the same cases, so that one may be resumed, reused or merged with the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from conformance.results.records import RunRecord

REQUEST = {
    "suite_version": "suite version",
    "spec_digest": "digest of the specs",
    "epoch": "epoch of the specs",
    "seed": "seed",
    "draws": "number of draws",
    "programs": "number of drawn programs",
    "shard": "shard",
    "targets": "targets",
    "selection": "selection",
}
"""The fields that say which cases of which targets a run has, with their names in messages."""
_SAME_SPECS = ("suite_version", "spec_digest", "seed")
_SAME_EPOCH = ("epoch", "seed")


class Difference(NamedTuple):
    """A field in which two requests differ."""

    words: str
    first: str
    second: str


def differences(first: RunRecord, second: RunRecord, names: Iterable[str] = REQUEST) -> list[Difference]:
    """How two requests differ in the named fields."""
    values = [(REQUEST[name], getattr(first, name), getattr(second, name)) for name in names]
    return [Difference(words, _text(before), _text(after)) for words, before, after in values if before != after]


def differences_of_parts(first: RunRecord, second: RunRecord) -> list[Difference]:
    """How two runs differ in what all parts of a merged run share.

    Of the suite's specs, parts share the epoch; of a user's specs and between shards, which are whole only together, the version
    of the suite and the text of the specs.
    """
    strict = None in (first.epoch, second.epoch) or first.shard is not None or second.shard is not None
    return differences(first, second, _SAME_SPECS if strict else _SAME_EPOCH)


def _text(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else "none" if value is None else str(value)
