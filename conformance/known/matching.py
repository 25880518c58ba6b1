"""One target's results against its ledger: which of them are known, and which entries no longer say what happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from conformance.known.counts import stale
from conformance.known.load import concerns
from conformance.known.model import CaseFacts, Entry, Ledger, kinds_of
from conformance.results.records import ResultRecord, StaleRecord, TallyRecord, TargetRecord, documents_device

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
        kinds = (None, documents_device(target.device, gpu=gpu))
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

    def is_at_times(self, result: ResultRecord) -> bool:
        """Whether an entry says of a result that it happens at times: then trying it again proves nothing."""
        entries = [one.entry for one in self._applied if one.means(result) and one.entry.records(result)]
        return bool(entries) and entries[0].sometimes

    def note(self, result: ResultRecord) -> None:
        """Take one result, as it is reported, into account."""
        # One that is blocked proves nothing about an entry; one that no entry is about is not remembered.
        if result.verdict != "blocked" and any(one.means(result) for one in self._applied):
            self._seen[result.case, result.api] = result

    def tallies(self) -> list[TallyRecord]:
        """What was seen of each pattern of the entries whose conditions hold; of what happens only at times nothing."""
        return [tally for one in self._applied if not one.entry.sometimes for tally in self._tallies(one)]

    def stale(self) -> list[StaleRecord]:
        """The entries that do not say what happened, as far as all that they are about was run."""
        return stale(self.tallies())

    def _tallies(self, applied: _Applied) -> Iterator[TallyRecord]:
        entry = applied.entry
        for pattern, calls in zip(entry.patterns, applied.calls, strict=True):
            seen = [self._seen[call] for call in sorted(calls) if call in self._seen]
            otherwise = [result for result in seen if kinds_of(result) and result.known is None]
            yield TallyRecord(
                target=self._target.id,
                entry=entry.id,
                source=str(entry.place),
                recorded=_words(entry.kinds, entry.behaviour),
                pattern=pattern.text,
                calls=len(calls),
                seen=len(seen),
                as_said=sum(result.known == entry.id for result in seen),
                otherwise=len(otherwise),
                first=_first(otherwise[0]) if otherwise else None,
            )


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


def _first(result: ResultRecord) -> dict[str, str]:
    return {"case": result.case, "api": result.api, "found": _words(kinds_of(result), result.behaviour)}


def _words(kinds: frozenset[str], behaviour: str | None) -> str:
    return ", ".join(sorted(kinds)) + (f" ({behaviour})" if behaviour else "")
