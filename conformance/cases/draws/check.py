"""Checks with drawn calls that the rules of an operation can be kept, and broken one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.cases.draws.survey import Survey, survey
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import Catalogue, Clause, Operation, Rule
from conformance.specification.problems import Problem

MOST_CALLS = 3
"""The maximum number of calls in a message."""


def check_draws(catalogue: Catalogue) -> list[Problem]:
    """All rules that no drawn call keeps, or that none breaks without breaking others."""
    return [
        problem
        for operation in catalogue.operations.values()
        if operation.layout is not None
        for problem in _operation(operation)
        if problem.clause not in catalogue.gaps.clauses
    ]


def _operation(operation: Operation) -> Iterator[Problem]:
    result = survey(operation)
    clauses = {
        clause.rule.name: clause
        for clause in operation.clauses
        if clause.rule and clause.rule.require and not clause.only_documented
    }
    if not result.valid:
        yield from _never_valid(operation, clauses, result)
        return
    for clause in clauses.values():
        assert clause.rule is not None
        if clause.rule.name not in result.breaking_only and not _is_broken_as_written(operation, clause, clause.rule):
            yield Problem(clause.location, f"{clause.id}: {_never_isolated(clause.rule, result)}", clause.id)


def _never_valid(operation: Operation, clauses: dict[str, Clause], result: Survey) -> Iterator[Problem]:
    if not result.invalid:
        yield Problem(
            operation.location,
            f"{operation.name}: no call satisfies axes, layout and distinct; allow more or longer axes",
        )
    for name in sorted({name for invalid in result.invalid for name in invalid.rules}):
        calls = [invalid.call for invalid in result.invalid if name in invalid.rules]
        if len(calls) == len(result.invalid):
            text = f"no drawn call keeps it; fix the rule or the layout; {_tried(calls)}"
            yield Problem(clauses[name].location, f"{clauses[name].id}: {text}", clauses[name].id)


def _never_isolated(rule: Rule, result: Survey) -> str:
    breaking = result.breaking.get(rule.name, [])
    if not breaking:
        return f"no drawn call breaks it; {_tried(result.valid)}"
    always = sorted(set.intersection(*(set(invalid.rules) - {rule.name, *rule.implies} for invalid in breaking)))
    if always:
        text = f"every drawn call that breaks it also breaks {', '.join(always)}, which it does not list under implies"
    else:
        text = "every drawn call that breaks it also breaks rules not listed under implies"
    return f"{text}; {_tried([invalid.call for invalid in breaking])}"


def _is_broken_as_written(operation: Operation, clause: Clause, rule: Rule) -> bool:
    """Whether a written call breaks the rule and no others except those that it implies."""
    written = (
        Applied(operation, written_call.call).broken_rules
        for written_call in clause.written_calls
        if written_call.breaks
    )
    return any(rule.name in broken and {rule.name, *rule.implies}.issuperset(broken) for broken in written)


def _tried(calls: Sequence[Applied]) -> str:
    """The shapes of the smallest calls, for messages."""
    smallest = sorted(calls, key=_size)[:MOST_CALLS]
    return "tried " + "; ".join(", ".join(_argument(*item) for item in call.arguments.items()) for call in smallest)


def _size(call: Applied) -> int:
    return sum(value.array.size + value.rank for value in call.arguments.values() if isinstance(value, Tensor))


def _argument(name: str, value: object) -> str:
    return f"{name}: {value.dtype} {list(value.shape)}" if isinstance(value, Tensor) else f"{name}: {value!r}"
