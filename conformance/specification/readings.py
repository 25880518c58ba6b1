"""One sentence has one reading: what the documentation of several APIs says in the same words binds all of them alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from conformance.specification.errata import Erratum
from conformance.specification.model import Catalogue, Citation, Clause, Document, Observed, Raises
from conformance.specification.problems import Problem
from conformance.specification.vocabulary import Sentences


def check_readings(catalogue: Catalogue) -> Iterator[Problem]:
    """Sentences that are claims of one document and errata of another, or an error for one API and observed for another."""
    if catalogue.whole:
        yield from _errata_elsewhere_claims(catalogue)
        yield from _judged_and_observed(catalogue)


def _errata_elsewhere_claims(catalogue: Catalogue) -> Iterator[Problem]:
    """Errata without a reason why the same sentence is no erratum in another document."""
    documents = catalogue.documents.values()
    corrected = {document.id: _hashes(erratum.rests for erratum in document.errata.values()) for document in documents}
    claimed: dict[str, list[Citation]] = defaultdict(list)
    for document in documents:
        for claim in document.claims.values():
            for sentence in _hashes([claim.rests]) - corrected[document.id]:
                claimed[sentence].append(Citation(document, claim))
    for document in documents:
        for erratum in document.errata.values():
            others = [
                citation
                for sentence in sorted(_hashes([erratum.rests]))
                for citation in claimed[sentence]
                if citation.document is not document
            ]
            if bool(others) != (erratum.elsewhere is not None):
                yield Problem(erratum.source, _erratum_text(document, erratum, others))


def _erratum_text(document: Document, erratum: Erratum, others: list[Citation]) -> str:
    name = f"{document.id}, erratum {erratum.slug}"
    if not others:
        return f"{name}: no other document makes a claim of its sentences; remove elsewhere"
    return (
        f"{name}: {others[0]} is a claim by the same sentence; make the sentence an erratum there too, or a claim here, or say "
        "under elsewhere why it is none there"
    )


def _judged_and_observed(catalogue: Catalogue) -> Iterator[Problem]:
    """Claims whose violation is only observed, while it is an error by a claim of the same name and sentence elsewhere."""
    judged: dict[tuple[str, str], tuple[str, str]] = {}
    observed: list[tuple[Clause, Citation]] = []
    for operation in catalogue.operations.values():
        for clause in operation.clauses:
            for citation in clause.citations:
                if any(isinstance(call.expected, Raises) for call in clause.written_calls):
                    for sentence in _hashes([citation.claim.rests]):
                        judged.setdefault((citation.claim.locator, sentence), (str(citation), clause.id))
                elif any(isinstance(call.expected, Observed) and call.breaks for call in clause.written_calls):
                    observed.append((clause, citation))
    judged_claims = {claim for claim, _ in judged.values()}
    for clause, citation in observed:
        for sentence in sorted(_hashes([citation.claim.rests])):
            claim, by = judged.get((citation.claim.locator, sentence), (str(citation), ""))
            if claim != str(citation) and str(citation) not in judged_claims:
                text = (
                    f"{clause.id}: {citation} is only observed, while {claim} says it in the same sentence and {by} requires an "
                    f"error; cite {citation} in a clause that requires one too"
                )
                yield Problem(clause.location, text, clause.id)
                break


def _hashes(rests: Iterator[Sentences] | list[Sentences]) -> set[str]:
    return {sentence for sentences in rests for of_object in sentences.values() for sentence in of_object}
