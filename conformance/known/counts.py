"""Counts of results per known divergence, summed over the shards of a run, and those that did not happen as recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Literal

from conformance.results.records import PatternCountRecord, UnexpectedRecord


def summed(counts: Iterable[PatternCountRecord]) -> list[PatternCountRecord]:
    """One count per target, known divergence and pattern; the shards that are counted have no call in common."""
    sums: dict[tuple[str, str, str], PatternCountRecord] = {}
    for count in counts:
        key = (count.target, count.entry, count.pattern)
        sums[key] = _sum(sums[key], count) if key in sums else count
    return list(sums.values())


def unexpected(counts: Iterable[PatternCountRecord]) -> list[UnexpectedRecord]:
    """The known divergences that did not happen as recorded; a pass counts only if all calls of the pattern were run, and the API has some of them."""
    by_entry = groupby(counts, lambda count: (count.target, count.entry))
    return [record for _, group in by_entry for record in _unexpected(list(group))]


def _sum(count: PatternCountRecord, other: PatternCountRecord) -> PatternCountRecord:
    firsts = [first for first in (count.first, other.first) if first is not None]
    return replace(
        count,
        seen=count.seen + other.seen,
        as_recorded=count.as_recorded + other.as_recorded,
        changed=count.changed + other.changed,
        absent=count.absent + other.absent,
        first=min(firsts, key=lambda first: (first.case, first.api), default=None),
    )


def _unexpected(counts: list[PatternCountRecord]) -> Iterator[UnexpectedRecord]:
    """The unexpected results of one known divergence on one target."""
    passed = []
    for count in counts:
        if count.changed:
            yield _record(count, "changed", [count.pattern], _change(count))
        elif count.absent < count.calls == count.seen and not count.generated and not count.as_recorded:
            passed.append(count.pattern)
    if passed:
        yield _record(counts[0], "passed", passed, _pass(passed))


def _record(
    count: PatternCountRecord, how: Literal["passed", "changed"], patterns: list[str], message: str
) -> UnexpectedRecord:
    text = f"{count.source}: {count.entry}, on {count.target}: {message}"
    return UnexpectedRecord(count.target, count.entry, how, patterns, text)


def _pass(patterns: list[str]) -> str:
    matched = ", ".join(patterns)
    return f"unexpected pass: no longer happens in any case of {matched}; conformance known update --prune removes it"


def _change(count: PatternCountRecord) -> str:
    assert count.first is not None, "a count of changed results has a first one"
    more = f" and {count.changed - 1} more" if count.changed > 1 else ""
    first = count.first
    return f"differs from what is recorded: {first.found} in {first.case}{more}; recorded is {count.recorded}"
