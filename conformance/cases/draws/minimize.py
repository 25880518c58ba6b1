"""Draws that have the first choices of a given one in common, and are as simple as can be in the rest."""

from __future__ import annotations

import random
from collections.abc import Sequence

from conformance.cases.draws.choices import Recorder, Rejected
from conformance.cases.draws.plans import Drawn, draw, plan
from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Operation, Rule


class _Lowest(random.Random):
    """Always the simplest choice."""

    def randint(self, a: int, b: int) -> int:  # noqa: ARG002 - the signature is random's
        return a


def simpler(operation: Operation, rule: Rule | None, choices: Sequence[int]) -> list[tuple[Drawn, Sequence[int]]]:
    """Each with its own choices, the smallest call first; those that are no smaller than the given one are left out."""
    found: dict[tuple[int, ...], Drawn] = {}
    for kept in range(len(choices) + 1):
        recorder = Recorder(_Lowest(), choices[:kept])
        try:
            drawn = draw(recorder, operation, rule, plan(recorder, operation, rule))
        except Rejected:
            continue
        found.setdefault(tuple(recorder.chosen), drawn)
    whole = _size(found[tuple(choices)].call) if tuple(choices) in found else None
    smaller = [(drawn, chosen) for chosen, drawn in found.items() if whole is None or _size(drawn.call) < whole]
    return sorted(smaller, key=lambda one: _size(one[0].call))


def _size(call: Call) -> tuple[int, int]:
    """Axes of a call's tensors, and their elements."""
    tensors = [value for value in call.arguments.values() if isinstance(value, Tensor)]
    shapes = [value for value in call.arguments.values() if isinstance(value, tuple)]
    return sum(one.rank for one in tensors) + sum(map(len, shapes)), sum(one.array.size for one in tensors)
