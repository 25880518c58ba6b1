"""Portability divergences by what they mean for somebody who ports a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.findings.findings import Finding
from conformance.judging.vocabulary import Behaviour, Divergence
from conformance.reports.statistics import word_of
from conformance.reports.text import counted, one_line
from conformance.results.records import ResultRecord

MOST_LINES = 10
"""Lines of the section; ``-v`` shows all."""

_OUT_OF_BOUNDS: Mapping[Behaviour, str] = {
    "ignores": "skips an index out of bounds",
    "stops": "skips an index out of bounds and all after it",
    "clamps": "clamps an index out of bounds",
    "wraps-negative": "counts a negative index from the end",
    "wraps-modulo": "wraps an index out of bounds around",
    "fills": "reads a fill value for an index out of bounds",
}
_MEANINGS: Mapping[Divergence, str] = {
    "contaminated": "depends on earlier calls",
    "unstable": "does not give the same result each time",
    "rejected": "rejects calls that others take",
    "accepted": "takes calls that others reject",
    "value": "returns other values",
    "shape": "returns another shape",
    "dtype": "returns another dtype",
    "error-type": "raises another type of error",
    "input-changed": "changes an argument",
    "aliased": "returns memory of an argument",
}
"""Kinds of divergence, the first of which names a result."""


@dataclass(frozen=True)
class Meaning:
    """The divergences of a target that mean the same to somebody who ports a model to it."""

    target: str
    text: str
    findings: Sequence[Finding]

    @property
    def cases(self) -> int:
        return sum(len(finding.results) for finding in self.findings)

    @property
    def line(self) -> str:
        """``clamps an index out of bounds: jax.lax.gather and 3 more APIs, 7 cases``."""
        first, *others = dict.fromkeys(finding.api for finding in self.findings)
        more = f" and {counted(len(others), 'more API')}" if others else ""
        return f"{self.text}: {one_line(first)}{more}, {counted(self.cases, 'result')}"

    @property
    def example(self) -> str:
        """The first clause with its explanation."""
        first = self.findings[0].first
        return f"e.g. {one_line(first.clause)}: {one_line(first.explanation or word_of(first), 160)}"


def meanings(findings: Sequence[Finding]) -> list[Meaning]:
    """The most frequent of each target first, targets in their order."""
    members: dict[str, dict[str, list[Finding]]] = {}
    for finding in findings:
        members.setdefault(finding.target, {}).setdefault(_meaning(finding.first), []).append(finding)
    return [
        meaning
        for target, of_target in members.items()
        for meaning in sorted(
            (Meaning(target, text, tuple(same)) for text, same in of_target.items()), key=lambda it: -it.cases
        )
    ]


def shown_lines(all_meanings: Sequence[Meaning]) -> Iterator[tuple[int, str]]:
    """At most ten lines, each with its indentation: with examples if there is room for them."""
    by_target = {
        meaning.target: [one for one in all_meanings if one.target == meaning.target] for meaning in all_meanings
    }
    room = MOST_LINES - len(by_target)
    with_examples = 2 * len(all_meanings) <= room
    shown = _in_turn(list(by_target.values()), max(room, len(by_target)))
    for target, of_target in by_target.items():
        yield 2, one_line(target)
        for meaning in of_target:
            if meaning in shown:
                yield 4, meaning.line
                if with_examples:
                    yield 6, meaning.example


def _in_turn(lists: Sequence[Sequence[Meaning]], most: int) -> list[Meaning]:
    """The first of each list, then the second of each, up to this number."""
    longest = max(map(len, lists), default=0)
    return [one[number] for number in range(longest) for one in lists if number < len(one)][:most]


def _meaning(result: ResultRecord) -> str:
    policy = _OUT_OF_BOUNDS.get(result.behaviour) if result.behaviour is not None else None
    if "accepted" in result.divergence and policy is not None:
        return policy
    return next((text for kind, text in _MEANINGS.items() if kind in result.divergence), word_of(result))
