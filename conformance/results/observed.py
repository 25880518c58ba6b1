"""A result with all that it is of, and the calls that show it: what a script is written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conformance.cases.model import ApiCall, Case
from conformance.judging.judge import Observation
from conformance.results.describe import digest
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
        return dict(self.result.outcome.get("cast") or {})

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
        return ObservedCall("got", self.as_called(self.case.call), Observation(dict(self.result.outcome)))


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
    def status(self) -> str:
        return str(self._outcome["status"])

    @property
    def error(self) -> str | None:
        """The type of the error that it raised."""
        return (self._outcome.get("error") or {}).get("type")

    @property
    def digest(self) -> str | None:
        """Of what it returned."""
        if self.observation.result is not None:
            return digest(self.observation.result)
        return self._outcome.get("digest")

    @property
    def ending(self) -> str | int | None:
        """The signal or the exit status with which its process ended; None where that ended otherwise, or not."""
        return self._outcome.get("signal") or self._outcome.get("exit_code")

    @property
    def exceeds_memory(self) -> bool:
        return "most_memory" in self._outcome

    @property
    def changed(self) -> list[str]:
        """Arguments that it changed."""
        return list(self._outcome.get("changed", []))

    @property
    def aliased(self) -> list[str]:
        """Arguments with which its result shares memory."""
        return list(self._outcome.get("aliased", []))

    @property
    def spilled(self) -> list[str]:
        """Arguments that are views, beside which it wrote."""
        return list(self._outcome.get("spilled", []))

    def does_as(self, other: ObservedCall) -> bool:
        """Whether both ended alike: with the same bytes, or an error of the same type."""
        return (self.status, self.digest, self.error) == (other.status, other.digest, other.error)

    @property
    def _outcome(self) -> dict[str, Any]:
        return self.observation.outcome


def _tensor(call: Call, name: str) -> Tensor:
    value = call.arguments[name]
    assert isinstance(value, Tensor), "only tensors are cast"
    return value
