"""From one framework to another: which API takes the place of which, and in what situations it does something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

from conformance.findings.advice import advice
from conformance.findings.agreement import pair_facts, takes
from conformance.findings.behaviours import Behaviour
from conformance.findings.evidence import NOT_EXPORTED, NOTHING, UNSUPPORTED, Evidence, Implementation, in_order
from conformance.findings.ports import nearest
from conformance.findings.situations import Situation, choices
from conformance.reports.site.facts import Api, Facts
from conformance.results.records import MappingRecord

ALL = -1
"""All calls, as a set of bits."""


@dataclass(frozen=True)
class Alike:
    """How an API compares with one of another framework, in the calls that both take."""

    api: Api
    same: int
    """The number of calls that both take, and in which they return the same."""
    taken: int
    """The number of calls that both take."""
    refused: int
    """The number of calls that the first takes and that are an error of the second."""
    accepted: int
    """The number of calls that are an error of the first and that the second takes."""
    both_refuse: int
    ended: int
    """The number of calls in which one of them ends the process, or does not return."""
    differing: Sequence[str]
    """The calls that both have a form for and that do not end alike."""
    alone: int
    """The number of calls that the first takes and the second has no form for."""
    plainest_of: int
    """Of how many APIs of the framework that do nearly the same it is the plainest."""

    @property
    def untaken(self) -> int:
        """The number of calls that only the first takes."""
        return self.alone + self.refused


@dataclass(frozen=True)
class Condition:
    """A condition of calls that alone decides that two APIs do not do the same."""

    text: str
    cases: Sequence[str]
    advice: str | None
    """What to do before the call."""


@dataclass(frozen=True)
class Differs:
    """A situation in which two APIs do different things."""

    situation: Situation
    first: Sequence[Behaviour]
    second: Sequence[Behaviour]


@dataclass(frozen=True)
class Choice:
    """A choice of arguments with which the API that takes the place of another one takes no call."""

    text: str
    """Such as ``reduce=amax``."""
    alike: Alike | None
    """The API of the other framework that does the same in most calls with it; None if none does the same in any."""


@dataclass(frozen=True)
class Replacement:
    """What to write instead of an API."""

    api: Api
    operation: str
    alike: Alike | None
    """The API of the other framework that does the same in most calls; None if none does the same in any call."""
    choices: Sequence[Choice]
    differs: Sequence[Differs]
    conditions: Sequence[Condition]
    code: MappingRecord | None
    has_others: bool
    """Whether the other framework has APIs for the operation."""


class Ports:
    """Compares the newest versions of frameworks in their default modes."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._replacements: dict[tuple[str, str], Mapping[str, list[Replacement]]] = {}
        self._elsewhere: dict[tuple[str, str], list[Alike]] = {}

    @cached_property
    def _evidence(self) -> Mapping[str, Evidence]:
        return {each.operation: each for each in self._facts.conclusions.evidence}

    @cached_property
    def frameworks(self) -> list[str]:
        """The frameworks that ran. Each has a page with each other one."""
        return [name for name, targets in self._facts.frameworks.items() if any(not t.blocked for t in targets)]

    @property
    def pairs(self) -> Iterator[tuple[str, str]]:
        """The frameworks that have a page, in both directions."""
        return permutations(self.frameworks, 2)

    def operations(self, first: str, second: str) -> list[str]:
        """The operations in which an API of the second framework takes the place of one of the first; each has a page."""
        of_pair = self.replacements(first, second)
        return [operation for operation, found in of_pair.items() if any(each.alike for each in found)]

    def replacements(self, first: str, second: str) -> Mapping[str, list[Replacement]]:
        """By operation, what to write in the second framework instead of each API of the first."""
        if (first, second) not in self._replacements:
            self._replacements[first, second] = {
                operation: [self._replacement(api, operation, second) for api in apis if api.framework == first]
                for operation, apis in self._facts.operations.items()
                if operation in self._evidence and any(api.framework == first for api in apis)
            }
        return self._replacements[first, second]

    def elsewhere(self, api: Api, operation: str) -> list[Alike]:
        """Of each other framework, the API that takes its place."""
        key = api.name, operation
        if key not in self._elsewhere:
            frameworks = [name for name in self._facts.frameworks if name != api.framework]
            found = (self.closest(api, operation, framework) for framework in frameworks)
            self._elsewhere[key] = [alike for alike in found if alike is not None]
        return self._elsewhere[key]

    def closest(self, api: Api, operation: str, framework: str, cases: int = ALL) -> Alike | None:
        """The plainest of the APIs of a framework that do the same in most calls, or nearly so; None if none does in any.

        cases: the calls that count, as a set of bits.
        """
        if operation not in self._evidence:
            return None
        others = {
            Implementation(each.newest.id, each.name): each
            for each in self._facts.operations[operation]
            if each.framework == framework and each.newest.blocked is None
        }
        found = nearest(self._evidence[operation], Implementation(api.newest.id, api.name), others, cases)
        return self.alike(operation, api, others[found[0]], cases, len(found)) if found else None

    def alike(self, operation: str, first: Api, second: Api, cases: int = ALL, plainest_of: int = 1) -> Alike:
        """How the newest targets of two APIs compare."""
        evidence = self._evidence[operation]
        mine, others = (Implementation(api.newest.id, api.name) for api in (first, second))
        found = takes(evidence, mine, others, cases)
        lacks = evidence.cases_by_letter[others].get(UNSUPPORTED, 0) & evidence.taken(mine) & cases
        return Alike(
            second,
            found.same.bit_count(),
            found.both.bit_count(),
            found.refused.bit_count(),
            found.accepted.bit_count(),
            found.both_refuse.bit_count(),
            found.ended.bit_count(),
            evidence.case_ids(found.different | found.refused | found.accepted | found.ended),
            lacks.bit_count(),
            plainest_of,
        )

    def pages(self, first: str, second: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """The path, the template and the context of the page of a pair, then of those of its operations.

        One page of all situations of all APIs would be too long to read.
        """
        names = {"first": first, "second": second}
        replacements, operations = self.replacements(first, second), self.operations(first, second)
        address = self._facts.addresses.port
        yield address(first, second), "port", {**names, "replacements": replacements, "operations": operations}
        for operation in operations:
            context = {
                **names,
                "operation": operation,
                "replacements": replacements[operation],
                "has_way_back": operation in self.operations(second, first),
            }
            yield address(first, second, operation), "port_operation", context

    def _replacement(self, api: Api, operation: str, framework: str) -> Replacement:
        best = self.closest(api, operation, framework)
        has_others = any(other.framework == framework for other in self._facts.operations[operation])
        if best is None:
            return Replacement(api, operation, None, (), (), (), None, has_others)
        code = self._facts.mappings.get((best.api.newest.id, best.api.name, operation))
        untaken, differs = self._untaken(api, best.api, operation), self._differs(api, best.api, operation)
        conditions = self._conditions(api, best.api, operation)
        return Replacement(api, operation, best, list(untaken), list(differs), list(conditions), code, has_others)

    def _conditions(self, api: Api, best: Api, operation: str) -> Iterator[Condition]:
        evidence = self._evidence[operation]
        first, second = (Implementation(one.newest.id, one.name) for one in (api, best))
        against = pair_facts(evidence, first, second).against
        for text in in_order({condition: evidence.questions[condition] for condition in against}):
            said = advice(evidence, text, against[text], first, second)
            yield Condition(text, evidence.case_ids(against[text]), said)

    def _untaken(self, api: Api, best: Api, operation: str) -> Iterator[Choice]:
        """The choices of arguments with which an API takes calls and the one that takes its place takes none."""
        evidence = self._evidence[operation]
        first, second = (Implementation(one.newest.id, one.name) for one in (api, best))
        lacking = evidence.cases_by_letter[second]
        for text, cases in self._choices[operation].items():
            taken = cases & evidence.taken(first)
            if taken & lacking.get(UNSUPPORTED, 0) and not taken & ~_without_form(lacking):
                yield Choice(text, self.closest(api, operation, best.framework, cases))

    @cached_property
    def _choices(self) -> Mapping[str, Mapping[str, int]]:
        """By operation: choice of an argument to the calls that make it, as a set of bits."""
        found: dict[str, dict[str, int]] = {}
        for operation, evidence in self._evidence.items():
            of_operation = found.setdefault(operation, {})
            for number, name in enumerate(evidence.cases):
                for choice in choices(self._facts.conclusions.results.cases[name]):
                    of_operation[choice] = of_operation.get(choice, 0) | 1 << number
        return found

    def _differs(self, first: Api, second: Api, operation: str) -> Iterator[Differs]:
        does, other = (self._facts.does.get((api.name, operation, api.newest.id), {}) for api in (first, second))
        for situation in self._facts.situations(operation):
            mine, others = does.get(situation, ()), other.get(situation, ())
            verbs = [{each.verb for each in behaviours} for behaviours in (mine, others)]
            if mine and others and verbs[0] != verbs[1]:
                yield Differs(situation, mine, others)


def _without_form(letters: Mapping[str, int]) -> int:
    """The cases that an implementation has no form for, or of which nothing is known."""
    return letters.get(NOTHING, 0) | letters.get(UNSUPPORTED, 0) | letters.get(NOT_EXPORTED, 0)
