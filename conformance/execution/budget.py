"""The cases to skip in an expensive mode: some draws, dtypes and views, but never a case written in a spec."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.cases.model import Case
from conformance.specification.literals import Tensor

EXPENSIVE = 0.01
"""Seconds per call of a new shape from which a mode is expensive."""
SECONDS_OF_DRAWS = 0.5
"""Time for the forms of the draws of one clause on one API in an expensive mode."""
DTYPES = frozenset({"float32", "int64"})
"""Dtypes of the derived cases that run in an expensive mode."""
VIEW = "strided"
"""The view of the derived cases that run in an expensive mode: no axis is dense, and there are gaps to write into."""


def is_expensive(cost: float) -> bool:
    """Whether a mode is expensive whose calls of a new shape take ``cost`` seconds."""
    return cost >= EXPENSIVE


def most_forms(cost: float) -> int:
    """Maximum number of forms of the draws of a clause in an expensive mode, which compiles each."""
    return max(1, int(SECONDS_OF_DRAWS / cost))


def form_count(cases: Iterable[Case], cost: float) -> int | None:
    """The number of forms of the draws among cases to run; None in a mode that is not expensive, or without draws."""
    forms = {(case.clause.id, case.origin.form) for case in cases if case.origin is not None}
    return len(forms) if is_expensive(cost) and forms else None


def left_out(cases: Iterable[Case], cost: float) -> dict[str, list[Case]]:
    """The cases to skip in a mode of this cost, by what they vary: ``draws``, ``dtypes`` and ``views``.

    This depends on each case only, so that all shards of a run skip the same cases.
    """
    skipped: dict[str, list[Case]] = {}
    for case in cases if is_expensive(cost) else ():
        reason = _reason(case, cost)
        if reason is not None:
            skipped.setdefault(reason, []).append(case)
    return skipped


def _reason(case: Case, cost: float) -> str | None:
    if case.origin is not None:
        return "draws" if case.origin.form > most_forms(cost) else None
    if case.provenance != "derived":
        return None
    tensors = {name: value for name, value in case.call.arguments.items() if isinstance(value, Tensor)}
    dtypes = {tensors[name].dtype for name in case.about_dtype}
    if dtypes:
        return "dtypes" if not dtypes <= DTYPES else None
    views = {value.view for value in tensors.values() if value.view is not None}
    return "views" if views and views != {VIEW} else None
