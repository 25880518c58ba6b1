"""Selects the written calls from which cases are derived: all worked examples and a few valid calls."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.specification.applied import Applied
from conformance.specification.model import Clause, Operation, Printed, WrittenCall

MOST_RULES, MOST_BEHAVIOURS = 3, 2
"""The maximum numbers of rules and behaviours of an operation that provide their first valid call."""
_ABOUT_DTYPES = (".dtype", ".kind")


def representative_calls(operation: Operation) -> Iterator[tuple[Clause, WrittenCall, Applied]]:
    """Valid written calls with a definite result, with their clauses, and applied."""
    remaining = {"example": len(operation.clauses), "rule": MOST_RULES, "behaviour": MOST_BEHAVIOURS}
    for clause in operation.clauses:
        found = None if _is_about_dtypes(clause) else _first_valid(operation, clause)
        if found is not None and remaining.get(clause.family, 0):
            remaining[clause.family] -= 1
            yield clause, *found


def _first_valid(operation: Operation, clause: Clause) -> tuple[WrittenCall, Applied] | None:
    calls = ((written_call, Applied(operation, written_call.call)) for written_call in clause.written_calls)
    return next((found for found in calls if _is_valid(*found)), None)


def _is_valid(written_call: WrittenCall, call: Applied) -> bool:
    returns = written_call.expected is None or isinstance(written_call.expected, Printed)
    unconditional = written_call.device is None and not written_call.about_dtype
    return returns and unconditional and not call.broken_rules


def _is_about_dtypes(clause: Clause) -> bool:
    if clause.rule is None:
        return False
    expression = clause.rule.require or clause.rule.ensure
    return expression is not None and any(part in expression.text for part in _ABOUT_DTYPES)
