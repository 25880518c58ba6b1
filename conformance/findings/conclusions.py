"""The conclusions that several reports of a results file share, each drawn once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from conformance.findings.behaviour_table import BehaviourTable, Observation, behaviour_table, observations
from conformance.findings.evidence import Evidence, evidence
from conformance.findings.findings import Cause, Finding, causes, findings
from conformance.findings.timeline import Timeline, timelines
from conformance.results.file import Results
from conformance.results.table import Table


@dataclass(frozen=True, eq=False)
class Conclusions:
    """What a results file shows."""

    results: Results

    @cached_property
    def table(self) -> Table:
        return Table(self.results)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return findings(self.table)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        return causes(self.table, self.findings)

    @cached_property
    def behaviours(self) -> BehaviourTable:
        return behaviour_table(self.results)

    @cached_property
    def evidence(self) -> list[Evidence]:
        return evidence(self.results)

    @cached_property
    def observations(self) -> list[Observation]:
        return list(observations(self.behaviours))

    @cached_property
    def timelines(self) -> list[Timeline]:
        return timelines(self.results)
