"""A results file with its indices, each made once, when it is first needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

from conformance.judging.vocabulary import Standing
from conformance.results.alike_calls import AlikeCalls
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord

Sort = Literal["died", "hung", Standing, "blocked", "observed", "unsupported", "conforms"]
"""A verdict; a divergence by its standing."""
K = TypeVar("K")


def sort_of(result: ResultRecord) -> Sort:
    """The verdict, or the standing of a divergence."""
    verdict = result.verdict
    return result.standing if verdict == "diverges" else verdict


@dataclass(frozen=True, eq=False)
class Table:
    """The results of a file by target, API, clause and case. Every sequence is in the order of the file."""

    results: Results

    @cached_property
    def targets(self) -> Mapping[str, TargetRecord]:
        """The last record of each target by its id; a target without a record gets one with its id."""
        targets = {target.id: target for target in self.results.targets}
        for result in self.results.results:
            if result.target not in targets:
                targets[result.target] = TargetRecord(result.target, result.target, None, "unknown", "unknown")
        return targets

    @cached_property
    def alike(self) -> AlikeCalls:
        """Which of its calls are alike."""
        return AlikeCalls(self.results.cases)

    def framework(self, result: ResultRecord) -> str:
        return self.targets[result.target].framework

    def operation(self, result: ResultRecord) -> str:
        """The operation of a result; "" if the file has neither its clause nor its case."""
        record = self.results.clauses.get(result.clause) or self.results.cases.get(result.case)
        return record.operation if record else ""

    @cached_property
    def counts(self) -> Mapping[str, Counter[str]]:
        """By target, the number of its results of each sort."""
        counts: dict[str, Counter[str]] = {target: Counter() for target in self.targets}
        for result in self.results.results:
            counts[result.target][sort_of(result)] += 1
        return counts

    @cached_property
    def cells(self) -> Mapping[tuple[str, str, str], Sequence[ResultRecord]]:
        """The results of each target and API for each clause, by these three."""
        return _grouped(((result.target, result.api, result.clause), result) for result in self.results.results)

    @cached_property
    def of_case(self) -> Mapping[str, Sequence[ResultRecord]]:
        """The results of each case."""
        return _grouped((result.case, result) for result in self.results.results)

    @cached_property
    def of_operation(self) -> Mapping[str, Sequence[CaseRecord]]:
        """The cases of each operation."""
        operations: dict[str, list[CaseRecord]] = {}
        for case in self.results.cases.values():
            operations.setdefault(case.operation, []).append(case)
        return operations

    @cached_property
    def of_api(self) -> Mapping[tuple[str, str], Sequence[ResultRecord]]:
        """The results of each API of a framework, on all its targets, by framework and API."""
        return _grouped(((self.framework(result), result.api), result) for result in self.results.results)

    def result(self, target: str, api: str, case: str | None) -> ResultRecord | None:
        """The result of a call; None if it was not made."""
        return self._calls.get((target, api), {}).get(case)

    @cached_property
    def _calls(self) -> Mapping[tuple[str, str], Mapping[str | None, ResultRecord]]:
        """The results of each API of a target by case; one key for each call would need more memory than its result."""
        calls: dict[tuple[str, str], dict[str | None, ResultRecord]] = {}
        for result in self.results.results:
            calls.setdefault((result.target, result.api), {})[result.case] = result
        return calls


def _grouped(members: Iterable[tuple[K, ResultRecord]]) -> dict[K, list[ResultRecord]]:
    groups: dict[K, list[ResultRecord]] = {}
    for key, result in members:
        groups.setdefault(key, []).append(result)
    return groups
