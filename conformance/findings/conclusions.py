"""The conclusions that several reports of a results file share, each drawn once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from conformance.findings.behaviour_table import BehaviourTable, behaviour_table
from conformance.findings.causes import Cause, causes
from conformance.findings.evidence import Evidence, evidence
from conformance.results.file import Results


@dataclass(frozen=True, eq=False)
class Conclusions:
    """What a results file shows."""

    results: Results

    @cached_property
    def behaviours(self) -> BehaviourTable:
        return behaviour_table(self.results)

    @cached_property
    def evidence(self) -> list[Evidence]:
        return evidence(self.results)

    @cached_property
    def causes(self) -> list[Cause]:
        return causes(self.results)
