"""Documents that read one sentence in two ways, which ``check`` must find, and some that do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.specification.errata import Erratum
from conformance.specification.model import Catalogue, Citation, Claim, Clause, Document, Observed, Raises
from conformance.specification.vocabulary import Sentences

SISTER = "planted.sister"
"""The document of a sister API, which has the same sentence."""


def with_erratum(catalogue: Catalogue, elsewhere: str | None) -> Catalogue:
    """Specs of which a document corrects a sentence that another one claims; ``elsewhere``: why the other may."""
    document, claim = next(
        (citation.document, citation.claim) for _, citation in _judged(catalogue) if citation.document.errata
    )
    [erratum, *_] = document.errata.values()
    planted = replace(erratum, slug="planted", rests=_of_sister(claim), elsewhere=elsewhere)
    return _with_document(catalogue, _sister(document, {}, {"planted": planted}))


def with_clause(catalogue: Catalogue, *, judged: bool) -> Catalogue:
    """Specs with another document's clause about a sentence, which only observes what that forbids, or forbids it too."""
    clause, citation = next(_judged(catalogue))
    claim = replace(citation.claim, rests=_of_sister(citation.claim))
    sister = _sister(citation.document, {claim.locator: claim}, {})
    calls = tuple(
        call if judged or not isinstance(call.expected, Raises) else replace(call, expected=Observed("It is not said."))
        for call in clause.written_calls
    )
    planted = replace(clause, citations=(Citation(sister, claim),), written_calls=calls)
    operation = next(each for each in catalogue.operations.values() if clause in each.clauses)
    operations = {**catalogue.operations, operation.name: replace(operation, clauses=(*operation.clauses, planted))}
    return _with_document(replace(catalogue, operations=operations), sister)


def _judged(catalogue: Catalogue) -> Iterator[tuple[Clause, Citation]]:
    """Rules whose violation is an error by a claim that rests on sentences, which no document corrects."""
    errata = [erratum for document in catalogue.documents.values() for erratum in document.errata.values()]
    corrected = {sentence for erratum in errata for sentence in _sentences(erratum.rests)}
    for operation in catalogue.operations.values():
        for clause in operation.clauses:
            breaks = [call for call in clause.written_calls if call.breaks]
            if clause.rule is not None and breaks and all(isinstance(call.expected, Raises) for call in breaks):
                for citation in clause.citations:
                    sentences = _sentences(citation.claim.rests)
                    if sentences and corrected.isdisjoint(sentences):
                        yield clause, citation


def _sentences(rests: Sentences) -> tuple[str, ...]:
    return tuple(sentence for sentences in rests.values() for sentence in sentences)


def _of_sister(claim: Claim) -> dict[str, tuple[str, ...]]:
    return {SISTER: _sentences(claim.rests)}


def _sister(document: Document, claims: dict[str, Claim], errata: dict[str, Erratum]) -> Document:
    return replace(document, id=SISTER, describes=(SISTER,), claims=claims, errata=errata, untestable=())


def _with_document(catalogue: Catalogue, document: Document) -> Catalogue:
    return replace(catalogue, documents={**catalogue.documents, document.id: document})
