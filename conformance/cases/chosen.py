"""The written calls from which others are derived: every worked example and a few valid calls of each operation."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.spec.model import Clause, Operation, Printed, Trial

MOST_RULES, MOST_BEHAVIOURS = 3, 2
"""Rules and behaviours of an operation of which the first valid call is taken."""
_ABOUT_DTYPES = (".dtype", ".kind")


def chosen_calls(operation: Operation) -> Iterator[tuple[Clause, Trial]]:
    """Written calls that return something in particular, each with its clause."""
    left = {"example": len(operation.clauses), "rule": MOST_RULES, "behaviour": MOST_BEHAVIOURS}
    for clause in operation.clauses:
        found = None if _is_about_dtypes(clause) else _first_valid(operation, clause)
        if found is not None and left.get(clause.family, 0):
            left[clause.family] -= 1
            yield clause, found


def _first_valid(operation: Operation, clause: Clause) -> Trial | None:
    return next((trial for trial in clause.trials if _is_valid(operation, trial)), None)


def _is_valid(operation: Operation, trial: Trial) -> bool:
    gives = trial.expected is None or isinstance(trial.expected, Printed)
    plain = trial.device is None and not trial.about_dtype
    return gives and plain and not operation.broken_rules(trial.call)


def _is_about_dtypes(clause: Clause) -> bool:
    if clause.rule is None:
        return False
    expression = clause.rule.require or clause.rule.ensure
    return expression is not None and any(part in expression.text for part in _ABOUT_DTYPES)
