"""The statements of a text, each with the claims that rest on it, and what a person still has to read."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from conformance.documentation.pieces import Piece
from conformance.documentation.splitter import split
from conformance.documentation.words import words
from conformance.specification.errata import Erratum
from conformance.specification.model import Citation, Document, Untestable

_SIMILAR = 0.3
"""The least similarity of a sentence and a claim in our own words that are worth showing together."""


@dataclass(frozen=True)
class Statement:
    """A sentence, an entry, code or an example, and what the documents make of it."""

    piece: Piece
    claims: tuple[Citation, ...]
    untestable: tuple[tuple[str, Untestable], ...]
    """Groups of sentences that no case can test, each with its document, that it belongs to."""
    errata: tuple[tuple[str, Erratum], ...] = ()
    """Errata of documents about it."""
    instead_of: Citation | None = None
    """For an unread statement, the claim that lost its sentence and is most like it."""

    @property
    def is_run(self) -> bool:
        """Whether it is an example, which a run executes as it stands."""
        return self.piece.place.kind == "example" and not self.untestable

    @property
    def is_read(self) -> bool:
        return bool(self.claims or self.untestable or self.errata or self.is_run)


@dataclass(frozen=True)
class LostClaim:
    """A claim whose sentences are not all in the text any more."""

    citation: Citation
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """What the documents make of the documentation of one object."""

    name: str
    statements: tuple[Statement, ...]
    lost: tuple[LostClaim, ...]

    @property
    def unread(self) -> tuple[Statement, ...]:
        """Statements that nobody has read; a repeated one counts once."""
        return tuple({each.piece.hash: each for each in reversed(self.statements) if not each.is_read}.values())[::-1]

    @property
    def claimed(self) -> int:
        """The number of statements that testable claims or errata rest on, and of examples that are run."""
        return sum(
            bool(one.errata or one.is_run) or any(each.claim.untestable is None for each in one.claims)
            for one in self.statements
        )

    @property
    def untestable(self) -> int:
        """The number of statements that are declared untestable."""
        return sum(each.is_read for each in self.statements) - self.claimed


def read(documents: Iterable[Document], name: str, text: str) -> Reading:
    """Read the documentation of an object."""
    documents = list(documents)
    resting = [
        Citation(document, claim) for document in documents for claim in document.claims.values() if name in claim.rests
    ]
    errata = [
        (document.id, erratum)
        for document in documents
        for erratum in document.errata.values()
        if name in erratum.rests
    ]
    groups = [(document.id, group) for document in documents for group in document.untestable if name in group.rests]
    pieces = [piece for piece in split(text) if piece.is_statement]
    present = {piece.hash for piece in pieces}
    lost = [
        LostClaim(citation, missing)
        for citation in resting
        if (missing := tuple(each for each in citation.claim.rests[name] if each not in present))
    ]
    statements = [
        Statement(
            piece,
            tuple(citation for citation in resting if piece.hash in citation.claim.rests[name]),
            tuple((document, group) for document, group in groups if piece.hash in group.rests[name]),
            tuple((document, erratum) for document, erratum in errata if piece.hash in erratum.rests[name]),
        )
        for piece in pieces
    ]
    return Reading(name, tuple(_beside_lost(each, lost) for each in statements), tuple(lost))


def _beside_lost(statement: Statement, lost: Sequence[LostClaim]) -> Statement:
    """An unread statement with the claim whose sentence it may be a new wording of.

    The old words are not kept anywhere, so that it is compared with the claim in our words.
    """
    if statement.is_read or not lost:
        return statement
    similarity, index = max((_similarity(statement.piece, each.citation), -at) for at, each in enumerate(lost))
    if similarity < _SIMILAR:
        return statement
    return replace(statement, instead_of=lost[-index].citation)


def _similarity(piece: Piece, citation: Citation) -> float:
    place = piece.place.entry or piece.place.section
    is_same_place = bool(place) and citation.claim.locator.startswith(place.casefold())
    return 0.5 * is_same_place + _ratio(words(piece.text), words(citation.claim.says))


def _ratio(some: Sequence[str], others: Sequence[str]) -> float:
    return difflib.SequenceMatcher(None, some, others, autojunk=False).ratio()
