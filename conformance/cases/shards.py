"""Shards: disjoint parts of the cases, to split a run over several machines."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.cases.model import Case

MOST = 1_000_000
"""Number of parts that cases can be divided into."""
_TEXT = re.compile(r"([0-9]{1,30})/([0-9]{1,30})")


@dataclass(frozen=True)
class Shard:
    """A numbered part of all cases; the shards of a run are disjoint and complete."""

    number: int
    """From 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, case: Case) -> bool:
        """Whether a case belongs to it, which depends only on the id."""
        return part_of(case, self.of, "shard") == self.number - 1


def part_of(case: Case, parts: int, purpose: str) -> int:
    """The part, from 0, that a case belongs to; each purpose divides the cases differently.

    The generated cases of a clause stay together, because they share one counterexample if they diverge in the same way.
    """
    from conformance.cases.variation import Drawn  # slow to import, and a mistake in --shard is reported before

    key = f"{case.clause.id}/draw." if isinstance(case.variation, Drawn) else case.id
    return int.from_bytes(hashlib.sha256(f"{purpose} {key}".encode()).digest()[:8]) % parts


def parse_shard(text: str) -> Shard:
    """The shard of a text such as ``2/5``; ValueError if it is invalid."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"invalid shard {text!r}; expected K/N, such as 2/5")
    shard = Shard(int(match[1]), int(match[2]))
    if not 1 <= shard.of <= MOST:
        raise ValueError(f"invalid shard {text!r}: N must be between 1 and {MOST}")
    if not 1 <= shard.number <= shard.of:
        raise ValueError(f"invalid shard {text!r}: K must be between 1 and {shard.of}")
    return shard
