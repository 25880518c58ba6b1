"""One target's results against its known divergences: which results are known, and which divergences did not happen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from conformance.known.counts import unexpected
from conformance.known.load import concerns
from conformance.known.model import CaseFacts, KnownDivergence, KnownDivergences, kinds_of
from conformance.results.records import (
    PatternCountRecord,
    ResultRecord,
    TargetRecord,
    UnexpectedRecord,
    documents_device,
)

Pair = tuple[str, str]
"""Ids of a case and of an API."""
Api = tuple[str, str]
"""Name of an API, and the operation that it stands for."""


@dataclass(frozen=True)
class _Applied:
    """An entry whose conditions hold, and the calls that each of its patterns means on this target."""

    entry: KnownDivergence
    calls: list[frozenset[Pair]]

    def means(self, result: ResultRecord) -> bool:
        return any((result.case, result.api) in calls for calls in self.calls)


class Matcher:
    """Looks results up, and remembers them to tell at the end what did not happen as recorded."""

    def __init__(
        self,
        known_divergences: KnownDivergences,
        target: TargetRecord,
        cases: Sequence[CaseFacts],
        apis: Sequence[Api],
    ) -> None:
        """cases: all that there are, run or not."""
        self._target = target
        kinds = (None, documents_device(target.device, gpu=target.gpu))
        here = [case for case in cases if case.device in kinds]
        entries = [entry for entry in known_divergences.entries if entry.conditions.hold(target)]
        self._applied = [_Applied(entry, _calls(entry, here, apis)) for entry in entries]
        self._generated = frozenset(case.id for case in cases if case.generated)
        self._seen: dict[Pair, ResultRecord] = {}

    def known(self, result: ResultRecord) -> ResultRecord:
        """The result, with the id of the first entry that it came out as."""
        if not kinds_of(result):
            return result
        for applied in self._applied:
            if applied.means(result) and applied.entry.records(result):
                return replace(result, known=applied.entry.id)
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

    def pattern_counts(self) -> list[PatternCountRecord]:
        """What was seen of each pattern; of what happens only at times nothing."""
        always = [applied for applied in self._applied if not applied.entry.sometimes]
        return [count for applied in always for count in self._counts(applied)]

    def unexpected(self) -> list[UnexpectedRecord]:
        """The known divergences that did not happen as recorded, as far as all that they are about was run."""
        return unexpected(self.pattern_counts())

    def _counts(self, applied: _Applied) -> Iterator[PatternCountRecord]:
        entry = applied.entry
        for pattern, calls in zip(entry.patterns, applied.calls, strict=True):
            seen = [self._seen[call] for call in sorted(calls) if call in self._seen]
            changed = [result for result in seen if kinds_of(result) and result.known is None]
            yield PatternCountRecord(
                target=self._target.id,
                entry=entry.id,
                source=str(entry.location),
                recorded=_words(entry.kinds, entry.behaviour),
                pattern=pattern.text,
                generated=any(case in self._generated for case, _ in calls),
                calls=len(calls),
                seen=len(seen),
                as_recorded=sum(result.known == entry.id for result in seen),
                changed=len(changed),
                first=_first(changed[0]) if changed else None,
            )


def _calls(entry: KnownDivergence, cases: Sequence[CaseFacts], apis: Sequence[Api]) -> list[frozenset[Pair]]:
    meant = [(name, operation) for name, operation in apis if entry.is_about(name)]
    return [
        frozenset(
            (case.id, name)
            for case, (name, operation) in product(cases, meant)
            if case.operation == operation and concerns(entry, pattern, case)
        )
        for pattern in entry.patterns
    ]


def _first(result: ResultRecord) -> dict[str, str]:
    return {"case": result.case, "api": result.api, "found": _words(kinds_of(result), result.behaviour)}


def _words(kinds: frozenset[str], behaviour: str | None) -> str:
    return ", ".join(sorted(kinds)) + (f" ({behaviour})" if behaviour else "")
