"""Adapters whose calls are right, and a hook that is not, or that is right in another style."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from conformance.cases.model import Case
from conformance.cases.variation import Batched, Differentiated, NestedTransform, TwiceDifferentiated
from conformance.judging.vocabulary import Divergence
from conformance.specification.loader import load_specs
from conformance.worker.adapters import Adapter
from conformance.worker.transforms import INNER_SEED
from tests.planted.defect import Array, Wrong, with_function
from tests.planted.in_process import JudgedCase, all_cases_of, reference, results

Function = Callable[..., Array]
"""An API with the arguments that are no tensors."""


@dataclass(frozen=True)
class Derived:
    """What the reference's ``vjp`` or ``jvp`` was given, and the result of the call itself."""

    right: Callable[..., Any]
    function: Function
    tensors: dict[str, Array]
    of: str
    seed: Array
    """The cotangent or the tangent."""
    result: Array

    @property
    def index(self) -> Array:
        return next(value for value in self.tensors.values() if value.dtype.kind in "iu")

    def again(self, tensors: dict[str, Array], seed: Array) -> Array:
        """The right derivative for other arguments."""
        derivative: Array = self.right(self.function, tensors, self.of, seed)[1]
        return derivative


@dataclass(frozen=True)
class Calls:
    """What the reference's ``vmap`` was given."""

    function: Function
    tensors: dict[str, Array]
    axes: dict[str, int]

    def with_calls(self, result: Array, change: Callable[[int, dict[str, Array]], dict[str, Array]]) -> Array:
        """The results of calls with other arguments, those that return; ``change`` gives them for the number of a call."""
        for number in range(len(result)):
            given = {
                name: np.array(np.take(value, number, self.axes[name])) if name in self.axes else value
                for name, value in self.tensors.items()
            }
            with suppress(ValueError, IndexError):
                result[number] = self.function(**{**given, **change(number, given)})
        return result


@dataclass(frozen=True)
class PlantedHook:
    """A hook that changes what that of the reference computed."""

    name: str
    change: Callable[..., Array]
    """It takes a derivative and what it was computed from, or the result of a batch and that."""
    caught: Divergence | None
    """The kind of divergence that reports it; None for a right one."""
    operations: Sequence[str] = ()
    """The operations for each of which it must be caught."""
    kind: str = "vjp"
    """The name of the hook."""
    call: Wrong | None = None
    """What takes the place of the call, if that does something else too."""

    def planted(self) -> Adapter:
        """The reference with the hook."""
        adapter = reference()
        name = {"vmap-vjp": "vmap", "vjp-vjp": "vjp"}.get(self.kind, self.kind)
        right = adapter.namespace[name]

        def derivative(function: Function, tensors: dict[str, Array], of: str, seed: Array) -> tuple[Array, Array]:
            result, derived = right(function, tensors, of, seed)
            return result, self.change(derived, Derived(right, function, tensors, of, seed, result))

        def batch(function: Function, tensors: dict[str, Array], axes: dict[str, int]) -> Array:
            return self.change(right(function, tensors, axes), Calls(function, tensors, axes))

        def derivatives(function: Function, tensors: dict[str, Array], axes: dict[str, int]) -> Any:
            made = right(function, tensors, axes)
            return (made[0], self.change(made[1], Calls(function, tensors, axes))) if isinstance(made, tuple) else made

        def second(function: Function, tensors: dict[str, Array], of: str, seed: Array) -> tuple[Array, Array]:
            of_hook = derivative if INNER_SEED in tensors else right
            result, derived = of_hook(function, tensors, of, seed)
            return result, derived

        hook = {"vmap": batch, "vmap-vjp": derivatives, "vjp-vjp": second}.get(self.kind, derivative)
        adapter = replace(adapter, namespace={**adapter.namespace, name: hook})
        return adapter if self.call is None else with_function(adapter, self.call, self.operations)

    def caught_by(self, operation: str) -> Case | None:
        """The first case of an operation that catches the hook; None if there is none."""
        judged = results(self.planted(), transformed(self.kind, operation))
        return next((each.case for each in judged if self.caught in each.judgement.divergences), None)

    def blamed(self) -> Iterator[JudgedCase]:
        """The judgements that say something against the hook."""
        cases = (case for operation in load_specs().operations for case in transformed(self.kind, operation))
        return (each for each in results(self.planted(), cases) if each.is_blamed)


Planted = Callable[[Callable[..., Array]], PlantedHook]


def wrong_derivative(caught: Divergence, *operations: str, kind: str = "vjp", call: Wrong | None = None) -> Planted:
    """Makes a wrong derivative of a function whose name says what is wrong."""
    return lambda change: PlantedHook(_words(change), change, caught, operations, kind, call)


def wrong_batch(caught: Divergence, *operations: str) -> Planted:
    """Makes a wrong batch of a function whose name says what is wrong."""
    return wrong_derivative(caught, *operations, kind="vmap")


def wrong_batch_of_derivatives(caught: Divergence, *operations: str) -> Planted:
    """Makes a batch that is right but where its calls are derivatives, of a function whose name says what is wrong."""
    return wrong_derivative(caught, *operations, kind="vmap-vjp")


def wrong_second_derivative(caught: Divergence, *operations: str) -> Planted:
    """Makes a hook of reverse mode that is right but for a derivative of a derivative, of a function whose name says what is wrong."""
    return wrong_derivative(caught, *operations, kind="vjp-vjp")


def right_hook(kind: str) -> Planted:
    """Makes a right hook of a function whose name says what it does."""
    return lambda change: PlantedHook(_words(change), change, None, kind=kind)


def _words(function: Callable[..., Array]) -> str:
    return function.__name__.replace("_", " ")


@cache
def transformed(kind: str, operation: str) -> tuple[Case, ...]:
    """The cases of an operation that a hook of this kind is planted for: of derivatives those of both modes, of batches the sample."""
    cases = [case for case in all_cases_of(operation) if case.device != "gpu"]
    if kind == "vmap-vjp":
        return tuple(case for case in cases if isinstance(case.variation, NestedTransform))
    if kind == "vjp-vjp":
        return tuple(case for case in cases if isinstance(case.variation, TwiceDifferentiated))
    if kind == "vmap":
        return tuple(case for case in cases if isinstance(case.variation, Batched) and not case.variation.turn.is_extra)
    return tuple(case for case in cases if isinstance(case.variation, Differentiated))
