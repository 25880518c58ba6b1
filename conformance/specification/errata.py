"""Errata: where a document cannot mean what it prints, what it is read as instead, and the proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.specification.file_format import (
    CallRefusedPart,
    DocumentPart,
    EditionsDifferPart,
    ErratumPart,
    FalseOnExamplePart,
    ImpossibleTypePart,
    ProofPart,
    SentencesConflictPart,
)
from conformance.specification.problems import Lines, Location, Path_, Problem, nearest

Proof = FalseOnExamplePart | EditionsDifferPart | SentencesConflictPart | ImpossibleTypePart | CallRefusedPart


@dataclass(frozen=True)
class Erratum:
    """One reading that is not the printed one."""

    slug: str
    place: str
    """Where on the page: a locator."""
    printed: str
    adopted: str
    proof: Proof
    source: Location

    @property
    def kind(self) -> str:
        """The kind of its proof, as documents.yaml names it."""
        return _KINDS[type(self.proof)]


def build_errata(name: str, part: DocumentPart, lines: Lines, problems: list[Problem]) -> dict[str, Erratum]:
    """The errata of a document; adds to ``problems`` what is wrong with them before anything is executed."""
    errata: dict[str, Erratum] = {}
    for slug, written in part.errata.items():
        path: Path_ = ("documents", name, "errata", slug)
        proofs = _proofs(written.proof)
        for message in [*_count(proofs), *(one for proof in proofs for one in _loose_ends(proof, part))]:
            problems.append(Problem(lines.location(path), f"{name}, erratum {slug}: {message}"))
        if proofs:
            errata[slug] = _erratum(slug, written, proofs[0], lines.location(path))
    return errata


def _erratum(slug: str, written: ErratumPart, proof: Proof, source: Location) -> Erratum:
    return Erratum(slug, written.place, written.printed, written.adopted, proof, source)


def _proofs(part: ProofPart) -> list[Proof]:
    return [proof for name in ProofPart.model_fields if (proof := getattr(part, name)) is not None]


_KINDS: dict[type, str] = {
    FalseOnExamplePart: "false-on-example",
    EditionsDifferPart: "editions-differ",
    SentencesConflictPart: "sentences-conflict",
    ImpossibleTypePart: "impossible-type",
    CallRefusedPart: "call-refused",
}


def _count(proofs: list[Proof]) -> Iterator[str]:
    if len(proofs) != 1:
        found = " and ".join(_KINDS[type(proof)] for proof in proofs) or "none"
        yield f"has one proof, of one of the kinds {', '.join(_KINDS.values())}; found {found}"


def _loose_ends(proof: Proof, document: DocumentPart) -> Iterator[str]:
    """What a proof names and the document has not."""
    if isinstance(proof, SentencesConflictPart) and proof.with_ not in document.claims:
        yield f"it conflicts with a claim that the document has not: {proof.with_!r}{nearest(proof.with_, document.claims)}"
    if isinstance(proof, EditionsDifferPart):
        for edition in proof.readings:
            if edition not in document.editions:
                yield f"the document has no edition {edition!r}{nearest(edition, document.editions)}"
        if proof.adopted not in proof.readings:
            yield f"adopts a reading that is not given: {proof.adopted!r}{nearest(proof.adopted, proof.readings)}"
