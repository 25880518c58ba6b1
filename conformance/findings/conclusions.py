"""Everything that the reports of a results file state, each drawn once. Pages, terminal and files print these objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from conformance.findings.behaviours import REFERENCE, Behaviour, Column, behaviours, columns
from conformance.findings.disagreements import Compared, Disagreement, compared
from conformance.findings.dtype_support import Support, TransformSupport, dtype_support, transform_support
from conformance.findings.evidence import Evidence, evidence
from conformance.findings.extent import Extent, Gap, MissingForm, extents, gaps, missing_forms
from conformance.findings.findings import Cause, Finding, causes, findings
from conformance.findings.own_claims import OwnClaims
from conformance.findings.ports import Port, ports
from conformance.findings.programs import KindOfProgram, kinds_of_programs
from conformance.findings.shared import SharedConditions
from conformance.findings.situations import Place, places
from conformance.findings.timeline import Timeline, VersionChange, timelines
from conformance.results.file import Results
from conformance.results.table import Table


@dataclass(frozen=True, eq=False)
class Conclusions:
    """What a results file shows. Each statement names the results that it rests on; none is made from counts alone."""

    results: Results

    @cached_property
    def table(self) -> Table:
        """The results by target, API, clause and case."""
        return Table(self.results)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong: how an API of a target fails a clause. Each failing result is in one."""
        return findings(self.table)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """Why: the findings of a framework that have one reason, the most dangerous first. Each finding is in one."""
        return causes(self.table, self.findings, self.shared)

    @cached_property
    def shared(self) -> SharedConditions:
        """What failing calls have in common."""
        return SharedConditions(self.table)

    @cached_property
    def compared(self) -> tuple[Compared, ...]:
        """The targets that differ in their mode or their device alone, beside each other."""
        return tuple(compared(self.results))

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Where they do something else."""
        return tuple(disagreement for pair in self.compared for disagreement in pair.disagreements)

    @cached_property
    def programs(self) -> tuple[KindOfProgram, ...]:
        """The kinds of drawn programs that diverge; those that stand for most come first."""
        return kinds_of_programs(self.table, self.causes)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The configurations of the frameworks (mode and device), each with its versions."""
        return tuple(columns(self.table))

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """Case to the situation that its call is in; a case in none is left out."""
        return places(self.table)

    @cached_property
    def own_claims(self) -> OwnClaims:
        """What the documentation of each API says of its calls."""
        return OwnClaims(self.table, self.places)

    @cached_property
    def behaviours(self) -> tuple[Behaviour, ...]:
        """What each API of each target, of any version, does in each situation."""
        return tuple(behaviours(self.table, self.places, self.columns, self.own_claims))

    @cached_property
    def timelines(self) -> tuple[Timeline, ...]:
        """What changed from version to version, for each framework, mode and device that has several."""
        return tuple(timelines(self.results))

    @cached_property
    def changes(self) -> tuple[VersionChange, ...]:
        """The changes of all timelines."""
        return tuple(change for timeline in self.timelines for step in timeline.steps for change in step.changes)

    @cached_property
    def dtypes(self) -> tuple[Support, ...]:
        """Which dtypes each API takes, as documented and as observed."""
        return tuple(dtype_support(self.own_claims))

    @cached_property
    def transforms(self) -> tuple[TransformSupport, ...]:
        """Which derivatives of each API are right."""
        return tuple(transform_support(self.results))

    @cached_property
    def extents(self) -> tuple[Extent, ...]:
        """What was run on each target, and what was not, by why."""
        return tuple(extents(self.table))

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """Each API and situation without a behaviour, and why there is none."""
        return tuple(gaps(self.table, self.places, self.behaviours))

    @cached_property
    def missing_forms(self) -> tuple[MissingForm, ...]:
        """What APIs have no form for, by API and reason. None of these calls tested anything."""
        return tuple(missing_forms(self.table))

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Where the preferred APIs of the newest targets of two frameworks do the same, and where not."""
        return tuple(ports(self.evidence, self.results.targets, REFERENCE))

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """The outcomes of every implementation in every case, operation by operation."""
        return tuple(evidence(self.table))
