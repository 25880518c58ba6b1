"""Cases from draws: for each rule on calls some that break it, for one clause of each operation some that are valid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.cases.draws.cache import Draws, cache_file, read_draws, write_draws
from conformance.cases.draws.generate import draw_many
from conformance.cases.draws.plans import Drawn, survey
from conformance.cases.model import Case, Expectation, Origin, Returns, generated_id
from conformance.cases.policies import policy_outcomes
from conformance.cases.reference import NoReference, Reference, ReferenceFailed
from conformance.specification.model import Clause, Operation, Raises, Rule, WrittenCall
from conformance.specification.problems import Problem


@dataclass(frozen=True)
class Drawing:
    """How many draws are asked for, and where they are kept."""

    count: int
    """For each clause that is drawn for."""
    seed: int
    digest: str
    """Of the specs."""
    folder: Path | None
    """Where draws are kept for the next run; None to keep none."""
    only: frozenset[str] | None = None
    """The operations to draw for; None for all."""

    def cases(self, operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
        """A source of cases; of an operation without a layout there are none."""
        if operation.layout is None or not self.count or (self.only and operation.name not in self.only):
            return
        draws = self.draws(operation)
        for clause in operation.clauses:
            for number, kept in enumerate(draws.get(clause.id, ()), start=1):
                name = generated_id(clause.id, number)
                try:
                    origin = Origin(clause.rule if kept.drawn.change else None, number, kept.choices, reference)
                    yield drawn_case(operation, clause, name, kept.drawn, origin)
                except NoReference:
                    break
                except ReferenceFailed as error:
                    yield Problem(clause.location, f"{name}: {error}")

    def draws(self, operation: Operation) -> Draws:
        """The draws of an operation: those that are kept, or new ones."""
        if self.folder is None:
            return self._new(operation)
        file = cache_file(self.folder, operation.name, digest=self.digest, seed=self.seed, count=self.count)
        draws = read_draws(file)
        if draws is None:
            draws = self._new(operation)
            write_draws(file, draws)
        return draws

    def _new(self, operation: Operation) -> Draws:
        return {
            clause.id: draw_many(operation, rule, count=self.count, seed=f"{self.seed} {clause.id}")
            for clause, rule in drawn_clauses(operation).values()
        }


def drawn_clauses(operation: Operation) -> Mapping[str, tuple[Clause, Rule | None]]:
    """By id, the clauses that draws are cases of: with the rule that they break, or None where they keep all."""
    assert operation.layout is not None
    found: dict[str, tuple[Clause, Rule | None]] = {}
    for clause in operation.clauses:
        rule = clause.rule
        if rule is not None and rule.require is not None and survey(operation).ways.get(rule.name):
            found[clause.id] = (clause, rule)
        elif clause.name == operation.layout.drawn and clause.family in ("rule", "behaviour"):
            found[clause.id] = (clause, None)
    return found


def drawn_case(operation: Operation, clause: Clause, name: str, drawn: Drawn, origin: Origin) -> Case:
    """The case of a draw, with the id ``name``; ReferenceFailed where the reference does not give what is expected."""
    reference = origin.reference
    expectation = _expectation(operation, clause, drawn, reference)
    written = WrittenCall(
        name=name,
        call=drawn.call,
        expected=None,
        fixed=drawn.control if isinstance(expectation, Raises) else None,
        note=str(drawn.change) if drawn.change else None,
        location=clause.location,
        breaks=drawn.change is not None,
        provenance="generated",
    )
    return Case(
        id=name,
        operation=operation,
        clause=clause,
        written=written,
        expectation=expectation,
        policies=policy_outcomes(operation, drawn.call, reference) if drawn.change and drawn.change.of_values else (),
        origin=origin,
    )


def _expectation(operation: Operation, clause: Clause, drawn: Drawn, reference: Reference) -> Expectation:
    if drawn.control is not None and clause.rule is not None:
        return clause.rule.broken
    accumulates = bool(operation.result_accumulates.value(operation.values(drawn.call)))
    return Returns(reference(operation, drawn.call), None, accumulates, "reference")
