"""The known divergences of one target: which results they record, and which of them did not happen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from conformance.cases.facts import CaseFacts
from conformance.known.ageing import remarks
from conformance.known.counts import unexpected
from conformance.known.load import concerns
from conformance.known.matching import NamedCases
from conformance.known.model import KnownDivergence, KnownDivergences, kinds_of, today
from conformance.results.records import (
    CaseRecord,
    ChangedResult,
    MappingRecord,
    PatternCountRecord,
    ResultRecord,
    TargetRecord,
    UnexpectedRecord,
    documents_device,
)

Pair = tuple[str, str]
"""Id of a case, and name of an API."""


class MappedApi(NamedTuple):
    """An API of a target."""

    name: str
    operation: str
    in_place: str | None = None
    """The argument that it changes, which is never a constant."""


@dataclass(frozen=True)
class _Applied:
    """An entry whose conditions hold, and the calls on this target that each of its patterns matches."""

    entry: KnownDivergence
    calls: list[frozenset[Pair]]


class Ledger:
    """Looks up results, and remembers them to report the divergences that did not happen as recorded."""

    def __init__(
        self,
        known: KnownDivergences,
        target: TargetRecord,
        cases: Sequence[CaseFacts],
        mappings: Iterable[MappingRecord],
        results: Iterable[ResultRecord] = (),
        day: date | None = None,
    ) -> None:
        """cases: all cases of the specs, whether or not they are run. mappings, results: those of other targets are ignored.

        day: entries that expired before it do not apply; by default today.
        """
        self._target = target
        day = day or today()
        kinds = (None, documents_device(target.device, gpu=target.gpu))
        passes = frozenset(target.passes)
        own = (each for each in mappings if each.target == target.id)
        apis = list(dict.fromkeys(MappedApi(each.api, each.operation, each.in_place) for each in own))
        operations = {api.operation for api in apis}
        named = NamedCases(
            case
            for case in cases
            if case.operation_name in operations and case.device in kinds and case.needs <= passes
        )
        entries = [entry for entry in known.entries if entry.conditions.hold(target)]
        self.remarks = tuple(remarks(entries, cases, day))
        """What to do about its entries."""
        valid = [entry for entry in entries if not entry.has_expired(day)]
        self._applied = [_Applied(entry, calls_of(entry, named, apis)) for entry in valid]
        self._entries = _by_call(self._applied)
        self._about_programs = [entry for entry in valid if entry.programs]
        self._others = [entry for entry in known.entries if entry not in valid]
        self._others_about: dict[str, Sequence[KnownDivergence]] = {}
        """By API, those of them that are about it."""
        self._cases = {case.id: case for case in cases}
        self._generated = frozenset(case.id for case in cases if case.generated)
        self._results: dict[Pair, ResultRecord] = {}
        for result in results:
            if result.target == target.id:
                self.note(result)

    def known(self, result: ResultRecord, smallest: CaseRecord | None = None) -> ResultRecord:
        """The result, with the id of the first entry that records it.

        A failure that none records has the id of the first entry that records its case and API elsewhere: for other versions,
        modes or devices, or until a day in the past; preferably of one that records the same failure. smallest: for the result of a drawn program, the smallest one that diverges
        as it does.
        """
        entry = self._entry(result) or (self._entry_of_programs(result, smallest) if smallest is not None else None)
        if entry is not None:
            return replace(result, known=entry.id)
        elsewhere = self._elsewhere(result) if kinds_of(result) else None
        return replace(result, elsewhere=elsewhere.id) if elsewhere is not None else result

    def _elsewhere(self, result: ResultRecord) -> KnownDivergence | None:
        case = self._cases.get(result.case)
        if case is None:
            return None
        about = self._others_about.get(result.api)
        if about is None:
            about = self._others_about[result.api] = [entry for entry in self._others if entry.is_about(result.api)]
        found = [each for each in about if any(concerns(each, pattern, case) for pattern in each.patterns)]
        return next((each for each in found if each.records(result)), found[0] if found else None)

    def not_run(self, case: str, api: str) -> KnownDivergence | None:
        """The entry because of which a call is not made."""
        entries = self._entries.get((case, api))
        return next((entry for entry in entries if not entry.run), None) if entries is not None else None

    def is_intermittent(self, result: ResultRecord) -> bool:
        """Whether it is known to happen only sometimes, so that somebody has looked for the reason."""
        entry = self._entry(result)
        return entry is not None and entry.sometimes

    def _entry(self, result: ResultRecord) -> KnownDivergence | None:
        matching = self._entries.get((result.case, result.api))
        return next((entry for entry in matching if entry.records(result)), None) if matching is not None else None

    def _entry_of_programs(self, result: ResultRecord, smallest: CaseRecord) -> KnownDivergence | None:
        about = (entry for entry in self._about_programs if entry.is_about_programs(smallest))
        return next((entry for entry in about if entry.records(result)), None)

    def note(self, result: ResultRecord) -> None:
        """Count one result."""
        # A blocked result proves nothing about an entry, nor does one that might be due to an earlier call.
        if result.verdict != "blocked" and not result.unconfirmed and (result.case, result.api) in self._entries:
            self._results[result.case, result.api] = result

    def pattern_counts(self) -> list[PatternCountRecord]:
        """The counts of each pattern of the entries that are expected to happen every time."""
        return [count for applied in self._always() for count in self._counts(applied)]

    def unexpected(self) -> list[UnexpectedRecord]:
        """The known divergences that did not happen as recorded."""
        return unexpected(self.pattern_counts())

    def unexpected_among(self, calls: Set[Pair]) -> list[UnexpectedRecord]:
        """As ``unexpected``, for the entries that match some of these calls and no others."""
        if calls.isdisjoint(self._entries):
            return []
        matched = {id(applied): frozenset().union(*applied.calls) for applied in self._always()}
        only = [applied for applied in self._always() if matched[id(applied)] and matched[id(applied)] <= calls]
        return unexpected(count for applied in only for count in self._counts(applied))

    def _always(self) -> list[_Applied]:
        return [applied for applied in self._applied if not applied.entry.sometimes]

    def _counts(self, applied: _Applied) -> Iterator[PatternCountRecord]:
        entry = applied.entry
        for pattern, calls in zip(entry.patterns, applied.calls, strict=True):
            results = [self._results[call] for call in sorted(calls) if call in self._results]
            changed = [result for result in results if kinds_of(result) and result.known is None]
            yield PatternCountRecord(
                target=self._target.id,
                entry=entry.id,
                source=str(entry.location),
                recorded=_words(entry.kinds, entry.behaviour),
                pattern=pattern.text,
                generated=any(case in self._generated for case, _ in calls),
                calls=len(calls),
                seen=len(results),
                as_recorded=sum(result.known == entry.id for result in results),
                changed=len(changed),
                first=_first(changed[0]) if changed else None,
                absent=sum(result.verdict == "unsupported" for result in results),
            )


def calls_of(entry: KnownDivergence, cases: NamedCases, apis: Sequence[MappedApi]) -> list[frozenset[Pair]]:
    """The calls that each pattern of an entry matches."""
    by_operation: dict[str, list[MappedApi]] = {}
    for api in apis:
        if entry.is_about(api.name):
            by_operation.setdefault(api.operation, []).append(api)
    return [
        frozenset(
            (case.id, api.name)
            for case in (cases.concerned(entry, pattern) if by_operation else ())
            for api in by_operation.get(case.operation_name, ())
            if api.in_place not in case.constants
        )
        for pattern in entry.patterns
    ]


def _by_call(applied_entries: Sequence[_Applied]) -> dict[Pair, tuple[KnownDivergence, ...]]:
    """The entries that match each call, in their order."""
    entries: dict[Pair, tuple[KnownDivergence, ...]] = {}
    for applied in applied_entries:
        for call in frozenset().union(*applied.calls):
            entries[call] = (*entries.get(call, ()), applied.entry)
    return entries


def _first(result: ResultRecord) -> ChangedResult:
    return ChangedResult(result.case, result.api, _words(kinds_of(result), result.behaviour))


def _words(kinds: frozenset[str], behaviour: str | None) -> str:
    return ", ".join(sorted(kinds)) + (f" ({behaviour})" if behaviour else "")
