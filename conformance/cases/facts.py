"""What is asked of every case, also of those that a run leaves out: it is known without building them (``cases/store/listing.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.specification.vocabulary import Capability, Transformation


@dataclass(frozen=True)
class CaseFacts:
    """The properties of a case that selections and known divergences depend on."""

    id: str
    clause_id: str
    operation_name: str
    dtypes: frozenset[str]
    generated: bool
    device: str | None = None
    """The kind of device that it is for; None for all."""
    earlier: tuple[str, ...] = ()
    """Ids that it had in the last release."""
    original: str | None = None
    """The id of the same call, if its arguments are passed in another way; an entry for that is about this too."""
    needs: frozenset[Capability] = frozenset()
    """What a target must be able to do to run it."""
    constants: frozenset[str] = frozenset()
    """The arguments that are passed as constants."""
    transformation: Transformation | None = None
    """What is computed instead of the result."""
