"""What the parts of a run saw of known divergences, added up, and those that no longer happen as they are recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Literal

from conformance.results.records import PatternCountRecord, UnexpectedRecord


def together(counts: Iterable[PatternCountRecord]) -> list[PatternCountRecord]:
    """One count for each target, known divergence and pattern, of parts that have no call in common."""
    sums: dict[tuple[str, str, str], PatternCountRecord] = {}
    for count in counts:
        key = (count.target, count.entry, count.pattern)
        sums[key] = _sum(sums[key], count) if key in sums else count
    return list(sums.values())


def unexpected(counts: Iterable[PatternCountRecord]) -> list[UnexpectedRecord]:
    """The known divergences that did not happen as recorded, as far as all that they are about was run."""
    return [record for _, group in groupby(counts, _entry) for record in _unexpected(list(group))]


def _entry(count: PatternCountRecord) -> tuple[str, str]:
    return count.target, count.entry


def _sum(count: PatternCountRecord, other: PatternCountRecord) -> PatternCountRecord:
    firsts = [first for first in (count.first, other.first) if first is not None]
    return replace(
        count,
        seen=count.seen + other.seen,
        as_recorded=count.as_recorded + other.as_recorded,
        changed=count.changed + other.changed,
        first=min(firsts, key=lambda first: (first["case"], first["api"]), default=None),
    )


def _unexpected(counts: list[PatternCountRecord]) -> Iterator[UnexpectedRecord]:
    """What one known divergence did not do on one target."""
    passed = []
    for count in counts:
        if count.changed:
            yield _record(count, "changed", [count.pattern], _change(count))
        elif count.calls and not count.generated and count.seen == count.calls and not count.as_recorded:
            passed.append(count.pattern)
    if passed:
        yield _record(counts[0], "passed", passed, _pass(passed))


def _record(
    count: PatternCountRecord, how: Literal["passed", "changed"], patterns: list[str], message: str
) -> UnexpectedRecord:
    text = f"{count.source}: {count.entry}, on {count.target}: {message}"
    return UnexpectedRecord(count.target, count.entry, how, patterns, text)


def _pass(patterns: list[str]) -> str:
    every = ", ".join(patterns)
    return f"unexpected pass: it no longer happens in any case of {every}; conformance known update --prune removes it"


def _change(count: PatternCountRecord) -> str:
    assert count.first is not None, "there is a first result that changed"
    more = f" and {count.changed - 1} more" if count.changed > 1 else ""
    first = count.first
    return (
        f"happens in another way than recorded: {first['found']} in {first['case']}{more}, "
        f"where {count.recorded} is recorded"
    )
