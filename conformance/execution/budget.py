"""What a run leaves out on a target whose mode is expensive: some draws, dtypes and views, never what a spec writes down."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.cases.model import Case
from conformance.specification.literals import Tensor

EXPENSIVE = 0.01
"""Seconds that a call of a new shape takes in a mode from which on the mode is expensive."""
SECONDS_OF_DRAWS = 0.5
"""For the draws of one clause on one API, in a expensive mode."""
DTYPES = frozenset({"float32", "int64"})
"""Dtypes of the derived cases that a expensive mode is tried on: what is written down comes in others too."""
VIEW = "strided"
"""The view of the derived cases that a expensive mode is tried on: no axis is dense, and there are gaps to write into."""


def is_expensive(cost: float) -> bool:
    """Whether a mode is expensive in which a call of a new shape takes ``cost`` seconds."""
    return cost >= EXPENSIVE


def most_draws(cost: float) -> int:
    """Draws of each clause that a expensive mode is tried on."""
    return max(1, int(SECONDS_OF_DRAWS / cost))


def left_out(cases: Iterable[Case], cost: float) -> dict[str, list[Case]]:
    """The cases that a mode of this cost is not tried on, by what sets them apart: ``draws``, ``dtypes`` and ``views``.

    A case is left out for what it is alone, so that every part of a run leaves out the same.
    """
    found: dict[str, list[Case]] = {}
    for case in cases if is_expensive(cost) else ():
        why = _why(case, cost)
        if why is not None:
            found.setdefault(why, []).append(case)
    return found


def _why(case: Case, cost: float) -> str | None:
    if case.origin is not None:
        return "draws" if case.origin.number > most_draws(cost) else None
    if case.provenance != "derived":
        return None
    tensors = {name: value for name, value in case.call.arguments.items() if isinstance(value, Tensor)}
    dtypes = {tensors[name].dtype for name in case.about_dtype}
    if dtypes:
        return "dtypes" if not dtypes <= DTYPES else None
    views = {value.view for value in tensors.values() if value.view is not None}
    return "views" if views and views != {VIEW} else None
