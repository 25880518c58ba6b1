"""Builds cases from draws: invalid calls for each rule on calls, and valid calls for one clause of each operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.cases.draws.cache import DrawsFile, StoredDraws
from conformance.cases.draws.drawing import DrawnCall
from conformance.cases.draws.forms import Key, form_of
from conformance.cases.draws.generate import RecordedDraw, draw_many
from conformance.cases.draws.survey import mutations_to_draw, restore_mutations
from conformance.cases.expectations import Expectation, Returns
from conformance.cases.model import Case, Entry, generated_id
from conformance.cases.policies import policy_outcomes
from conformance.cases.reference import NoReference, Reference, ReferenceFailed
from conformance.cases.variation import Drawn
from conformance.specification.applied import Applied
from conformance.specification.model import Clause, Observed, Operation, Raises, Rule
from conformance.specification.problems import Problem


@dataclass(frozen=True)
class DrawSource:
    """A source of drawn cases: the number and seed of draws, and the folder of their cache."""

    count: int
    """The number of draws for each clause."""
    seed: int
    digest: str
    """The digest of the specs and the reference."""
    folder: Path | None
    """The folder that stores drawn cases for further runs; None to store none."""
    only: frozenset[str] | None = None
    """The operations to draw calls of; None for all."""

    def cases(self, operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
        """The drawn cases of an operation; none if it has no layout."""
        if operation.layout is None or not self.count or (self.only and operation.name not in self.only):
            return
        if self.folder is None:
            yield from self._drawn(operation, reference)
        else:
            yield from self._stored(self.folder, operation, reference)

    def _stored(self, folder: Path, operation: Operation, reference: Reference) -> Sequence[Case | Problem]:
        """The cases of a file, or new ones, which are stored if there is no problem with them."""
        file = DrawsFile(folder, operation, reference, self.digest, self.seed, self.count)
        stored = file.read()
        if stored is not None:
            restore_mutations(operation, stored.mutations)
            return stored.cases
        items = list(self._drawn(operation, reference))
        cases = [item for item in items if isinstance(item, Case)]
        if len(cases) == len(items):
            file.write(StoredDraws(cases, mutations_to_draw(operation)))
        return items

    def _drawn(self, operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
        for clause, rule in drawn_clauses(operation).values():
            forms: dict[Key, int] = {}
            for number, draw in enumerate(self._draws(operation, clause, rule), start=1):
                name = generated_id(clause.id, number)
                form = forms.setdefault(form_of(draw.drawn.call), len(forms) + 1)
                try:
                    broken = clause.rule if draw.drawn.mutation else None
                    yield drawn_case(clause, name, draw.drawn, Drawn(broken, number, form, draw.choices, reference))
                except NoReference:
                    break
                except ReferenceFailed as error:
                    yield Problem(clause.location, f"{name}: {error}")

    def _draws(self, operation: Operation, clause: Clause, rule: Rule | None) -> Sequence[RecordedDraw]:
        return draw_many(
            operation,
            rule,
            count=self.count,
            seed=f"{self.seed} {clause.id}",
            excluded=[written_call.call for written_call in clause.written_calls],
        )


def drawn_clauses(operation: Operation) -> Mapping[str, tuple[Clause, Rule | None]]:
    """By id, the clauses that calls are drawn for, with the rule to break, or None for valid calls."""
    assert operation.layout is not None
    clauses: dict[str, tuple[Clause, Rule | None]] = {}
    for clause in operation.clauses:
        rule = clause.rule
        if rule is not None and rule.require is not None and mutations_to_draw(operation).get(rule.name):
            clauses[clause.id] = (clause, rule)
        elif clause.name == operation.layout.drawn and clause.family in ("rule", "behaviour"):
            clauses[clause.id] = (clause, None)
    return clauses


def drawn_case(clause: Clause, name: str, drawn: DrawnCall, variation: Drawn) -> Case:
    """The case of a draw, with the id ``name``; ReferenceFailed if the reference cannot compute the expected result."""
    reference = variation.reference
    expectation = _expectation(clause, drawn, reference)
    return Case(
        id=name,
        call=drawn.call,
        clause=clause,
        expectation=expectation,
        entry=Entry(clause.location, _note(drawn) if drawn.mutation else None),
        variation=variation,
        control=drawn.control if isinstance(expectation, Raises) else None,
        policies=policy_outcomes(drawn.call, reference)
        if drawn.mutation and (drawn.mutation.of_values or drawn.mutation.of_axis)
        else (),
    )


def _note(drawn: DrawnCall) -> str:
    assert drawn.mutation is not None
    broken = drawn.call.broken_rules if drawn.mutation.is_mistake else ()
    return f"{drawn.mutation}; breaks {', '.join(broken)}" if len(broken) > 1 else str(drawn.mutation)


def _expectation(clause: Clause, drawn: DrawnCall, reference: Reference) -> Expectation:
    if drawn.mutation is not None and clause.rule is not None:
        return _error_of(clause.rule, drawn.call) if drawn.mutation.is_mistake else clause.rule.broken
    return Returns(reference(drawn.call), drawn.call.accumulates)


def _error_of(rule: Rule, call: Applied) -> Raises | Observed:
    """What the rule requires; an error of any type if the call breaks other rules too, which may have other types."""
    others = set(call.broken_rules) - {rule.name}
    return Raises() if others and isinstance(rule.broken, Raises) else rule.broken
