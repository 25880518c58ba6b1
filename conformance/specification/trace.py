"""Traces the claims of documents to the clauses that test them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.specification.model import Catalogue, Claim, Clause, Document
from conformance.specification.problems import Problem


@dataclass(frozen=True)
class TracedClaim:
    """A claim and the clauses that cite it."""

    claim: Claim
    clauses: tuple[Clause, ...]

    @property
    def cases(self) -> int:
        """The number of calls that test it."""
        return sum(len(clause.written_calls) for clause in self.clauses)


@dataclass(frozen=True)
class TracedDocument:
    """A document with its claims."""

    document: Document
    claims: tuple[TracedClaim, ...]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The distinct clauses that cite the document."""
        by_id = {clause.id: clause for traced in self.claims for clause in traced.clauses}
        return tuple(by_id.values())


def trace(catalogue: Catalogue) -> list[TracedDocument]:
    """All documents with their claims; if only a part of the specs is loaded, with the claims that these cite."""
    clauses = [clause for operation in catalogue.operations.values() for clause in operation.clauses]
    citing: dict[tuple[str, str], dict[str, Clause]] = {}
    for clause in clauses:
        for citation in clause.citations:
            citing.setdefault((citation.document.id, citation.claim.locator), {})[clause.id] = clause
    traced = []
    for document in catalogue.documents.values():
        claims = [
            TracedClaim(claim, tuple(citing.get((document.id, claim.locator), {}).values()))
            for claim in document.claims.values()
        ]
        relevant = tuple(claim for claim in claims if catalogue.whole or claim.clauses)
        if relevant:
            traced.append(TracedDocument(document, relevant))
    return traced


def trace_problems(catalogue: Catalogue, traced: Iterable[TracedDocument]) -> list[Problem]:
    """All claims with neither a case nor a reason, or with both, and all clauses without a citation."""
    return [
        *(problem for entry in traced for claim in entry.claims for problem in _claim(entry.document, claim)),
        *(
            Problem(clause.location, f"{clause.id}: cites no claim; list the claims that it tests under cite")
            for operation in catalogue.operations.values()
            for clause in operation.clauses
            if not clause.citations
        ),
    ]


def _claim(document: Document, traced: TracedClaim) -> Iterator[Problem]:
    claim = traced.claim
    citation = f"{document.id}#{claim.locator}"
    if claim.untestable is not None and traced.clauses:
        clauses = ", ".join(clause.id for clause in traced.clauses)
        text = f"is untestable but cited by {clauses}; remove one of the two"
        yield Problem(claim.location, f"{citation}: {text}")
    if claim.untestable is not None and claim.program is not None:
        yield Problem(claim.location, f"{citation}: is untestable but has a program; remove one of the two")
    if claim.untestable is None and claim.program is None and claim.transform is None and not traced.cases:
        text = (
            "no case tests it; cite it in a clause, test it by a program, or explain under untestable why nothing can"
        )
        yield Problem(claim.location, f"{citation}: {text}")
