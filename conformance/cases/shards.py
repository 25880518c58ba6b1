"""Shards: parts of the cases for machines that share a run, each case always in the same one."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from conformance.cases.model import Case

_TEXT = re.compile(r"([0-9]+)/([0-9]+)")


@dataclass(frozen=True)
class Shard:
    """One part of so many; the parts of a run have no case in common and hold all of them together."""

    number: int
    """From 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, case: Case) -> bool:
        """Whether a case is in it, which depends on nothing but its id."""
        return part_of(case, self.of, "shard") == self.number - 1


def part_of(case: Case, parts: int, purpose: str) -> int:
    """Which of so many parts, from 0, a case is in; for each purpose they are divided anew.

    The generated cases of one clause stay together: one counterexample is made for those that diverge alike.
    """
    key = f"{case.clause.id}/draw." if case.provenance == "generated" else case.id
    return int.from_bytes(hashlib.sha256(f"{purpose} {key}".encode()).digest()[:8]) % parts


def parse_shard(text: str) -> Shard:
    """``2/5``; ValueError says what it must be."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no shard; write its number and how many there are, such as 2/5")
    shard = Shard(int(match[1]), int(match[2]))
    if not 1 <= shard.number <= shard.of:
        raise ValueError(f"{text!r}: the number is {shard.number}, where the shards are 1 to {shard.of}")
    return shard
