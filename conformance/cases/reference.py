"""Runs the reference adapter in the main process to compute the results that no document prints."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from conformance.adapter import Abstract, Api
from conformance.cases.wire import manner_of, to_wire
from conformance.outcomes.model import error_of
from conformance.outcomes.reply import outcome_of, tensor_of
from conformance.specification.applied import Applied
from conformance.specification.expressions import EVALUATION_ERRORS
from conformance.specification.literals import Tensor
from conformance.worker import adapters, calls
from conformance.worker.adapters import Adapter
from conformance.worker.arguments import Arguments, is_tensor
from conformance.worker.manner import PLAIN

REMEDY = "an adapter named reference.py beside the specs that implements it (docs/specs.md#a-reference)"
"""What specs need whose operation the reference does not implement."""

Reference = Callable[[Applied], Tensor]
"""Computes the result of a valid call; ReferenceFailed if the reference does not return."""


class ReferenceFailed(Exception):
    """The reference did not return."""


class NoReference(ReferenceFailed):
    """The reference does not implement the operation."""


def load_reference(path: Path, beside: Path | None = None) -> Reference:
    """The reference adapter of a file as a function.

    ``beside`` is the reference of user specs, whose operations take precedence; it uses the array conversions of the
    first. Errors raised by the code of a file propagate.
    """
    suite = adapters.load(str(path))
    apis = {api.operation: (suite, api) for api in suite.apis}
    if beside is not None:
        user = replace(adapters.load(str(beside)), to_native=suite.to_native, to_numpy=_to_numpy(suite))
        apis |= {api.operation: (user, api) for api in user.apis}

    def run(call: Applied) -> Tensor:
        if call.operation.name not in apis:
            raise NoReference(f"the reference does not implement {call.operation.name}")
        adapter, api = apis[call.operation.name]
        arguments, manner = to_wire(call), manner_of(call)
        result = _value(adapter, api, arguments) if manner == PLAIN else None
        reply = None
        if result is None:
            reply, result = calls.run(adapter, api, arguments, manner)
        if result is None:
            assert reply is not None, "a call that returns nothing was made by the worker's own function"
            outcome = outcome_of(reply, None)
            error = error_of(outcome)
            message = f" {error.type}: {error.message}" if error else ""
            raise ReferenceFailed(f"the reference {outcome.status}{message}")
        value = tensor_of(*result)
        if adapter is not suite:
            _check_result(call, value)
        return value

    return run


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
    if (result.dtype, result.shape) != (dtype, shape):
        actual = f"{result.dtype} of shape {list(result.shape)}"
        raise ReferenceFailed(f"the reference returned {actual}, but the spec says {dtype} of shape {list(shape)}")
