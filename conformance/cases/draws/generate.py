"""Draws many calls for a clause, reproducibly: many values with few forms, as a compiled mode compiles each form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from conformance.cases.draws.choices import Recorder, Rejected, seeded
from conformance.cases.draws.plans import ATTEMPTS, DrawnCall, Plan, draw, plan, survey
from conformance.specification.model import Operation, Rule


@dataclass(frozen=True)
class RecordedDraw:
    """A drawn call with its choices, as in ``conformance.strategies.drawn_calls``."""

    drawn: DrawnCall
    choices: Sequence[int]


@dataclass(frozen=True)
class Form:
    """A plan that several draws share, with its choices."""

    plan: Plan
    choices: tuple[int, ...]


def draw_many(operation: Operation, rule: Rule | None, *, count: int, seed: str) -> list[RecordedDraw]:
    """Up to ``count`` different draws.

    The number of their forms (shapes, dtypes and mutations) is the square root of ``count``, or the number of families of
    mutations that break the rule if that is larger.
    """
    forms = list(_forms(operation, rule, _form_count(operation, rule, count), seed))
    draws: dict[tuple[int, ...], RecordedDraw] = {}
    for number in range(count * 2):
        if len(draws) == count or not forms:
            break
        draw = _draw(operation, rule, seeded(f"{seed} {number}"), forms[number % len(forms)])
        if draw is not None:
            draws.setdefault(tuple(draw.choices), draw)
    return list(draws.values())


def _family_count(operation: Operation, rule: Rule | None) -> int:
    return 0 if rule is None else len(survey(operation).mutations[rule.name])


def _form_count(operation: Operation, rule: Rule | None, count: int) -> int:
    return min(count, max(_family_count(operation, rule), math.ceil(math.sqrt(count))))


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
    """The initial choices of a form: of the family of mutations, taking each family in turn."""
    families = _family_count(operation, rule)
    return (number % families,) if families > 1 else ()


def _draw(operation: Operation, rule: Rule | None, generator: Random, form: Form) -> RecordedDraw | None:
    for _ in range(ATTEMPTS):
        recorder = Recorder(generator)
        recorder.chosen += form.choices
        try:
            return RecordedDraw(draw(recorder, operation, rule, form.plan), tuple(recorder.chosen))
        except Rejected:
            continue
    return None
