"""Calls that explain others: what an API changes by design, and what the refusal of a dtype is about.

Each is made once for an API, in the worker whose call is to be explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from conformance.cases.model import Case
from conformance.cases.variation import DtypeTest
from conformance.cases.written import plain_case, representative_calls
from conformance.environments.errors import TargetBlocked
from conformance.execution.client import Client, GaveUp
from conformance.judging.derivatives import RightAlone, permits
from conformance.judging.dtype_claims import converts_a_number
from conformance.outcomes.model import Died, Returned, Status
from conformance.outcomes.observation import Observation, Refusal
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.model import AsUsual, Batch, Derivative, Manner, Nested, SecondDerivative

MOST_PLAIN = 3
"""Plain valid calls of an API that show what it changes by design."""
_ABSENT: frozenset[Status] = frozenset({"unsupported", "not-exported", "died", "hung"})

Observe = Callable[[Case, Client], Observation]
"""Makes the call of a case on the API, without its control."""


@dataclass
class Probes:
    """The probes of one API for one operation."""

    observe: Observe
    _statuses: dict[str, Status] = field(default_factory=dict)
    """By case."""
    _right_alone: dict[str, RightAlone | None] = field(default_factory=dict)
    """By case."""
    _deaths: dict[str, Died | None] = field(default_factory=dict)
    """By case."""
    _design: tuple[str | None, frozenset[str]] | None = None
    """The plain call that shows what the API changes by design, and the arguments."""

    def changes(self, case: Case, calls: Callable[[Case], bool], client: Client) -> frozenset[str]:
        """The arguments that the API changes by design; none in the plain call that shows it, where it is reported.

        calls: whether the call of a case is made on the API.
        """
        if self._design is None:
            self._design = _design([*self._plain(case, calls, client)])
        shown_by, names = self._design
        return frozenset() if case.id == shown_by else names

    def refusal(self, case: Case, client: Client) -> Refusal:
        """What other calls show of the refusal of a case in another dtype."""
        test = case.dtype_test
        assert test is not None
        returns = self._status(_original(test), client) == "returned"
        for probe in test.alike:
            assert isinstance(probe, Case)
            assert probe.dtype_test is not None
            if self._status(_original(probe.dtype_test), client) != "returned":
                continue
            if probe.id == case.id:
                break
            if converts_a_number(probe) and not converts_a_number(case):  # the number may be what is refused
                continue
            status = self._status(probe, client)
            if status not in _ABSENT:
                elsewhere: Literal["refused", "taken"] = "refused" if status == "raised" else "taken"
                return Refusal(returns, elsewhere, in_another_shape=_differ_in_shapes(case.call, probe.call))
        return Refusal(returns, None)

    def right_alone(self, case: Case, client: Client) -> RightAlone | None:
        """How a call whose result is wrong under a transform is right in a process that makes no other call; None if it is not.

        Under the transform, so that the result depends on earlier calls; or without it, so that the transform makes it wrong. Asked
        only where processes start fast. None too if the process cannot be started.
        """
        if case.id not in self._right_alone:
            self._right_alone[case.id] = self._asked_alone(case, client)
        return self._right_alone[case.id]

    def _asked_alone(self, case: Case, client: Client) -> RightAlone | None:
        for other in client.others(1):
            try:
                return self._asked_of(case, other)
            except (GaveUp, TargetBlocked):
                return None
            finally:
                other.close()
        return None

    def _asked_of(self, case: Case, other: Client) -> RightAlone | None:
        other.forget()
        if permits(case, self.observe(case, other).forward):
            return "alone"
        if not isinstance(case.call.manner, Derivative | SecondDerivative):
            return None
        other.forget()
        [call] = _untransformed(case.call)
        plain = replace(case, call=call)
        return "without the transform" if permits(case, self.observe(plain, other).result) else None

    def death_of_call(self, case: Case, client: Client) -> Died | None:
        """How the call of a transform, or one of those of a batch, ends its process without the transform; None if none does.

        The worker makes the calls of a batch one by one too, to compare them, so that its death may be theirs. The process is fresh.
        """
        if case.id not in self._deaths:
            self._deaths[case.id] = self._found_death(case, client)
        return self._deaths[case.id]

    def _found_death(self, case: Case, client: Client) -> Died | None:
        client.forget()
        try:
            for call in _untransformed(case.call):
                outcome = self.observe(replace(case, call=call), client).outcome
                if isinstance(outcome, Died):
                    return outcome
        finally:
            client.forget()
        return None

    def _plain(
        self, case: Case, calls: Callable[[Case], bool], client: Client
    ) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
        """For a few valid calls that return: the id of the case, and what it changed, and did not visibly change."""
        count = 0
        for clause, written, call in representative_calls(case.operation):
            if count == MOST_PLAIN:
                return
            plain = plain_case(call, clause, written, "a plain call")
            if not calls(plain):
                continue
            observation = self.observe(plain, client)
            if isinstance(observation.outcome, Returned):
                count += 1
                yield plain.id, frozenset(observation.outcome.changed), _invisible(plain.call, observation.result)

    def _status(self, case: Case, client: Client) -> Status:
        if case.id not in self._statuses:
            self._statuses[case.id] = self.observe(case, client).outcome.status
        return self._statuses[case.id]


def _untransformed(call: Applied) -> Iterator[Applied]:
    """The calls of which a transform is computed: one, or those of a batch."""
    match call.manner:
        case Batch() as batch:
            yield from _calls_of(batch, call, AsUsual())
        case Nested(batch=batch, around=around):
            yield from _calls_of(batch, call, around or AsUsual())
        case SecondDerivative(first=first):
            yield call.made(first)
        case Derivative():
            yield call.made(AsUsual())


def _calls_of(batch: Batch, call: Applied, manner: Manner) -> Iterator[Applied]:
    axis = 0 if batch.axis == "first" else -1
    stacks = {name: np.moveaxis(stack.array, axis, 0) for name, stack in batch.stacks.items()}
    for arrays in zip(*stacks.values(), strict=True):
        tensors = {
            name: Tensor(batch.stacks[name].dtype, frozen(np.array(array)), None)
            for name, array in zip(stacks, arrays, strict=True)
        }
        yield call.with_arguments(tensors).made(manner)


def _differ_in_shapes(one: Applied, other: Applied) -> bool:
    """Whether two calls differ in nothing but the lengths and elements of tensors, and are made in the same way.

    A call without elements shows nothing of a dtype, as no kernel need be there for it.
    """
    is_alike = [*map(_kind, one.arguments.items())] == [*map(_kind, other.arguments.items())]
    return is_alike and one.manner == other.manner and not one.lacks_elements and not other.lacks_elements


def _kind(argument: tuple[str, Argument]) -> tuple[str, object]:
    name, value = argument
    if isinstance(value, Tensor):
        return name, (value.dtype, len(value.shape))
    return name, value if isinstance(value, str | int) else type(value)


def _original(test: DtypeTest) -> Case:
    assert isinstance(test.original, Case), "asked only if there is one"
    return test.original


def _design(plain: list[tuple[str, frozenset[str], frozenset[str]]]) -> tuple[str | None, frozenset[str]]:
    """What all plain calls changed, of those where it would be visible, and the first that changed it."""
    names = frozenset().union(*(changed for _, changed, _ in plain))
    always = frozenset(
        name for name in names if all(name in changed or name in invisible for _, changed, invisible in plain)
    )
    return next((name for name, changed, _ in plain if always and always <= changed), None), always


def _invisible(call: Applied, result: Tensor | None) -> frozenset[str]:
    """The arguments that are equal to the result, so that writing it into them changes nothing."""
    tensors: Mapping[str, Tensor] = {name: value for name, value in call.arguments.items() if isinstance(value, Tensor)}
    return frozenset(
        name
        for name, value in tensors.items()
        if result is not None
        and (value.dtype, value.shape) == (result.dtype, result.shape)
        and value.array.tobytes() == result.array.tobytes()
    )
