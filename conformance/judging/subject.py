"""The properties of an API that a judgement depends on."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.judging.dtype_claims import DtypeClaim
from conformance.judging.vocabulary import Standing
from conformance.specification.model import Citation


@dataclass(frozen=True)
class Subject:
    """The API under test, as far as a case is judged by it."""

    standing: Standing
    in_place: str | None
    """The argument that it changes."""
    immutable: bool
    """Its framework's tensors cannot be changed, so sharing memory is harmless."""
    copies: bool = False
    """Its framework copies an argument of the case, so that what is written next to it is not seen."""
    error_types: bool = False
    """A document about the API names the type of the error, and its mode keeps these types."""
    claimed: bool = False
    """The target's own claims have the call, so that it may not be unsupported."""
    dtype_claim: DtypeClaim | None = None
    """For a case that tests dtypes, the claim about them."""
    composed: bool = False
    """Several calls stand in for it, of which no document speaks together."""
    helper: str | None = None
    """The call of the adapter that checks what the case breaks, in place of the API."""
    by_rules: tuple[str, ...] = ()
    """Claims, as ``document#locator``, of rules besides its clause's that the call breaks, if its standing is due to them; of a
    transform of the call those about what it computes."""
    decided_by: str | None = None
    """The clause that judges by the API's own documentation what the clause of the case only observes."""
    keeps: frozenset[str] = frozenset()
    """Arguments that stay as they were according to a document of the API."""
    changes: frozenset[str] = frozenset()
    """Arguments that it changes by design, since its plain valid calls change them too; neither its mapping nor a document
    says whether it does."""

    changed_around: frozenset[str] = frozenset()
    """Arguments that the program around the call changes, besides what the API does."""
    says_dtype: bool = False
    """A document of the API says which dtype a result has."""

    says_result: bool = False
    """A document of the API says what a valid call of the operation returns."""

    unlisted: Citation | None = None
    """The claim of a document of the API that lists dtypes without the one by which the call differs from its control."""

    without_derivative: Citation | None = None
    """The claim of a document of the API by which the call has no right derivative in reverse mode."""

    @property
    def promises_dtype(self) -> bool:
        """Whether a document or the adapter promises the dtypes that the case tests."""
        return self.dtype_claim is not None and self.dtype_claim.promises

    @property
    def lists_other_dtypes(self) -> bool:
        """Whether a document of the API lists dtypes, and not those that the case tests."""
        return self.dtype_claim is not None and self.dtype_claim.extent == "others"

    @property
    def written(self) -> frozenset[str]:
        """The arguments that a call may change, and share memory with."""
        written = self.changes | self.changed_around
        return written if self.in_place is None else written | {self.in_place}
