"""A result with all that it is of, and the calls that show it: what a script is written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.cases.model import ApiCall, Case
from conformance.outcomes.equivalence import is_same
from conformance.outcomes.model import Died, Outcome, Returned, error_of
from conformance.outcomes.observation import Observation
from conformance.results.records import MappingRecord, ResultRecord, TargetRecord
from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Raises


@dataclass(frozen=True)
class CaseResult:
    """One result with its case, its target, and the APIs of the target."""

    case: Case
    result: ResultRecord
    target: TargetRecord
    mappings: Sequence[MappingRecord]

    def mapping(self, api: str, operation: str) -> MappingRecord:
        """The API of this name that stands for the operation."""
        return next(mapping for mapping in self.mappings if (mapping.api, mapping.operation) == (api, operation))

    @property
    def cast(self) -> dict[str, str]:
        """Index arguments that the API got in another dtype, and in which."""
        return self.result.cast

    @property
    def control(self) -> Call | None:
        """The valid call that runs before and after, of a result that says that it no longer returns."""
        spoils = "contaminated" in self.result.divergence and isinstance(self.case.expectation, Raises)
        return self.case.control if spoils else None

    def as_called(self, call: Call) -> ApiCall:
        """A call of the case as the API got it."""
        cast = {name: _tensor(call, name).cast(dtype) for name, dtype in self.cast.items()}
        return ApiCall(self.case.operation.name, call.with_arguments(cast), self.result.api, self.case.id)

    def recorded_call(self) -> ObservedCall:
        """The case's call with what the results file says came of it; of a relation, of its left side."""
        return ObservedCall("got", self.as_called(self.case.call), Observation(self.result.outcome))


@dataclass(frozen=True)
class ObservedCall:
    """One of the calls that show a result, and what came of it."""

    name: str
    """``got``; ``left`` and ``right`` of a relation, with ``left_1`` before them; ``before``, ``after`` and ``earlier``."""
    call: ApiCall
    observation: Observation

    @property
    def tensors(self) -> dict[str, Tensor]:
        arguments = self.call.call.arguments
        return {name: value for name, value in arguments.items() if isinstance(value, Tensor)}

    @property
    def outcome(self) -> Outcome:
        return self.observation.outcome

    @property
    def status(self) -> str:
        return self.outcome.status

    @property
    def error(self) -> str | None:
        """The type of the error that it raised."""
        error = error_of(self.outcome)
        return error.type if error else None

    @property
    def digest(self) -> str | None:
        """Of what it returned."""
        return self.outcome.digest if isinstance(self.outcome, Returned) else None

    @property
    def ending(self) -> str | int | None:
        """The signal or the exit status with which its process ended; None where that ended otherwise, or not."""
        return (self.outcome.signal or self.outcome.exit_code) if isinstance(self.outcome, Died) else None

    @property
    def exceeds_memory(self) -> bool:
        return isinstance(self.outcome, Died) and self.outcome.most_memory is not None

    @property
    def changed(self) -> tuple[str, ...]:
        """Arguments that it changed."""
        return self.outcome.changed if isinstance(self.outcome, Returned) else ()

    @property
    def aliased(self) -> tuple[str, ...]:
        """Arguments with which its result shares memory."""
        return self.outcome.aliased if isinstance(self.outcome, Returned) else ()

    @property
    def spilled(self) -> tuple[str, ...]:
        """Arguments that are views, beside which it wrote."""
        return self.outcome.spilled if isinstance(self.outcome, Returned) else ()

    def does_as(self, other: ObservedCall) -> bool:
        """Whether both ended alike: with the same bits, or an error of the same type."""
        return is_same(self.outcome, other.outcome, "bits")


def _tensor(call: Call, name: str) -> Tensor:
    value = call.arguments[name]
    assert isinstance(value, Tensor), "only tensors are cast"
    return value
