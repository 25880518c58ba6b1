"""What the parts of a run saw of the entries of ledgers, added up, and the entries that are stale by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Literal

from conformance.known.model import DRAWN
from conformance.results.records import StaleRecord, TallyRecord


def together(tallies: Iterable[TallyRecord]) -> list[TallyRecord]:
    """One tally for each target, entry and pattern, of parts that have no call in common."""
    found: dict[tuple[str, str, str], TallyRecord] = {}
    for tally in tallies:
        key = (tally.target, tally.entry, tally.pattern)
        found[key] = _sum(found[key], tally) if key in found else tally
    return list(found.values())


def stale(tallies: Iterable[TallyRecord]) -> list[StaleRecord]:
    """The entries that do not say what happened, as far as all that they are about was run."""
    return [record for _, some in groupby(tallies, _entry) for record in _stale(list(some))]


def _entry(tally: TallyRecord) -> tuple[str, str]:
    return tally.target, tally.entry


def _sum(one: TallyRecord, other: TallyRecord) -> TallyRecord:
    firsts = [first for first in (one.first, other.first) if first is not None]
    return replace(
        one,
        seen=one.seen + other.seen,
        as_said=one.as_said + other.as_said,
        otherwise=one.otherwise + other.otherwise,
        first=min(firsts, key=lambda first: (first["case"], first["api"]), default=None),
    )


def _stale(tallies: list[TallyRecord]) -> Iterator[StaleRecord]:
    """What is stale of one entry on one target."""
    gone = []
    for tally in tallies:
        if tally.otherwise:
            yield _record(tally, "otherwise", [tally.pattern], _otherwise(tally))
        elif tally.calls and DRAWN not in tally.pattern and tally.seen == tally.calls and not tally.as_said:
            gone.append(tally.pattern)
    if gone:
        yield _record(tallies[0], "gone", gone, _gone(gone))


def _record(tally: TallyRecord, how: Literal["gone", "otherwise"], patterns: list[str], said: str) -> StaleRecord:
    text = f"{tally.source}: {tally.entry}, on {tally.target}: {said}"
    return StaleRecord(tally.target, tally.entry, how, patterns, text)


def _gone(patterns: list[str]) -> str:
    every = ", ".join(patterns)
    return f"no longer happens in any case of {every}; conformance known update --prune removes what is gone"


def _otherwise(tally: TallyRecord) -> str:
    assert tally.first is not None, "there is a first one of those that came out otherwise"
    more = f" and {tally.otherwise - 1} more" if tally.otherwise > 1 else ""
    first = tally.first
    return (
        f"happens in another way than recorded: {first['found']} in {first['case']}{more}, "
        f"where {tally.recorded} is recorded"
    )
