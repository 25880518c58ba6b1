"""Which step of a path does what a call does: the framework itself, the exporter, or what runs the exported model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

from conformance.adapter import Api
from conformance.worker import calls
from conformance.worker.adapters import Adapter
from conformance.worker.arguments import Arguments
from conformance.worker.manner import Manner

_EFFECTS = ("status", "changed", "outside")


def step(adapter: Adapter, api: Api, arguments: Arguments, manner: Manner) -> Optional[str]:
    """The step that first does what the path does; None if none does.

    It is ``framework`` if that does the same, ``exporter`` if the exported model does the same in another evaluator, and
    ``runtime`` if the model does there what the framework does.

    Without another evaluator the exported model is run by the framework, so there is no step but the exporter.
    """
    # A result that shares memory with an immutable argument does no harm.
    names = _EFFECTS if adapter.describe().get("immutable") else (*_EFFECTS, "aliased")

    def done(by: Adapter) -> Any:
        outcome, result = calls.run(by, api, arguments, manner)
        effects = [outcome.get(name) for name in names]
        return effects if result is None else (effects, result[1], result[0].shape, result[0].tobytes())

    by_path, by_framework = done(adapter), done(replace(adapter, prepared=None))
    if by_path == by_framework:
        return "framework"
    if adapter.intermediate is None:
        return "exporter"
    evaluated = done(replace(adapter, prepared=adapter.intermediate))
    if evaluated == by_path:
        return "exporter"
    return "runtime" if evaluated == by_framework else None
