"""Which claims the documentation of an installed version makes about each API."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from conformance.documentation.splitter import split
from conformance.specification.model import Citation, Claim, Document

Texts = Mapping[str, frozenset[str]]
"""By the dotted name of an object, the hashes of the sentences of its documentation."""


@dataclass(frozen=True)
class DocumentedApi:
    """An API with the objects whose documentation is its own."""

    name: str
    follows: str | None
    documentation: tuple[str, ...]


@dataclass(frozen=True)
class Spoken:
    """The citations that speak of an API in a version, and those that no longer do."""

    citations: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    """A sentence that they rest on is missing or was changed."""


def hashes(text: str) -> frozenset[str]:
    """The hashes of all statements of a text."""
    return frozenset(piece.hash for piece in split(text) if piece.is_statement)


def objects_of(documents: Iterable[Document]) -> set[str]:
    """The objects whose documentation the claims rest on."""
    return {name for document in documents for claim in document.claims.values() for name in _objects_of(claim)}


def _objects_of(claim: Claim) -> set[str]:
    return {*claim.rests, *([claim.refers] if claim.refers is not None else [])}


def documents_of(documents: Iterable[Document], framework: str, apis: Iterable[DocumentedApi]) -> list[Document]:
    """The documents of a framework, and those of other frameworks about APIs that its own APIs follow."""
    followed = {api.follows for api in apis} - {None}
    return [document for document in documents if document.framework == framework or followed & set(document.describes)]


def spoken(documents: Iterable[Document], framework: str, api: DocumentedApi, texts: Texts) -> Spoken:
    """What the documentation of an API of a framework says in the version that these texts ship with.

    A claim speaks of the API if all its sentences are in the documentation of the API, or in one that this refers to.
    Another framework's documentation, which an API follows but which does not ship with it, speaks of it as a whole.
    """
    resting = [
        Citation(document, claim)
        for document in documents
        if {api.name, api.follows} & set(document.describes)
        for claim in document.claims.values()
        if claim.rests
    ]
    own = _with_referred(api.documentation, resting, texts)
    relevant = {str(citation) for citation in resting if own & set(citation.claim.rests)}
    made = {str(citation) for citation in resting if _is_made(citation.claim, own, texts)}
    if own.isdisjoint(texts):
        made |= {str(citation) for citation in resting if citation.document.framework != framework}
    return Spoken(frozenset(made), frozenset(relevant - made))


def _with_referred(names: Collection[str], citations: Iterable[Citation], texts: Texts) -> set[str]:
    """Objects, and those to whose documentation theirs refers, directly or not."""
    citations = list(citations)
    own = set(names)
    while True:
        more = {
            citation.claim.refers
            for citation in citations
            if citation.claim.refers is not None and _is_made(citation.claim, own, texts)
        }
        if more <= own:
            return own
        own |= more


def _is_made(claim: Claim, own: Collection[str], texts: Texts) -> bool:
    return any(texts.get(name, frozenset()).issuperset(claim.rests[name]) for name in claim.rests if name in own)
