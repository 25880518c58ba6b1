"""The reference adapter in the parent's own process, where it gives the results that no document prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from conformance.cases.wire import to_wire
from conformance.outcomes.model import error_of
from conformance.outcomes.reply import outcome_of, tensor_of
from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Operation
from conformance.worker import adapters, calls
from conformance.worker.adapters import Adapter

Reference = Callable[[Operation, Call], Tensor]
"""The result of a call that keeps every rule; ReferenceFailed where the reference does not return."""


class ReferenceFailed(Exception):
    """The reference did not return."""


class NoReference(ReferenceFailed):
    """The reference has no such operation."""


def load_reference(path: Path, beside: Path | None = None) -> Reference:
    """The reference adapter of a file as a function.

    ``beside`` is a second one, which stands beside specs of one's own: the operations that it has are taken from it. It
    computes on the same arrays as the first, whose hooks it shares. Whatever the code of a file raises comes out.
    """
    suite = adapters.load(str(path))
    found = {api.operation: (suite, api) for api in suite.apis}
    if beside is not None:
        more = replace(adapters.load(str(beside)), to_native=suite.to_native, to_numpy=_to_numpy(suite))
        found |= {api.operation: (more, api) for api in more.apis}

    def run(operation: Operation, call: Call) -> Tensor:
        if operation.name not in found:
            raise NoReference(_missing(operation.name))
        adapter, api = found[operation.name]
        reply, result = calls.run(adapter, api, to_wire(call))
        if result is None:
            outcome = outcome_of(reply, None)
            error = error_of(outcome)
            message = f" {error.type}: {error.message}" if error else ""
            raise ReferenceFailed(f"the reference {outcome.status}{message}")
        value = tensor_of(*result)
        if adapter is not suite:
            _check_result(operation, call, value)
        return value

    return run


def _to_numpy(suite: Adapter) -> Callable[[Any], Any]:
    return lambda value: suite.to_numpy(value) if isinstance(value, np.ndarray | np.generic) else value


def _check_result(operation: Operation, call: Call, result: Tensor) -> None:
    """A reference of a user's own gives what ``result`` says, or every right implementation would differ from it."""
    values = operation.values(call)
    dtype, shape = operation.result_dtype.value(values), operation.result_shape.value(values)
    if (result.dtype, result.shape) != (dtype, shape):
        got = f"{result.dtype} of shape {list(result.shape)}"
        raise ReferenceFailed(f"the reference gives {got}, where the spec says {dtype} of shape {list(shape)}")


def _missing(operation: str) -> str:
    return (
        f"what it expects comes from the reference, which has no {operation}; give the result under returns, "
        "or the operation in a reference.py beside the specs"
    )
