"""Draws smaller calls that share the first choices of a draw and are as simple as possible otherwise."""

from __future__ import annotations

import random
from collections.abc import Sequence

from conformance.cases.draws.choices import Recorder, Rejected
from conformance.cases.draws.drawing import DrawnCall, draw
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import Operation, Rule


class _Lowest(random.Random):
    """Always the simplest choice."""

    def random(self) -> float:
        return 0.0


def smaller_draws(
    operation: Operation, rule: Rule | None, choices: Sequence[int]
) -> list[tuple[DrawnCall, Sequence[int]]]:
    """All smaller draws with their choices, the smallest call first."""
    draws: dict[tuple[int, ...], DrawnCall] = {}
    for count in range(len(choices) + 1):
        recorder = Recorder(_Lowest(), choices[:count])
        try:
            drawn = draw(recorder, operation, rule)
        except Rejected:
            continue
        draws.setdefault(tuple(recorder.chosen), drawn)
    original = _size(draws[tuple(choices)].call) if tuple(choices) in draws else None
    smaller = [(drawn, chosen) for chosen, drawn in draws.items() if original is None or _size(drawn.call) < original]
    return sorted(smaller, key=lambda item: _size(item[0].call))


def _size(call: Applied) -> tuple[int, int]:
    """The total numbers of axes and elements of a call."""
    tensors = [value for value in call.arguments.values() if isinstance(value, Tensor)]
    shapes = [value for value in call.arguments.values() if isinstance(value, tuple)]
    return sum(value.rank for value in tensors) + sum(map(len, shapes)), sum(value.array.size for value in tensors)
