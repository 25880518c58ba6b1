"""Draws a call that keeps every rule, or one with a mutation that breaks a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.cases.draws.breaking import breaks
from conformance.cases.draws.choices import Choose, Rejected, choose_item
from conformance.cases.draws.elements import fill
from conformance.cases.draws.geometry import DTYPES, draw_geometry
from conformance.cases.draws.mutate import mutate
from conformance.cases.draws.mutations import Mutation
from conformance.cases.draws.single_defect import suited
from conformance.cases.draws.survey import BreakingMutation, mutations_to_draw
from conformance.specification.applied import Applied
from conformance.specification.model import Operation, Rule

ATTEMPTS = 20
"""The maximum number of attempts for a mutated call."""


@dataclass(frozen=True)
class DrawnCall:
    """A drawn call and, if it breaks a rule, its control and mutation."""

    call: Applied
    control: Applied | None = None
    mutation: Mutation | None = None


def draw(
    choose: Choose,
    operation: Operation,
    rule: Rule | None,
    dtypes: Sequence[str] = DTYPES,
    attempts: int = ATTEMPTS,
) -> DrawnCall:
    """A call that breaks the rule, or a valid one if it is None; Rejected if the choices lead to none.

    KeyError if no mutation breaks the rule.
    """
    if rule is None:
        return DrawnCall(fill(choose, operation, draw_geometry(choose, operation, dtypes=dtypes)))
    families = mutations_to_draw(operation)[rule.name]
    candidates = families[choose_item(choose, list(families))]
    for _ in range(attempts):
        try:
            return _mutated(choose, operation, rule, choose_item(choose, candidates), dtypes)
        except Rejected:
            continue
    raise Rejected


def _mutated(
    choose: Choose, operation: Operation, rule: Rule, breaking: BreakingMutation, dtypes: Sequence[str]
) -> DrawnCall:
    mutation = breaking.mutation
    geometry = suited(operation, draw_geometry(choose, operation, breaking.profile, dtypes), mutation)
    control = fill(choose, operation, geometry)
    call = mutate(choose, mutation, geometry, control)
    if not breaks(rule, mutation, call, call.broken_rules):
        raise Rejected
    return DrawnCall(call, control, mutation)
