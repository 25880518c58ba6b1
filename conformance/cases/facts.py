"""What is asked of every case, also of those that a run leaves out; it is stored apart from their arrays, and read sooner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.cases.model import Case
from conformance.cases.variation import Drawn, Passed, Transformed
from conformance.specification.literals import Tensor
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


def facts(cases: Iterable[Case]) -> list[CaseFacts]:
    return [
        CaseFacts(
            case.id,
            case.clause.id,
            case.operation.name,
            frozenset(value.dtype for value in case.call.arguments.values() if isinstance(value, Tensor)),
            isinstance(case.variation, Drawn),
            case.device,
            case.operation.earlier_ids(case.id),
            case.variation.base if isinstance(case.variation, Passed) else None,
            case.call.manner.needs,
            case.call.call.constants,
            case.variation.manner.kind if isinstance(case.variation, Transformed) else None,
        )
        for case in cases
    ]
