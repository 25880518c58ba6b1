"""Draws many calls for a clause, reproducibly: no two are equal, and each has a form of its own as long as there are any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

from conformance.cases.draws.choices import Recorder, Rejected, seeded
from conformance.cases.draws.drawing import DrawnCall, draw
from conformance.cases.draws.forms import Key, form_of, key_of
from conformance.cases.draws.survey import mutations_to_draw
from conformance.specification.model import Call, Operation, Rule

MOST_ATTEMPTS = 4
"""The maximum number of attempts per draw: some rules can be broken by a few calls only."""
FEWEST_ATTEMPTS = 100
ATTEMPTS_OF_FAMILY = 5
"""The maximum number of attempts before it is the turn of the next family of mutations."""


@dataclass(frozen=True)
class RecordedDraw:
    """A drawn call with its choices, as in ``conformance.strategies.drawn_calls``."""

    drawn: DrawnCall
    choices: Sequence[int]


def draw_many(
    operation: Operation, rule: Rule | None, *, count: int, seed: str, excluded: Iterable[Call] = ()
) -> list[RecordedDraw]:
    """Up to ``count`` different draws, none of which is equal to an excluded call.

    All families of mutations that break the rule take turns, so that many draws contain each of them equally often.
    """
    generator = seeded(seed)
    families = _in_turn(operation, rule)
    keys: set[Key] = {key_of(call) for call in excluded}
    forms: set[Key] = set()
    draws: list[RecordedDraw] = []
    of_known_forms: list[RecordedDraw] = []
    for number in range(count * MOST_ATTEMPTS + FEWEST_ATTEMPTS):
        if len(draws) == count:
            break
        first = (families[number % len(families)],) if len(families) > 1 else ()
        recorded = _draw(operation, rule, generator, first)
        if recorded is None or key_of(recorded.drawn.call) in keys:
            continue
        keys.add(key_of(recorded.drawn.call))
        form = form_of(recorded.drawn.call)
        (of_known_forms if form in forms else draws).append(recorded)
        forms.add(form)
    return draws + of_known_forms[: count - len(draws)]


def _in_turn(operation: Operation, rule: Rule | None) -> list[int]:
    """The numbers of the families of mutations; mistakes alternate with others, so that few draws contain some too."""
    if rule is None:
        return []
    families = mutations_to_draw(operation)[rule.name].values()
    mistakes = [number for number, (first, *_) in enumerate(families) if first.mutation.is_mistake]
    others = [number for number in range(len(families)) if number not in mistakes]
    pairs = zip_longest(others, mistakes)
    return [number for pair in pairs for number in pair if number is not None]


def _draw(operation: Operation, rule: Rule | None, generator: Random, first: Sequence[int]) -> RecordedDraw | None:
    """A draw that begins with these choices; None if no attempt leads to one."""
    for _ in range(ATTEMPTS_OF_FAMILY):
        recorder = Recorder(generator, first)
        try:
            drawn = draw(recorder, operation, rule, attempts=1)
        except Rejected:
            continue
        # A draw has more choices than elements: as Python integers they would use most of the memory of a run.
        return RecordedDraw(drawn, tuple(recorder.chosen))
    return None
