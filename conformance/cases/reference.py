"""The reference adapter in the parent's own process, where it gives the results that no document prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conformance.cases.wire import from_wire, to_wire
from conformance.spec.literals import Tensor
from conformance.spec.model import Call, Operation
from conformance.worker import adapters, calls

Reference = Callable[[Operation, Call], Tensor]
"""The result of a call that keeps every rule; ReferenceFailed where the reference does not return."""


class ReferenceFailed(Exception):
    """The reference raised, or has no such operation."""


def load_reference(path: Path) -> Reference:
    """The reference adapter of a file as a function."""
    adapter = adapters.load(str(path))
    apis = {api.operation: api for api in adapter.apis}

    def run(operation: Operation, call: Call) -> Tensor:
        if operation.name not in apis:
            raise ReferenceFailed(f"the reference ({path.name}) has no {operation.name}")
        outcome, result = calls.run(adapter, apis[operation.name], to_wire(call))
        if result is None:
            error = outcome.get("error", {})
            raise ReferenceFailed(f"the reference {outcome['status']} {error.get('type')}: {error.get('message')}")
        return from_wire(result)

    return run
