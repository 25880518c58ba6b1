"""Errata: passages that a document cannot mean as printed, the adopted readings, and the proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.specification.file_format import (
    CallRefusedPart,
    DocumentPart,
    ErratumPart,
    FalseOnExamplePart,
    FalseWhenRunPart,
    ImpossibleTypePart,
    ObservationPart,
    ProofPart,
)
from conformance.specification.locks import Lock
from conformance.specification.problems import Lines, Location, Path_, Problem
from conformance.specification.vocabulary import Sentences

Proof = FalseOnExamplePart | ImpossibleTypePart | CallRefusedPart | FalseWhenRunPart | ObservationPart


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
    rests: Sentences = field(default_factory=dict)
    """By object, the sentences of its shipped documentation that print it; empty for a captured page."""
    elsewhere: str | None = None
    """Why the same sentence is no erratum in the documentation of other APIs."""

    @property
    def kind(self) -> str:
        """The kind of its proof, as documents.yaml names it."""
        return _KINDS[type(self.proof)]

    @property
    def proof_text(self) -> str:
        """What its proof shows, for readers."""
        return _proof_text(self.proof)


def _proof_text(proof: Proof) -> str:
    if isinstance(proof, FalseOnExamplePart):
        return f'on {proof.example}, "{proof.printed}" is false and "{proof.adopted}" is true'
    if isinstance(proof, ImpossibleTypePart):
        return f'on {proof.example}, "{proof.value}" is a {proof.adopted}, not a {proof.printed}'
    if isinstance(proof, CallRefusedPart):
        return f'"{proof.call}" raises {proof.error}, "{proof.instead}" does not'
    if isinstance(proof, FalseWhenRunPart):
        return f'in the framework, "{proof.printed}" is False and "{proof.adopted}" is True'
    return f"nothing is executed; {proof.reason}"


def build_errata(
    name: str, part: DocumentPart, lines: Lines, lock: Lock, problems: list[Problem]
) -> dict[str, Erratum]:
    """The errata of a document; static problems are added to ``problems``."""
    errata: dict[str, Erratum] = {}
    for slug, written in part.errata.items():
        path: Path_ = ("documents", name, "errata", slug)
        proofs = _proofs(written.proof)
        for message in _count(proofs):
            problems.append(Problem(lines.location(path), f"{name}, erratum {slug}: {message}"))
        if proofs:
            rests = lock.sentences(name, "errata", slug)
            errata[slug] = _erratum(slug, written, proofs[0], lines.location(path), rests)
    return errata


def _erratum(slug: str, written: ErratumPart, proof: Proof, source: Location, rests: Sentences) -> Erratum:
    return Erratum(slug, written.place, written.printed, written.adopted, proof, source, rests, written.elsewhere)


def _proofs(part: ProofPart) -> list[Proof]:
    return [proof for name in ProofPart.model_fields if (proof := getattr(part, name)) is not None]


_KINDS: dict[type, str] = {
    FalseOnExamplePart: "false-on-example",
    ImpossibleTypePart: "impossible-type",
    CallRefusedPart: "call-refused",
    FalseWhenRunPart: "false-when-run",
    ObservationPart: "observation",
}


def _count(proofs: list[Proof]) -> Iterator[str]:
    if len(proofs) != 1:
        kinds = " and ".join(_KINDS[type(proof)] for proof in proofs) or "none"
        yield f"expected exactly one of the proofs {', '.join(_KINDS.values())}; found {kinds}"
