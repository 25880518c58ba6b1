"""Many draws for one clause, always the same for a seed: many values over few forms, as a compiled mode pays for each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from conformance.cases.draws.choices import Recorder, Rejected, seeded
from conformance.cases.draws.plans import ATTEMPTS, Drawn, Plan, draw, plan, survey
from conformance.specification.model import Operation, Rule


@dataclass(frozen=True)
class Kept:
    """A draw with the choices that lead to it, as ``conformance.strategies.drawn_calls`` makes them."""

    drawn: Drawn
    choices: Sequence[int]


@dataclass(frozen=True)
class Form:
    """A plan that several draws share, with the choices that lead to it."""

    plan: Plan
    choices: tuple[int, ...]


def draw_many(operation: Operation, rule: Rule | None, *, count: int, seed: str) -> list[Kept]:
    """So many different draws, or all that were found where there are fewer.

    They have as many forms (shapes, dtypes, and what is changed) as the square root of their number, or as there are
    families of changes that break the rule.
    """
    forms = list(_forms(operation, rule, _form_count(operation, rule, count), seed))
    found: dict[tuple[int, ...], Kept] = {}
    for number in range(count * 2):
        if len(found) == count or not forms:
            break
        kept = _one(operation, rule, seeded(f"{seed} {number}"), forms[number % len(forms)])
        if kept is not None:
            found.setdefault(tuple(kept.choices), kept)
    return list(found.values())


def _form_count(operation: Operation, rule: Rule | None, count: int) -> int:
    families = 0 if rule is None else len(survey(operation).ways[rule.name])
    return min(count, max(families, math.ceil(math.sqrt(count))))


def _forms(operation: Operation, rule: Rule | None, count: int, seed: str) -> Iterator[Form]:
    for number in range(count):
        generator = seeded(f"{seed} form {number}")
        for _ in range(ATTEMPTS):
            recorder = Recorder(generator, _first(operation, rule, number))
            try:
                yield Form(plan(recorder, operation, rule), tuple(recorder.chosen))
            except Rejected:
                continue
            break


def _first(operation: Operation, rule: Rule | None, number: int) -> tuple[int, ...]:
    """The first choice of a form that breaks a rule is the family of the change, and each family has its turn."""
    families = 0 if rule is None else len(survey(operation).ways[rule.name])
    return (number % families,) if families > 1 else ()


def _one(operation: Operation, rule: Rule | None, generator: Random, form: Form) -> Kept | None:
    for _ in range(ATTEMPTS):
        recorder = Recorder(generator)
        recorder.chosen += form.choices
        try:
            return Kept(draw(recorder, operation, rule, form.plan), tuple(recorder.chosen))
        except Rejected:
            continue
    return None
