"""Whether the rules of an operation can be kept, and broken one at a time, shown by calls drawn from its layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.cases.draws.plans import Survey, survey
from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Catalogue, Clause, Operation, Rule
from conformance.specification.problems import Problem

SHOWN = 3
"""Calls that a message gives the shapes of."""


def check_draws(catalogue: Catalogue) -> list[Problem]:
    """What drawn calls show of rules: that none keeps them, or that none breaks them alone."""
    return [
        problem
        for operation in catalogue.operations.values()
        if operation.layout is not None
        for problem in _operation(operation)
        if problem.clause not in catalogue.gaps.clauses
    ]


def _operation(operation: Operation) -> Iterator[Problem]:
    found = survey(operation)
    clauses = {clause.rule.name: clause for clause in operation.clauses if clause.rule and clause.rule.require}
    if not found.valid:
        yield from _never_valid(operation, clauses, found)
        return
    for clause in clauses.values():
        assert clause.rule is not None
        if clause.rule.name not in found.alone and not _is_broken_as_written(operation, clause, clause.rule):
            yield Problem(clause.location, f"{clause.id}: {_never_alone(clause.rule, found)}", clause.id)


def _never_valid(operation: Operation, clauses: dict[str, Clause], found: Survey) -> Iterator[Problem]:
    if not found.invalid:
        yield Problem(
            operation.location, f"{operation.name}: no call fits axes, layout and distinct; allow more or longer axes"
        )
    for name in sorted({name for one in found.invalid for name in one.rules}):
        calls = [one.call for one in found.invalid if name in one.rules]
        if len(calls) == len(found.invalid):
            text = f"no call of the layout keeps it; fix the rule or the layout; {_tried(calls)}"
            yield Problem(clauses[name].location, f"{clauses[name].id}: {text}", clauses[name].id)


def _never_alone(rule: Rule, found: Survey) -> str:
    broken = found.breaks.get(rule.name, [])
    if not broken:
        return f"no drawn call breaks it; {_tried(found.valid)}"
    besides = [set(one.rules) - {rule.name, *rule.implies} for one in broken]
    always = sorted(set.intersection(*besides))
    if always:
        said = f"no drawn call breaks it without breaking {', '.join(always)}, which it does not declare under implies"
    else:
        said = "no drawn call breaks it and nothing but what it declares under implies"
    return f"{said}; {_tried([one.call for one in broken])}"


def _is_broken_as_written(operation: Operation, clause: Clause, rule: Rule) -> bool:
    """Whether a call in the spec shows what draws could not."""
    written = (
        operation.broken_rules(written_call.call) for written_call in clause.written_calls if written_call.breaks
    )
    return any(rule.name in broken and {rule.name, *rule.implies}.issuperset(broken) for broken in written)


def _tried(calls: Sequence[Call]) -> str:
    """The smallest of some calls by their shapes, as messages give them."""
    first = sorted(calls, key=_size)[:SHOWN]
    return "tried " + "; ".join(", ".join(_argument(*item) for item in call.arguments.items()) for call in first)


def _size(call: Call) -> int:
    return sum(value.array.size + value.rank for value in call.arguments.values() if isinstance(value, Tensor))


def _argument(name: str, value: object) -> str:
    return f"{name}: {value.dtype} {list(value.shape)}" if isinstance(value, Tensor) else f"{name}: {value!r}"
