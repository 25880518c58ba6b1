"""Draws many calls for a clause, reproducibly: no two are equal, and each has a form of its own as long as there are any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from conformance.cases.draws.choices import Recorder, Rejected, seeded
from conformance.cases.draws.drawing import DrawnCall, draw
from conformance.cases.draws.forms import Key, form_of, key_of
from conformance.cases.draws.survey import survey
from conformance.specification.model import Call, Operation, Rule

MOST_ATTEMPTS = 4
"""The maximum number of attempts per draw: some rules can be broken by a few calls only."""
FEWEST_ATTEMPTS = 100


@dataclass(frozen=True)
class RecordedDraw:
    """A drawn call with its choices, as in ``conformance.strategies.drawn_calls``."""

    drawn: DrawnCall
    choices: Sequence[int]


def draw_many(
    operation: Operation, rule: Rule | None, *, count: int, seed: str, excluded: Iterable[Call] = ()
) -> list[RecordedDraw]:
    """Up to ``count`` different draws, none of which is equal to an excluded call.

    Each family of mutations that break the rule is used in turn.
    """
    generator = seeded(seed)
    families = 0 if rule is None else len(survey(operation).mutations[rule.name])
    keys: set[Key] = {key_of(call) for call in excluded}
    forms: set[Key] = set()
    draws: list[RecordedDraw] = []
    of_known_forms: list[RecordedDraw] = []
    for number in range(count * MOST_ATTEMPTS + FEWEST_ATTEMPTS):
        if len(draws) == count:
            break
        recorded = _draw(operation, rule, generator, (number % families,) if families > 1 else ())
        if recorded is None or key_of(recorded.drawn.call) in keys:
            continue
        keys.add(key_of(recorded.drawn.call))
        form = form_of(recorded.drawn.call)
        (of_known_forms if form in forms else draws).append(recorded)
        forms.add(form)
    return draws + of_known_forms[: count - len(draws)]


def _draw(operation: Operation, rule: Rule | None, generator: Random, first: Sequence[int]) -> RecordedDraw | None:
    """A draw that begins with these choices; None if the others do not lead to one."""
    recorder = Recorder(generator, first)
    try:
        return RecordedDraw(draw(recorder, operation, rule, attempts=1), tuple(recorder.chosen))
    except Rejected:
        return None
