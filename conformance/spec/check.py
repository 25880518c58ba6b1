"""Whether specs are right about themselves: calls keep the rules they should and break no other than they should."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.spec.model import Call, Catalogue, Clause, Operation, Raises, Rule, Trial
from conformance.spec.problems import Problem
from conformance.spec.proofs import check_errata


def check(catalogue: Catalogue) -> list[Problem]:
    """Every contradiction between the rules of an operation and its own calls, and every erratum that is not proven."""
    problems = [
        problem
        for operation in catalogue.operations.values()
        for clause in operation.clauses
        for problem in _clause(operation, clause)
    ]
    return problems + check_errata(catalogue)


def _clause(operation: Operation, clause: Clause) -> Iterator[Problem]:
    # The calls of a law are known where it is evaluated: with the reference, when its cases are made.
    for trial in clause.trials if clause.law is None else ():
        yield from _trial(operation, clause, trial)
    if clause.rule is not None:
        yield from _entailed(operation, clause, clause.rule)


def _trial(operation: Operation, clause: Clause, trial: Trial) -> Iterator[Problem]:
    broken = operation.broken_rules(trial.call)
    rule = clause.rule
    if rule is not None and _is_to_break(rule, trial):
        yield from _breaks(clause, rule, trial, broken)
    elif broken and not isinstance(trial.expected, Raises):
        yield _problem(clause, trial, f"should keep every rule but breaks {_words(broken)}; {_shapes(trial.call)}")
    if trial.mended is not None:
        left = operation.broken_rules(trial.mended)
        if left:
            text = f"its twin, as mended, should keep every rule but breaks {_words(left)}; {_shapes(trial.mended)}"
            yield _problem(clause, trial, text)


def _is_to_break(rule: Rule, trial: Trial) -> bool:
    if trial.name.startswith("found."):
        return rule.require is not None and trial.mended is not None
    return trial.name.startswith("break.")


def _breaks(clause: Clause, rule: Rule, trial: Trial, broken: tuple[str, ...]) -> Iterator[Problem]:
    if rule.name not in broken:
        yield _problem(clause, trial, f"should break {rule.name} but keeps it; {_shapes(trial.call)}")
    more = [name for name in broken if name != rule.name and name not in rule.entails]
    if more:
        text = f"breaks {_words(more)} besides; mend the call, or declare under entails that it must; {_shapes(trial.call)}"
        yield _problem(clause, trial, text)


def _entailed(operation: Operation, clause: Clause, rule: Rule) -> Iterator[Problem]:
    broken = {
        name
        for trial in clause.trials
        if trial.name.startswith("break.")
        for name in operation.broken_rules(trial.call)
    }
    for name in rule.entails:
        if name not in broken:
            text = (
                f"{clause.id}: declares that it entails {name}, but no call that breaks it breaks that too; remove it"
            )
            yield Problem(clause.place, text)


def _problem(clause: Clause, trial: Trial, message: str) -> Problem:
    return Problem(trial.place, f"{clause.id}/{trial.name}: {message}")


def _words(names: Iterable[str]) -> str:
    return ", ".join(names)


def _shapes(call: Call) -> str:
    """The shapes and values that were tried, as messages give them."""
    parts = []
    for name, value in call.arguments.items():
        dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
        parts.append(f"{name}: {dtype} {list(shape)}" if shape is not None else f"{name}: {value!r}")
    return "tried " + ", ".join(parts)
