"""One target's results against its ledger: which of them are known, and which entries no longer say what happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from conformance.runs.ledger.load import concerns
from conformance.runs.ledger.model import CaseFacts, Entry, Ledger, kinds_of
from conformance.runs.records import ResultRecord, StaleRecord, TargetRecord

Pair = tuple[str, str]
"""Ids of a case and of an API."""


@dataclass(frozen=True)
class _Applied:
    """An entry whose conditions hold, and the calls that each of its patterns means on this target."""

    entry: Entry
    calls: list[frozenset[Pair]]

    def means(self, result: ResultRecord) -> bool:
        return any((result.case, result.api) in calls for calls in self.calls)


class Book:
    """Looks results up, and remembers them to tell at the end what is stale."""

    def __init__(
        self,
        ledger: Ledger,
        target: TargetRecord,
        cases: Sequence[CaseFacts],
        apis: Sequence[tuple[str, str]],
        *,
        gpu: bool = False,
    ) -> None:
        """cases: all that there are, run or not; apis: names with their operations; gpu: what documents call one."""
        self._target = target
        kinds = (None, "gpu" if gpu else "cpu")
        here = [case for case in cases if case.device in kinds]
        entries = [entry for entry in ledger.entries if entry.conditions.hold(target)]
        self._applied = [_Applied(entry, _calls(entry, here, apis)) for entry in entries]
        self._seen: dict[Pair, ResultRecord] = {}

    def known(self, result: ResultRecord) -> ResultRecord:
        """The result, with the id of the first entry that it came out as."""
        if not kinds_of(result):
            return result
        for one in self._applied:
            if one.means(result) and one.entry.records(result):
                return replace(result, known=one.entry.id)
        return result

    def note(self, result: ResultRecord) -> None:
        """Take one result, as it is reported, into account."""
        # One that is blocked proves nothing about an entry; one that no entry is about is not remembered.
        if result.verdict != "blocked" and any(one.means(result) for one in self._applied):
            self._seen[result.case, result.api] = result

    def stale(self) -> list[StaleRecord]:
        """The entries that do not say what happened, as far as all that they are about was run."""
        return [record for one in self._applied if not one.entry.sometimes for record in self._stale(one)]

    def _stale(self, applied: _Applied) -> Iterator[StaleRecord]:
        entry = applied.entry
        gone = []
        for pattern, calls in zip(entry.patterns, applied.calls, strict=True):
            seen = [self._seen[call] for call in sorted(calls) if call in self._seen]
            otherwise = [result for result in seen if kinds_of(result) and result.known is None]
            if otherwise:
                yield self._record(entry, "otherwise", [pattern.text], _otherwise(entry, otherwise))
            elif (
                calls
                and not pattern.is_drawn
                and len(seen) == len(calls)
                and not any(result.known == entry.id for result in seen)
            ):
                gone.append(pattern.text)
        if gone:
            yield self._record(entry, "gone", gone, _gone(gone))

    def _record(self, entry: Entry, how: Literal["gone", "otherwise"], patterns: list[str], said: str) -> StaleRecord:
        text = f"{entry.place}: {entry.id}, on {self._target.id}: {said}"
        return StaleRecord(self._target.id, entry.id, how, patterns, text)


def _calls(entry: Entry, cases: Sequence[CaseFacts], apis: Sequence[tuple[str, str]]) -> list[frozenset[Pair]]:
    meant = [(name, operation) for name, operation in apis if entry.is_about(name)]
    return [
        frozenset(
            (case.id, name)
            for case, (name, operation) in product(cases, meant)
            if case.id.partition(".")[0] == operation and concerns(entry, pattern, case)
        )
        for pattern in entry.patterns
    ]


def _gone(patterns: list[str]) -> str:
    every = ", ".join(patterns)
    return f"no longer happens in any case of {every}; conformance known update --prune removes what is gone"


def _otherwise(entry: Entry, results: Sequence[ResultRecord]) -> str:
    first = results[0]
    more = f" and {len(results) - 1} more" if len(results) > 1 else ""
    recorded = _words(entry.kinds, entry.behaviour)
    found = _words(kinds_of(first), first.behaviour)
    return f"happens in another way than recorded: {found} in {first.case}{more}, where {recorded} is recorded"


def _words(kinds: frozenset[str], behaviour: str | None) -> str:
    return ", ".join(sorted(kinds)) + (f" ({behaviour})" if behaviour else "")
