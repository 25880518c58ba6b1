"""Which cases a target runs on which of its APIs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from conformance.cases.model import Agrees, Case, Returns
from conformance.execution.planned import is_planned
from conformance.execution.started import StartedTarget
from conformance.results.records import documents_device
from conformance.worker.frames import Message

Pair = tuple[Case, Message]
"""A case, and the worker's description of an API."""


def pairs_of(cases: Sequence[Case], target: StartedTarget, omitted: Collection[str] = ()) -> list[Pair]:
    """The cases that apply to a target, each with each API of its operation, without those of omitted cases."""
    devices = (None, documents_device(target.record.device, gpu=target.record.gpu))
    return [
        (case, api)
        for case in _harmless_first([case for case in cases if case.id not in omitted])
        for api in target.apis
        if is_planned(case, api["operation"], devices, lacks_kernel=api["lacks_kernel"])
        and target.concerns(case.clause, api)
    ]


def _harmless_first(cases: Sequence[Case]) -> list[Case]:
    """Calls that should raise come last, since a call that does not raise may affect the process and later calls."""
    return sorted(cases, key=lambda case: not isinstance(case.expectation, Returns | Agrees))
