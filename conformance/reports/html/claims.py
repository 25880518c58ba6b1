"""The documents, each with its claims, and each claim with the clauses that test it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote

from conformance.reports.statistics import sort_of
from conformance.reports.text import visible
from conformance.results.file import Results
from conformance.results.records import CitationRecord, ClaimRecord, ClauseRecord, ErratumRecord


@dataclass(frozen=True)
class Tested:
    """A clause that cites a claim, and the counts of its results."""

    clause: ClauseRecord
    cases: int
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


@dataclass(frozen=True)
class Document:
    """A document with its claims, in its own order or else in the order in which clauses cite them."""

    name: str
    title: str | None
    url: str | None
    official: bool
    claims: list[Claim]
    counts: Counter[str]
    """The results of all clauses that cite it; each clause counts once."""
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


def claim_id(record: CitationRecord | ClaimRecord) -> str:
    """The id of a claim on the page, from the document and the locator."""
    return f"claim/{record.document}/{record.locator}"


def clause_id(clause: ClauseRecord) -> str:
    """The id of a clause's row on the page."""
    return f"clause/{clause.id}"


def address_of(identifier: str) -> str:
    """The address of an element of the page with this id."""
    return "#" + quote(visible(identifier), safe="/")


def documents(results: Results) -> list[Document]:
    """Every document with its claims, including untestable ones if the file has them."""
    by_document: dict[str, dict[str, Claim]] = {}
    unread_in = _unread_in(results)
    for record in results.claims:
        unread = unread_in.get(f"{record.document}#{record.locator}", ())
        by_document.setdefault(record.document, {})[record.locator] = Claim(record, [], tuple(unread))
    for tested in _tested(results):
        for citation in tested.clause.citations:
            claims = by_document.setdefault(citation.document, {})
            claims.setdefault(citation.locator, Claim(citation, [])).tested.append(tested)
    errata: dict[str, list[ErratumRecord]] = {}
    for erratum in results.errata:
        errata.setdefault(erratum.document, []).append(erratum)
    return [_document(name, list(claims.values()), errata.get(name, [])) for name, claims in by_document.items()]


def _unread_in(results: Results) -> dict[str, list[str]]:
    """By citation, the targets in which a claim is unread."""
    targets: dict[str, list[str]] = {}
    for target in results.targets:
        for citation in {citation for citations in target.unread.values() for citation in citations}:
            targets.setdefault(citation, []).append(target.id)
    return targets


def _tested(results: Results) -> list[Tested]:
    cases = Counter(case.clause for case in results.cases.values())
    counts: dict[str, Counter[str]] = {}
    for result in results.results:
        counts.setdefault(result.clause, Counter())[sort_of(result)] += 1
    return [Tested(clause, cases[id_], counts.get(id_, Counter())) for id_, clause in results.clauses.items()]


def _document(name: str, claims: list[Claim], errata: list[ErratumRecord]) -> Document:
    first = claims[0].record
    title = first.title if isinstance(first, ClaimRecord) else None
    by_clause = {tested.clause.id: tested.counts for claim in claims for tested in claim.tested}
    return Document(name, title, first.url, first.official, claims, sum(by_clause.values(), Counter()), errata)
