"""The documents, each with its claims, and each claim with the clauses that test it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass

from conformance.findings.behaviour import was_called
from conformance.reports.text import visible
from conformance.results.file import Results
from conformance.results.records import (
    CitationRecord,
    ClaimRecord,
    ClauseRecord,
    ErratumRecord,
    documents_device,
)
from conformance.results.table import sort_of


@dataclass(frozen=True)
class Tested:
    """A clause that cites a claim, and the counts of its results."""

    clause: ClauseRecord
    cases: int
    """Number of its cases that were called."""
    counts: Counter[str]

    @property
    def results(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Claim:
    """A claim of a document, from its own record or else from a clause that cites it."""

    record: CitationRecord | ClaimRecord
    tested: list[Tested]
    unread: tuple[str, ...] = ()
    """The targets whose shipped documentation does not make it any more."""

    @property
    def untestable(self) -> str | None:
        """The reason why no call can test it; None if one can, or if an older file does not say."""
        return self.record.untestable if isinstance(self.record, ClaimRecord) else None

    @property
    def program(self) -> str | None:
        """The program that tests it in the framework; None if calls do, or if an older file does not say."""
        return self.record.program if isinstance(self.record, ClaimRecord) else None

    @property
    def transform(self) -> str | None:
        """The transform that it speaks of, all of whose results are held to it."""
        return self.record.transform if isinstance(self.record, ClaimRecord) else None

    @property
    def broken(self) -> str | None:
        """The error that the program raises because the framework breaks the claim."""
        return self.record.broken if isinstance(self.record, ClaimRecord) else None


@dataclass(frozen=True)
class Document:
    """A document with its claims, in its own order or else in the order in which clauses cite them."""

    name: str
    title: str | None
    url: str | None
    official: bool
    claims: list[Claim]
    counts: Counter[str]
    """The results of all clauses that cite it, on the devices that their claims are about; each counts once."""
    errata: list[ErratumRecord]

    @property
    def clauses(self) -> int:
        return len({tested.clause.id for claim in self.claims for tested in claim.tested})

    @property
    def untestable(self) -> int:
        return sum(claim.untestable is not None for claim in self.claims)

    @property
    def unread(self) -> int:
        """The number of claims that are unread in any target."""
        return sum(bool(claim.unread) for claim in self.claims)


def claim_anchor(locator: str) -> str:
    """The id of a claim on the page of its document."""
    return re.sub(r"\s+", "-", visible(locator))


def documents(results: Results) -> list[Document]:
    """Every document with its claims, including untestable ones if the file has them."""
    by_document: dict[str, dict[str, Claim]] = {}
    unread_in = _unread_in(results)
    for record in results.claims:
        unread = tuple(unread_in.get(f"{record.document}#{record.locator}", ()))
        by_document.setdefault(record.document, {})[record.locator] = Claim(record, [], unread)
    evidence = _Evidence(results)
    for clause in results.clauses.values():
        for citation in clause.citations:
            claim = by_document.setdefault(citation.document, {}).setdefault(citation.locator, Claim(citation, []))
            claim.tested.append(evidence.tested(clause, {claim.record.device}))
    errata: dict[str, list[ErratumRecord]] = {}
    for erratum in results.errata:
        errata.setdefault(erratum.document, []).append(erratum)
    return [
        _document(name, list(claims.values()), errata.get(name, []), evidence) for name, claims in by_document.items()
    ]


def _unread_in(results: Results) -> dict[str, list[str]]:
    """By citation, the targets in which a claim is unread."""
    targets: dict[str, list[str]] = {}
    for target in results.targets:
        for citation in {citation for citations in target.unread.values() for citation in citations}:
            targets.setdefault(citation, []).append(target.id)
    return targets


class _Evidence:
    """The results of each clause by device, and the cases that were called."""

    def __init__(self, results: Results) -> None:
        devices = {target.id: documents_device(target.device, gpu=target.gpu) for target in results.targets}
        self._cases: dict[str, dict[str | None, set[str]]] = {}
        self._counts: dict[str, dict[str | None, Counter[str]]] = {}
        for result in results.results:
            device = devices.get(result.target)
            self._counts.setdefault(result.clause, {}).setdefault(device, Counter())[sort_of(result)] += 1
            if was_called(result):
                self._cases.setdefault(result.clause, {}).setdefault(device, set()).add(result.case)

    def tested(self, clause: ClauseRecord, devices: Set[str | None]) -> Tested:
        """A clause with its results on these kinds of devices; with None, on all."""
        cases, counts = self._cases.get(clause.id, {}), self._counts.get(clause.id, {})
        called = {case for device, names in cases.items() if devices & {None, device} for case in names}
        chosen = (count for device, count in counts.items() if devices & {None, device})
        return Tested(clause, len(called), sum(chosen, Counter()))


def _document(name: str, claims: list[Claim], errata: list[ErratumRecord], evidence: _Evidence) -> Document:
    first = claims[0].record
    title = first.title if isinstance(first, ClaimRecord) else None
    clauses: dict[str, tuple[ClauseRecord, set[str | None]]] = {}
    for claim in claims:
        for tested in claim.tested:
            clauses.setdefault(tested.clause.id, (tested.clause, set()))[1].add(claim.record.device)
    counts = (evidence.tested(clause, devices).counts for clause, devices in clauses.values())
    return Document(name, title, first.url, first.official, claims, sum(counts, Counter()), errata)
