"""The written calls from which others are derived: every worked example and a few valid calls of each operation."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.specification.model import Clause, Operation, Printed, WrittenCall

MOST_RULES, MOST_BEHAVIOURS = 3, 2
"""Rules and behaviours of an operation of which the first valid call is taken."""
_ABOUT_DTYPES = (".dtype", ".kind")


def chosen_calls(operation: Operation) -> Iterator[tuple[Clause, WrittenCall]]:
    """Written calls that return something in particular, each with its clause."""
    left = {"example": len(operation.clauses), "rule": MOST_RULES, "behaviour": MOST_BEHAVIOURS}
    for clause in operation.clauses:
        found = None if _is_about_dtypes(clause) else _first_valid(operation, clause)
        if found is not None and left.get(clause.family, 0):
            left[clause.family] -= 1
            yield clause, found


def _first_valid(operation: Operation, clause: Clause) -> WrittenCall | None:
    return next((written_call for written_call in clause.written_calls if _is_valid(operation, written_call)), None)


def _is_valid(operation: Operation, written_call: WrittenCall) -> bool:
    gives = written_call.expected is None or isinstance(written_call.expected, Printed)
    plain = written_call.device is None and not written_call.about_dtype
    return gives and plain and not operation.broken_rules(written_call.call)


def _is_about_dtypes(clause: Clause) -> bool:
    if clause.rule is None:
        return False
    expression = clause.rule.require or clause.rule.ensure
    return expression is not None and any(part in expression.text for part in _ABOUT_DTYPES)
