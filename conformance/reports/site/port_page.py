"""From one framework to another: which API takes the place of which, and in what situations it does something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.findings.agreement import taken_by_both
from conformance.findings.behaviours import Behaviour
from conformance.findings.evidence import NOT_EXPORTED, NOTHING, UNSUPPORTED, Evidence, Implementation
from conformance.findings.situations import Situation
from conformance.reports.site.facts import Api, Facts
from conformance.results.records import MappingRecord

ASKED_FOR = ("torch", "tensorflow", "mindspore", "jax", "numpy", "keras")
"""The frameworks between which models are ported most often; each pair of them has a page."""
NEARLY = 0.95
"""Of APIs that do the same at least so often as the best one, the one that the adapter maps first takes an API's place:
which of them is best depends on a few rare calls, and adapters begin with what users write."""
FEW = 4
"""With at most this many frameworks, all pairs have a page."""


@dataclass(frozen=True)
class Alike:
    """How an API compares with one of another framework, in the calls that both take."""

    api: Api
    same: int
    taken: int
    """The number of calls that both take."""
    differing: Sequence[str]
    """The calls that both take and that do not end alike."""
    alone: int
    """The number of calls that only the first takes."""


@dataclass(frozen=True)
class Differs:
    """A situation in which two APIs do different things."""

    situation: Situation
    first: Sequence[Behaviour]
    second: Sequence[Behaviour]


@dataclass(frozen=True)
class Replacement:
    """What to write instead of an API."""

    api: Api
    operation: str
    alike: Alike | None
    """The API of the other framework that does the same in most calls; None if no call is taken by both."""
    differs: Sequence[Differs]
    code: MappingRecord | None


class Ports:
    """Compares the newest versions of frameworks in their default modes."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def _evidence(self) -> Mapping[str, Evidence]:
        return {each.operation: each for each in self._facts.conclusions.evidence}

    @cached_property
    def _order(self) -> Mapping[tuple[str, str, str], int]:
        """The position of each API of a target among the mappings of its adapter."""
        return {key: number for number, key in enumerate(self._facts.mappings)}

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The frameworks that have a page, in both directions."""
        frameworks = [name for name, targets in self._facts.frameworks.items() if any(not t.blocked for t in targets)]
        if len(frameworks) > FEW:
            frameworks = [name for name in ASKED_FOR if name in frameworks]
        return [(first, second) for first in frameworks for second in frameworks if first != second]

    def elsewhere(self, api: Api, operation: str) -> list[Alike]:
        """Of each other framework, the API that takes its place."""
        frameworks = [name for name in self._facts.frameworks if name != api.framework]
        found = (self.closest(api, operation, framework) for framework in frameworks)
        return [alike for alike in found if alike is not None]

    def closest(self, api: Api, operation: str, framework: str) -> Alike | None:
        """The API of a framework that does the same in most calls, or nearly so; None if no call is taken by both."""
        others = [
            each
            for each in self._facts.operations[operation]
            if each.framework == framework and each.newest.blocked is None
        ]
        others.sort(key=lambda each: self._order.get((each.newest.id, each.name, operation), 0))
        compared = [self.alike(operation, api, other) for other in others]
        most = max((alike.same for alike in compared), default=0)
        return next((alike for alike in compared if alike.taken and alike.same >= NEARLY * most), None)

    def alike(self, operation: str, first: Api, second: Api) -> Alike:
        """How the newest targets of two APIs compare."""
        evidence = self._evidence.get(operation)
        mine, others = (Implementation(api.newest.id, api.name) for api in (first, second))
        if evidence is None or mine not in evidence.outcomes or others not in evidence.outcomes:
            return Alike(second, 0, 0, (), 0)
        same, wrong = taken_by_both(evidence, mine, others)
        lacks = evidence.cases_by_letter[others].get(UNSUPPORTED, 0) & ~_refused(evidence.cases_by_letter[mine])
        return Alike(second, same.bit_count(), (same | wrong).bit_count(), evidence.case_ids(wrong), lacks.bit_count())

    def context(self, first: str, second: str) -> dict[str, Any]:
        """What the template of a pair shows."""
        return {
            "first": self._facts.frameworks[first],
            "second": self._facts.frameworks[second],
            "replacements": [
                (operation, [self._replacement(api, operation, second) for api in apis if api.framework == first])
                for operation, apis in self._facts.operations.items()
                if any(api.framework == first for api in apis)
            ],
        }

    def _replacement(self, api: Api, operation: str, framework: str) -> Replacement:
        best = self.closest(api, operation, framework)
        if best is None:
            return Replacement(api, operation, None, (), None)
        code = self._facts.mappings.get((best.api.newest.id, best.api.name, operation))
        return Replacement(api, operation, best, list(self._differs(api, best.api, operation)), code)

    def _differs(self, first: Api, second: Api, operation: str) -> Iterator[Differs]:
        does, other = (self._facts.does.get((api.name, operation, api.newest.id), {}) for api in (first, second))
        for situation in self._facts.situations(operation):
            mine, others = does.get(situation, ()), other.get(situation, ())
            verbs = [{each.verb for each in behaviours} for behaviours in (mine, others)]
            if mine and others and verbs[0] != verbs[1]:
                yield Differs(situation, mine, others)


def _refused(letters: Mapping[str, int]) -> int:
    """The cases that an implementation does not take, or of which nothing is known."""
    return letters.get(NOTHING, 0) | letters.get(UNSUPPORTED, 0) | letters.get(NOT_EXPORTED, 0)
