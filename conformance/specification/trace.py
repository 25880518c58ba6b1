"""From documents to cases: each claim with the clauses that test it, or the reason why none can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.specification.model import Catalogue, Claim, Clause, Document
from conformance.specification.problems import Problem


@dataclass(frozen=True)
class TracedClaim:
    """A claim, and the clauses that cite it."""

    claim: Claim
    clauses: tuple[Clause, ...]

    @property
    def cases(self) -> int:
        """How many calls test it."""
        return sum(len(clause.written_calls) for clause in self.clauses)


@dataclass(frozen=True)
class TracedDocument:
    """A document with all of its claims."""

    document: Document
    claims: tuple[TracedClaim, ...]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Every clause that cites the document, once."""
        found = {clause.id: clause for traced in self.claims for clause in traced.clauses}
        return tuple(found.values())


def trace(catalogue: Catalogue) -> list[TracedDocument]:
    """Every document with its claims.

    Where only some of the specs that belong to documents.yaml are loaded, these are the claims that they cite.
    """
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
        kept = tuple(claim for claim in claims if catalogue.whole or claim.clauses)
        if kept:
            traced.append(TracedDocument(document, kept))
    return traced


def trace_problems(catalogue: Catalogue, traced: Iterable[TracedDocument]) -> list[Problem]:
    """Every claim without a case or a reason, with both, and every clause that cites no claim."""
    return [
        *(problem for one in traced for claim in one.claims for problem in _claim(one.document, claim)),
        *(
            Problem(clause.location, f"{clause.id}: cites no claim; name under cite the claims that it tests")
            for operation in catalogue.operations.values()
            for clause in operation.clauses
            if not clause.citations
        ),
    ]


def _claim(document: Document, traced: TracedClaim) -> Iterator[Problem]:
    claim = traced.claim
    where = f"{document.id}#{claim.locator}"
    if claim.untestable is not None and traced.clauses:
        clauses = ", ".join(clause.id for clause in traced.clauses)
        text = f"is called untestable, and is cited by {clauses}; remove the one or the other"
        yield Problem(claim.location, f"{where}: {text}")
    if claim.untestable is None and not traced.cases:
        text = "no case tests it; cite it in a clause, or say under untestable why none can"
        yield Problem(claim.location, f"{where}: {text}")
