"""Errata: passages that a document cannot mean as printed, the adopted readings, and the proofs."""

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
    """A reading that differs from the printed one."""

    slug: str
    place: str
    """A locator on the page."""
    printed: str
    adopted: str
    proof: Proof
    source: Location

    @property
    def kind(self) -> str:
        """The kind of its proof, as documents.yaml names it."""
        return _KINDS[type(self.proof)]


def build_errata(name: str, part: DocumentPart, lines: Lines, problems: list[Problem]) -> dict[str, Erratum]:
    """The errata of a document; static problems are added to ``problems``."""
    errata: dict[str, Erratum] = {}
    for slug, written in part.errata.items():
        path: Path_ = ("documents", name, "errata", slug)
        proofs = _proofs(written.proof)
        for message in [*_count(proofs), *(text for proof in proofs for text in _undefined(proof, part))]:
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
        kinds = " and ".join(_KINDS[type(proof)] for proof in proofs) or "none"
        yield f"expected exactly one of the proofs {', '.join(_KINDS.values())}; found {kinds}"


def _undefined(proof: Proof, document: DocumentPart) -> Iterator[str]:
    """Messages about names in a proof that the document does not define."""
    if isinstance(proof, SentencesConflictPart) and proof.with_ not in document.claims:
        yield f"the document has no claim {proof.with_!r}{nearest(proof.with_, document.claims)}"
    if isinstance(proof, EditionsDifferPart):
        for edition in proof.readings:
            if edition not in document.editions:
                yield f"the document has no edition {edition!r}{nearest(edition, document.editions)}"
        if proof.adopted not in proof.readings:
            yield f"the adopted reading {proof.adopted!r} is not among readings{nearest(proof.adopted, proof.readings)}"
