"""The documents, each with its claims, and each claim with the clauses that test it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.findings.behaviour import was_called
from conformance.findings.evidence import union
from conformance.findings.own_claims import Describing
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

_Side = tuple[str, str]
"""A target and an API."""


@dataclass(frozen=True)
class Tested:
    """A clause that cites a claim, and the counts of its results on the APIs that the claim is about."""

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
    """The results of all clauses that cite it, on the APIs and devices that their claims are about; each counts once."""
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
            claim.tested.append(evidence.tested(clause, [claim.record]))
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
    """The results of each clause by target and API, and the cases that were called."""

    def __init__(self, results: Results) -> None:
        self._describing = Describing(results)
        self._documents = {document.document for document in results.documents}
        self._targets = {target.id: target for target in results.targets}
        self._cases: dict[str, dict[_Side, int]] = {}
        """Sets of cases, as the bits of an integer."""
        numbers: dict[str, int] = {}
        """Of a case among those of its clause."""
        sizes: Counter[str] = Counter()
        self._counts: dict[str, dict[_Side, Counter[str]]] = {}
        for result in results.results:
            side = result.target, result.api
            self._counts.setdefault(result.clause, {}).setdefault(side, Counter())[sort_of(result)] += 1
            if was_called(result):
                if result.case not in numbers:
                    numbers[result.case] = sizes[result.clause]
                    sizes[result.clause] += 1
                cases = self._cases.setdefault(result.clause, {})
                cases[side] = cases.get(side, 0) | 1 << numbers[result.case]

    def tested(self, clause: ClauseRecord, claims: Sequence[CitationRecord | ClaimRecord]) -> Tested:
        """A clause with its results on the APIs that any of the claims is about."""
        cases, counts = self._cases.get(clause.id, {}), self._counts.get(clause.id, {})
        sides = [side for side in counts if any(self._is_about(claim, side) for claim in claims)]
        called = union(cases.get(side, 0) for side in sides)
        return Tested(clause, called.bit_count(), sum((counts[side] for side in sides), Counter()))

    def _is_about(self, claim: CitationRecord | ClaimRecord, side: _Side) -> bool:
        """Of a document of which the file does not say what it is about, every API counts, as far as its device allows."""
        target = self._targets[side[0]]
        if claim.document not in self._documents:
            return claim.device in (None, documents_device(target.device, gpu=target.gpu))
        return self._describing.is_own(claim, target, side[1])


def _document(name: str, claims: list[Claim], errata: list[ErratumRecord], evidence: _Evidence) -> Document:
    first = claims[0].record
    title = first.title if isinstance(first, ClaimRecord) else None
    clauses: dict[str, tuple[ClauseRecord, list[CitationRecord | ClaimRecord]]] = {}
    for claim in claims:
        for tested in claim.tested:
            clauses.setdefault(tested.clause.id, (tested.clause, []))[1].append(claim.record)
    counts = (evidence.tested(clause, cited).counts for clause, cited in clauses.values())
    return Document(name, title, first.url, first.official, claims, sum(counts, Counter()), errata)
