"""What time does to known divergences: entries expire, and cases that they name are renamed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import takewhile

from conformance.cases.facts import CaseFacts
from conformance.known.load import concerns
from conformance.known.model import KnownDivergence, Pattern


def remarks(entries: Iterable[KnownDivergence], cases: Sequence[CaseFacts], day: date) -> Iterator[str]:
    """What to do about entries that have expired or name renamed cases, with their places."""
    renamed = [case for case in cases if case.earlier]
    for entry in entries:
        if entry.has_expired(day):
            yield f"{entry.location}: {entry.id} expired on {entry.expires}; what it records counts as unexpected again"
        for pattern, now in _renamed(entry, renamed):
            yield (
                f"{pattern.location}: {entry.id}: {pattern.text!r} is an earlier id of {now[0].id}"
                f"{f' and {len(now) - 1} more' if now[1:] else ''}; `conformance known migrate` rewrites it, and the next "
                "release will not know it"
            )


def migrated(
    entries: Iterable[KnownDivergence], cases: Sequence[CaseFacts]
) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """By entry and pattern that names renamed cases, the patterns that name the same cases today."""
    renamed = [case for case in cases if case.earlier]
    found: dict[str, dict[str, Sequence[str]]] = {}
    for entry in entries:
        for pattern, now in _renamed(entry, renamed):
            still = [pattern.text] if any(pattern.matches(case.id) for case in cases) else []
            found.setdefault(entry.id, {})[pattern.text] = [*still, *_today(pattern, now, cases)]
    return found


def _renamed(entry: KnownDivergence, renamed: Sequence[CaseFacts]) -> Iterator[tuple[Pattern, Sequence[CaseFacts]]]:
    """The patterns that match earlier ids, with the cases whose ids of today they do not match."""
    for pattern in entry.patterns:
        now = [case for case in renamed if concerns(entry, pattern, case) and not pattern.matches(case.id)]
        if now:
            yield pattern, now


def _today(pattern: Pattern, cases: Sequence[CaseFacts], every_case: Sequence[CaseFacts]) -> Sequence[str]:
    """The pattern with the name of today in place of the earlier one, if it then matches all cases; else their ids.

    What ended in the middle of the earlier name, as in ``first-*``, becomes all that begins with the name of today, unless that
    matches another case.
    """
    earlier, now = next(name for name in cases[0].earlier if pattern.matches(name)), cases[0].id
    both = zip(reversed(earlier), reversed(now), strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    before = earlier[: len(earlier) - common]
    if pattern.text.startswith(before):
        text = now[: len(now) - common] + pattern.text.removeprefix(before)
        if all(Pattern(text, pattern.location).matches(case.id) for case in cases):
            return [text]
    name = now[: len(now) - common] + re.split("[./]", now[len(now) - common :])[0]
    begun = Pattern(f"{name}*", pattern.location)
    ids = {case.id for case in cases}
    if len(ids) > 1 and {case.id for case in every_case if begun.matches(case.id)} == ids:
        return [begun.text]
    return sorted(case.id for case in cases)
