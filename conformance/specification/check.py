"""Checks that specs are consistent: each call keeps, or breaks, exactly the rules that it declares."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.specification.model import Call, Catalogue, Clause, Operation, Raises, Rule, WrittenCall
from conformance.specification.problems import Problem, SpecError, listed
from conformance.specification.proofs import check_errata
from conformance.specification.sole_fault import other_faults


def check(catalogue: Catalogue) -> list[Problem]:
    """All contradictions between the rules of an operation and its calls, and all errata without a valid proof."""
    problems: list[Problem] = []
    for operation in catalogue.operations.values():
        for clause in operation.clauses:
            try:
                problems += _clause(operation, clause, complete=clause.id not in catalogue.gaps.clauses)
            except SpecError as error:  # an expression exceeds a limit, and other clauses evaluate it too
                problems += [problem for problem in error.problems if problem not in problems]
    return problems + check_errata(catalogue)


def _clause(operation: Operation, clause: Clause, *, complete: bool) -> Iterator[Problem]:
    # The calls of a relation are only known when the reference evaluates it.
    for written_call in clause.written_calls if clause.relation is None else ():
        yield from _written_call(operation, clause, written_call)
    if clause.rule is not None and complete:
        yield from _implied(operation, clause, clause.rule)


def _written_call(operation: Operation, clause: Clause, written_call: WrittenCall) -> Iterator[Problem]:
    broken = operation.broken_rules(written_call.call)
    if clause.rule is not None and written_call.breaks:
        yield from _breaks(clause, clause.rule, written_call, broken)
    elif broken and not isinstance(written_call.expected, Raises) and not clause.only_documented:
        yield _problem(
            clause, written_call, f"should keep every rule, but breaks {listed(broken)}; {_shapes(written_call.call)}"
        )
    if written_call.breaks or isinstance(written_call.expected, Raises):
        for message in other_faults(operation, written_call):
            yield _problem(clause, written_call, f"{message}; {_shapes(written_call.call)}")
    if written_call.fixed is not None:
        broken = operation.broken_rules(written_call.fixed)
        if broken:
            text = f"its control should keep every rule, but breaks {listed(broken)}; {_shapes(written_call.fixed)}"
            yield _problem(clause, written_call, text)


def _breaks(clause: Clause, rule: Rule, written_call: WrittenCall, broken: tuple[str, ...]) -> Iterator[Problem]:
    if rule.name not in broken:
        yield _problem(clause, written_call, f"should break {rule.name}, but keeps it; {_shapes(written_call.call)}")
    undeclared = [name for name in broken if name != rule.name and name not in rule.implies]
    if undeclared:
        names = listed(undeclared)
        text = f"also breaks {names}; change the call, or list {names} under implies if that cannot be avoided"
        yield _problem(clause, written_call, f"{text}; {_shapes(written_call.call)}")


def _implied(operation: Operation, clause: Clause, rule: Rule) -> Iterator[Problem]:
    broken = {
        name
        for written_call in clause.written_calls
        if written_call.breaks
        for name in operation.broken_rules(written_call.call)
    }
    known = {rule.name for rule in operation.rules}
    for name in rule.implies:
        if name in known and name not in broken:
            text = f"{clause.id}: lists {name} under implies, but no call breaks both; remove it"
            yield Problem(clause.location, text, clause.id)


def _problem(clause: Clause, written_call: WrittenCall, message: str) -> Problem:
    case = f"{clause.id}/{written_call.name}"
    return Problem(written_call.location, f"{case}: {message}", clause.id, case)


def _shapes(call: Call) -> str:
    """The shapes and values of a call, for messages."""
    parts = []
    for name, value in call.arguments.items():
        dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
        parts.append(f"{name}: {dtype} {list(shape)}" if shape is not None else f"{name}: {value!r}")
    return "tried " + ", ".join(parts)
