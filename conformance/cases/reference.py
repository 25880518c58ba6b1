"""Runs the reference adapter in the main process to compute the results that no document prints."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from conformance.adapter import Abstract, Api
from conformance.cases.wire import manner_of, to_wire
from conformance.outcomes.model import Part, error_of
from conformance.outcomes.reply import outcome_of, parts_of, tensor_of
from conformance.specification.applied import Applied
from conformance.specification.expressions import EVALUATION_ERRORS
from conformance.specification.literals import Tensor
from conformance.specification.model import Around
from conformance.worker import adapters, calls
from conformance.worker.adapters import Adapter
from conformance.worker.arguments import Arguments, is_tensor
from conformance.worker.keys import keyed
from conformance.worker.manner import PLAIN

REMEDY = "an adapter named reference.py beside the specs that implements it (docs/specs.md#a-reference)"
"""What specs need whose operation the reference does not implement."""

Reference = Callable[[Applied], Tensor]
"""Computes the result of a valid call; ReferenceFailed if the reference does not return."""


@dataclass(frozen=True)
class Results:
    """What a call returns; of a program with several results all of them joined, with what each is."""

    value: Tensor
    parts: tuple[Part, ...] = ()


class ReferenceFailed(Exception):
    """The reference did not return."""


class NoReference(ReferenceFailed):
    """The reference does not implement the operation."""


@dataclass(frozen=True)
class LoadedReference:
    """The reference adapter of a file as a function."""

    apis: Mapping[str, tuple[Adapter, Api]]
    """By operation."""
    suite: Adapter
    """The suite's own, whose results need no check."""

    def __call__(self, call: Applied) -> Tensor:
        return self.results(call).value

    def results(self, call: Applied) -> Results:
        """As ``results_of``."""
        if call.operation.name not in self.apis:
            raise NoReference(f"the reference does not implement {call.operation.name}")
        adapter, api = self.apis[call.operation.name]
        manner = manner_of(call)
        made, arguments = keyed(_changing(api, call), to_wire(call))
        result = _value(adapter, made, arguments) if manner == PLAIN else None
        reply: Mapping[str, Any] = {}
        if result is None:
            reply, result = calls.run(adapter, made, arguments, manner)
        if result is None:
            outcome = outcome_of(reply, None)
            error = error_of(outcome)
            message = f" {error.type}: {error.message}" if error else ""
            raise ReferenceFailed(f"the reference {outcome.status}{message}")
        value = tensor_of(*result)
        if adapter is not self.suite:
            _check_result(call, value)
        return Results(value, parts_of(reply))


def load_reference(path: Path, beside: Path | None = None) -> LoadedReference:
    """The reference adapter of a file as a function.

    ``beside`` is the reference of user specs, whose operations take precedence; it uses the array conversions of the
    first. Errors raised by the code of a file propagate.
    """
    suite = adapters.load(str(path))
    apis = {api.operation: (suite, api) for api in suite.apis}
    if beside is not None:
        user = replace(adapters.load(str(beside)), to_native=suite.to_native, to_numpy=_to_numpy(suite))
        apis |= {api.operation: (user, api) for api in user.apis}
    return LoadedReference(apis, suite)


def results_of(reference: Reference, call: Applied) -> Results:
    """All results of a valid call, which is one unless a program returns several; ReferenceFailed if the reference does not return."""
    return reference.results(call) if isinstance(reference, LoadedReference) else Results(reference(call))


def _changing(api: Api, call: Applied) -> Api:
    """The reference as an API that changes its target in place, for a program about these."""
    if not isinstance(call.manner, Around) or call.manner.changes is None:
        return api
    function, target = api.function, call.manner.changes

    @wraps(function)
    def changing(*given: Any, **named: Any) -> Any:
        arguments = signature(function).bind(*given, **named)
        arguments.arguments[target][...] = function(*arguments.args, **arguments.kwargs)
        return arguments.arguments[target]

    return replace(api, function=changing, in_place=target)


def _value(adapter: Adapter, api: Api, arguments: Arguments) -> tuple[np.ndarray[Any, Any], str] | None:
    """The result of a call alone, without what a worker looks at besides; None if it fails."""
    tensors = {name: value for name, value in arguments.items() if is_tensor(value)}
    try:
        with warnings.catch_warnings(action="ignore"):
            native = {name: adapter.to_native(np.array(array), dtype) for name, (array, dtype) in tensors.items()}
            value = adapter.host_result(adapter.call(api, {**arguments, **native}, tensors))
    except Exception:  # making the call again says what is wrong
        return None
    return None if isinstance(value, Abstract) else (np.array(value[0], order="C"), value[1])


def _to_numpy(suite: Adapter) -> Callable[[Any], Any]:
    # As an array, because an element that NumPy makes a number of its own has no bits to view in another dtype.
    return lambda value: suite.to_numpy(np.asarray(value)) if isinstance(value, np.ndarray | np.generic) else value


def _check_result(call: Applied, result: Tensor) -> None:
    """ReferenceFailed if a user reference contradicts the declared result, which would fail correct implementations."""
    try:
        dtype, shape = call.result_dtype, tuple(call.result_shape)
    except EVALUATION_ERRORS as error:
        raise ReferenceFailed(f"the result that the spec says cannot be evaluated: {error}") from None
    if (result.dtype, result.shape) != (dtype or result.dtype, shape):
        actual = f"{result.dtype} of shape {list(result.shape)}"
        raise ReferenceFailed(
            f"the reference returned {actual}, but the spec says {dtype or 'a tensor'} of shape {list(shape)}"
        )
