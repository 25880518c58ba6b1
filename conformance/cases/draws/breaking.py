"""Which rule a mutated call is drawn for: it must be the reason why the call is invalid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.cases.draws.elements import as_tensor
from conformance.cases.draws.mutations import Mutation
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import Operation, Raises, Rule


def breaks(rule: Rule, mutation: Mutation, call: Applied, broken: Sequence[str]) -> bool:
    """Whether a mutated call, which breaks the rules named ``broken``, is a call to draw for this rule.

    A mistake may break several rules, and belongs to one of them. Any other mutation breaks the rule alone, with those
    that it implies. No index is out of bounds unless the rule is about that, because it could cause the error.
    """
    if rule.name not in broken or not _is_false(rule, call):
        return False
    if mutation.is_mistake:
        return responsible(call.operation, broken) is rule and _is_in_bounds(mutation, call)
    return {rule.name, *rule.implies}.issuperset(broken) and _is_in_bounds(mutation, call)


def responsible(operation: Operation, broken: Sequence[str]) -> Rule:
    """Of several broken rules, the first that requires an error; if none does, the first."""
    rules = [rule for rule in operation.rules if rule.name in broken]
    return next((rule for rule in rules if isinstance(rule.broken, Raises)), rules[0])


def _is_false(rule: Rule, call: Applied) -> bool:
    """Whether the rule is false; a rule that cannot be evaluated does not count, as the call has another defect."""
    try:
        return rule.require is not None and not rule.require.value(call.values)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False


def _is_in_bounds(mutation: Mutation, call: Applied) -> bool:
    geometries = list(call.geometries.values())
    if mutation.of_values or all(geometry.inside.all() for geometry in geometries):
        return True
    if mutation.kind == "of-negative-length" and isinstance(call.arguments[mutation.target], int):
        return True  # no index is inside if the number of positions is negative
    # Along another axis an index may be out of bounds, if that is the only reason.
    fits = mutation.of_axis and all(geometry.fits for geometry in geometries)
    return fits and not _with_indices_of_zero(call).broken_rules


def _with_indices_of_zero(call: Applied) -> Applied:
    return call.with_arguments(
        {
            name: as_tensor(value.dtype, np.zeros(value.shape))
            for name, value in call.arguments.items()
            if isinstance(value, Tensor) and call.operation.arguments[name].index
        }
    )
