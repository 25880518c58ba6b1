"""Cases whose tensors are views of larger buffers; the expectation is that of the call without views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.cases.vacuous import vacuous
from conformance.cases.variation import Alike, AsView, Turn, taking_turns
from conformance.cases.written import case_of, representative_calls
from conformance.specification.applied import Applied
from conformance.specification.literals import VIEWS, Argument, LiteralError, Tensor, misfit
from conformance.specification.model import Operation
from conformance.specification.problems import Problem


def view_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """``<case>.transposed``, ``.strided`` and so on: representative calls whose tensors are views where possible."""
    yield from taking_turns(operation.name, _views(operation, reference))


def _views(operation: Operation, reference: Reference) -> Iterator[Alike[Case]]:
    """Those with the same view are alike."""
    for clause, written_call, applied in representative_calls(operation):
        try:
            case = case_of(applied, clause, written_call, reference)
        except (LiteralError, ReferenceFailed):
            continue  # reported for the written case
        if isinstance(case.expectation, Returning) and vacuous(case.call, case.expectation) is not None:
            continue
        for view in VIEWS:
            viewed = _viewed(case.call, view)
            if viewed:
                call = case.call.with_arguments(viewed)
                yield Alike(("view", view), partial(_case, case, call, view))


def _case(case: Case, call: Applied, view: str, turn: Turn) -> Case:
    return replace(case, id=f"{case.id}.{view}", call=call, variation=AsView(case.id, view, turn))


def _viewed(call: Applied, view: str) -> dict[str, Argument]:
    return {
        name: replace(value, view=view)
        for name, value in call.arguments.items()
        if isinstance(value, Tensor)
        and "tensor" in call.operation.arguments[name].kinds
        and misfit(view, value.array) is None
    }
