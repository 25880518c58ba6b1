"""The documents from their side: each with its claims, and each claim with the clauses that test it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote

from conformance.reports.statistics import sort_of
from conformance.reports.text import visible
from conformance.results.file import Results
from conformance.results.records import CitationRecord, ClaimRecord, ClauseRecord


@dataclass(frozen=True)
class Tested:
    """One clause that cites a claim, and how the targets fared with it."""

    clause: ClauseRecord
    cases: int
    counts: Counter[str]

    @property
    def results(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Claim:
    """One claim of a document, as its record has it or as this file's clauses cite it."""

    record: CitationRecord | ClaimRecord
    tested: list[Tested]

    @property
    def untestable(self) -> str | None:
        """Why no call can test it; None where one can, or where an older file does not tell."""
        return self.record.untestable if isinstance(self.record, ClaimRecord) else None


@dataclass(frozen=True)
class Document:
    """One document with its claims, in its own order or else in the order in which the clauses cite them."""

    name: str
    title: str | None
    url: str | None
    official: bool
    claims: list[Claim]
    counts: Counter[str]
    """Results of all clauses that cite it, each clause counted once."""

    @property
    def clauses(self) -> int:
        return len({tested.clause.id for claim in self.claims for tested in claim.tested})

    @property
    def untestable(self) -> int:
        return sum(claim.untestable is not None for claim in self.claims)


def claim_id(record: CitationRecord | ClaimRecord) -> str:
    """The claim's id on the page: the document and the locator name it."""
    return f"claim/{record.document}/{record.locator}"


def clause_id(clause: ClauseRecord) -> str:
    """The id of the clause's row on the page."""
    return f"clause/{clause.id}"


def address_of(identifier: str) -> str:
    """The address of an element of the page by its id."""
    return "#" + quote(visible(identifier), safe="/")


def documents(results: Results) -> list[Document]:
    """Every document with its claims: those that no call can test among them, where the file has them."""
    by_document: dict[str, dict[str, Claim]] = {}
    for record in results.claims:
        by_document.setdefault(record.document, {})[record.locator] = Claim(record, [])
    for tested in _tested(results):
        for citation in tested.clause.citations:
            claims = by_document.setdefault(citation.document, {})
            claims.setdefault(citation.locator, Claim(citation, [])).tested.append(tested)
    return [_document(name, list(claims.values())) for name, claims in by_document.items()]


def _tested(results: Results) -> list[Tested]:
    cases = Counter(case.clause for case in results.cases.values())
    counts: dict[str, Counter[str]] = {}
    for result in results.results:
        counts.setdefault(result.clause, Counter())[sort_of(result)] += 1
    return [Tested(clause, cases[id_], counts.get(id_, Counter())) for id_, clause in results.clauses.items()]


def _document(name: str, claims: list[Claim]) -> Document:
    first = claims[0].record
    title = first.title if isinstance(first, ClaimRecord) else None
    by_clause = {tested.clause.id: tested.counts for claim in claims for tested in claim.tested}
    return Document(name, title, first.url, first.official, claims, sum(by_clause.values(), Counter()))
