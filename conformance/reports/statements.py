"""The statements of conclusions.json, as its JSON Schema describes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.findings.dtype_support import Observation
from conformance.findings.extent import Absence
from conformance.findings.findings import Danger
from conformance.findings.timeline import VersionChange
from conformance.judging.vocabulary import Computed, Divergence
from conformance.reports.behaviours import Behaviour
from conformance.results.alike import FindingSort


@dataclass(frozen=True)
class FindingEntry:
    """The results of one API of a target that fail one clause in the same way. Each failing result is in one finding."""

    id: str
    """The same in every run."""
    target: str
    api: str
    clause: str
    sort: FindingSort
    kinds: Sequence[Divergence]
    known: str | None
    """The id of the known divergence that records it."""
    danger: Danger
    """What is wrong with the worst of its results."""
    confirmed: bool
    """Whether its results happened again in fresh processes."""
    alone: int
    """The number of its results that happened again as the first call of a fresh process; others did after calls of it."""
    elsewhere: Sequence[str]
    """If no known divergence records it, but for each of its cases one records this API for other versions, modes or
    devices: their ids. It is new if both are empty."""
    results: Sequence[str]
    """The ids of the cases; with target and API, each is one result."""
    of: int
    """The number of all results of this API for this clause."""


@dataclass(frozen=True)
class CauseEntry:
    """The findings of a framework that have one reason. Each finding has one cause."""

    id: str
    """The same in every run."""
    framework: str
    known: str | None
    """The id of the known divergence that records its findings."""
    findings: Sequence[str]
    """Their ids."""
    apis: Sequence[str]
    targets: Sequence[str]
    own: bool
    """Whether any of its findings breaks the documentation of its own API."""
    danger: Danger
    """That of its worst finding."""


@dataclass(frozen=True)
class BehaviourEntry(Behaviour):
    """A behaviour, as in behaviours.json, with the calls that show it."""

    cases: Sequence[str]
    """Their ids. Empty for ``keeps-arguments``, which all other calls of the API show that returned or raised."""


@dataclass(frozen=True)
class DtypeEntry:
    """Whether an API takes a dtype, as documented and as observed."""

    api: str
    operation: str
    target: str
    arguments: str
    """Those that have the dtype, joined by commas."""
    dtype: str
    claimed: str
    """``yes`` (by name), ``family`` (such as "an integer tensor"), ``others`` (only others are listed), ``example`` (in a
    documented call) or ``no``."""
    by: str | None
    """The claim, as ``document#locator``, or the adapter."""
    cases: dict[Observation, Sequence[str]]
    """The ids of the calls, by what they did."""


@dataclass(frozen=True)
class TransformEntry:
    """What became of the derivatives and batches of an API."""

    api: str
    operation: str
    target: str
    transform: Computed
    of: str
    """The arguments and the axis as in the id of a case: ``input``, or of a batch ``input+index.last``."""
    arguments: Sequence[str]
    """The argument with respect to which a derivative is, also that of a batch, those of both derivatives of a second one, or
    those that differ within a batch."""
    axis: Literal["first", "last"] | None
    """The position of the axis of a batch; None for a derivative."""
    cases: dict[Observation, Sequence[str]]
    """The ids of the calls, by what they did."""


@dataclass(frozen=True)
class ExtentEntry:
    """What was run on a target."""

    target: str
    cases: int
    """The number of the cases in the file of the operations that it has an API for, without those for another kind of device, and
    those about what only the documentation of other APIs promises."""
    called: int
    """The number of them that were called on any of its APIs."""
    not_called: dict[Absence, int]
    """The number of the others, by why; ``deselected``: the run of this target did not have them."""
    commands: Sequence[str]
    """The commands of the runs that had the target; their options select the cases."""
    left_out: dict[str, int]
    """The number of cases that the run left out since the mode is expensive, by what they vary."""
    blocked: str | None
    """Why it did not start, or gave up."""


@dataclass(frozen=True)
class GapEntry:
    """An API that says nothing of a situation, although there were calls; not if all of them were deselected."""

    api: str
    operation: str
    target: str
    situation: str
    absences: dict[Absence, int]
    """The number of the cases of the situation, by why they tell nothing."""


@dataclass(frozen=True)
class SideEntry:
    """One side of a port."""

    target: str
    api: str
    lacks: Sequence[str]
    """The ids of the calls that only the other side takes."""


@dataclass(frozen=True)
class PortEntry:
    """Two APIs of two frameworks that implement one operation."""

    operation: str
    sides: Sequence[SideEntry]
    same: int
    """The number of calls that both have a form for and in which they do the same: all with results of both but those listed here."""
    different: Sequence[str]
    """The ids of the calls that both have a form for and in which they do not do the same."""
    conditions: dict[str, int]
    """Under what conditions they differ, with the number of calls that show it."""


@dataclass(frozen=True)
class ConclusionsFile:
    """The file."""

    schema: int
    started: str
    suite_version: str
    spec_digest: str
    complete: bool
    findings: Sequence[FindingEntry]
    causes: Sequence[CauseEntry]
    behaviours: Sequence[BehaviourEntry]
    changes: Sequence[VersionChange]
    """From version to version."""
    dtypes: Sequence[DtypeEntry]
    transforms: Sequence[TransformEntry]
    ports: Sequence[PortEntry]
    """Of the newest targets of any two frameworks, the APIs that support most calls of each operation."""
    extents: Sequence[ExtentEntry]
    """Of each target."""
    gaps: Sequence[GapEntry]
