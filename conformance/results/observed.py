"""A result with its case, target and APIs, and the calls that reproduce it: the input for a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.cases.expectations import Agrees
from conformance.cases.model import ApiCall, Case
from conformance.outcomes.equivalence import is_same
from conformance.outcomes.model import Died, Outcome, Outside, Returned, error_of
from conformance.outcomes.observation import Observation
from conformance.results.records import KnownRecord, MappingRecord, ResultRecord, TargetRecord
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import Raises


@dataclass(frozen=True)
class CaseResult:
    """One result with its case, its target, and the APIs of the target."""

    case: Case
    result: ResultRecord
    target: TargetRecord
    mappings: Sequence[MappingRecord]
    known: KnownRecord | None = None
    """The known divergence that records the result."""

    def mapping(self, api: str, operation: str) -> MappingRecord | None:
        """The API of this name that implements the operation; None if the results have none."""
        key = api, operation
        return next((mapping for mapping in self.mappings if (mapping.api, mapping.operation) == key), None)

    @property
    def cast(self) -> dict[str, str]:
        """Index arguments that were cast, with the dtype that the API got."""
        return self.result.cast

    @property
    def control(self) -> Applied | None:
        """The control, which runs before and after the call, if the error changed what it does; otherwise None."""
        changed = "contaminated" in self.result.divergence and isinstance(self.case.expectation, Raises)
        return self.case.control if changed else None

    @property
    def is_order_dependent(self) -> bool:
        """Whether it is due to an earlier call of the same process."""
        return self.result.polluter is not None or ("contaminated" in self.result.divergence and self.control is None)

    @property
    def is_flaky(self) -> bool:
        """Whether the same call gives it only sometimes."""
        return "unstable" in self.result.divergence and not isinstance(self.case.expectation, Agrees)

    def as_called(self, call: Applied) -> ApiCall:
        """A call of the case with its indices cast as the API got them."""
        cast = {name: _tensor(call, name).cast(dtype) for name, dtype in self.cast.items()}
        return ApiCall(call.with_arguments(cast), self.result.api, self.case.id)

    def recorded_call(self) -> ObservedCall:
        """The case's call with the outcome from the results file; for a relation, of its left side."""
        return ObservedCall("got", self.as_called(self.case.call), Observation(self.result.outcome))

    def recorded_sides(self) -> tuple[Outcome, Outcome | None]:
        """The outcomes of both sides of a relation; None for a right side that was not computed."""
        relation = self.result.relation
        return self.result.outcome, relation.right if relation is not None else None


@dataclass(frozen=True)
class ObservedCall:
    """One of the calls that reproduce a result, with its observation."""

    name: str
    """``got``; ``left_1``, ``left`` and ``right`` of a relation; ``before``, ``after`` and ``earlier``."""
    call: ApiCall
    observation: Observation

    @property
    def is_main(self) -> bool:
        """Whether it is the case's own call, or gives the value of a side of its relation."""
        return self.name in ("got", "left", "right")

    @property
    def tensors(self) -> dict[str, Tensor]:
        return self.call.call.tensors

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
        """Of its result."""
        return self.outcome.digest if isinstance(self.outcome, Returned) else None

    @property
    def ending(self) -> str | int | None:
        """The signal or the exit status that ended its process; None if it did not end, or ended differently."""
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

    def outside_of(self, argument: str) -> tuple[Outside, ...]:
        """What it wrote or read next to an argument, as guard zones show it: memcheck sees it wherever the argument lies."""
        outside = self.outcome.outside if isinstance(self.outcome, Returned) else ()
        return tuple(access for access in outside if access.argument == argument and access.by == "guards")

    def has_same_outcome(self, other: ObservedCall) -> bool:
        """Whether both have the same outcome: the same bits, or an error of the same type."""
        return is_same(self.outcome, other.outcome, "bits")


@dataclass(frozen=True)
class Reproduction:
    """Calls that may reproduce a result in a new process."""

    calls: Sequence[ObservedCall]
    repetitions: int = 1
    """How often a script makes the first of them."""


def _tensor(call: Applied, name: str) -> Tensor:
    value = call.arguments[name]
    assert isinstance(value, Tensor), "only tensors are cast"
    return value
