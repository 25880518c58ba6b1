"""What a run is asked to do: its targets, its cases and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from conformance.cases.facts import CaseFacts
from conformance.cases.model import ApiCall, Case
from conformance.environments.definition import definitions
from conformance.environments.prepared_target import START_LIMIT, Prepared
from conformance.environments.resolve import Target, resolve
from conformance.execution.budget import HangLimits
from conformance.known.load import known_beside, load_known
from conformance.known.model import KnownDivergences
from conformance.processes.memcheck import Valgrind
from conformance.processes.worker_starter import StartMethod, WorkerStarter
from conformance.results.file import Results
from conformance.results.records import ClaimRecord, ErratumRecord, ResultRecord, RunRecord
from conformance.specification.model import Document

Report = Callable[[str], None]
"""Is called with messages about the progress."""


@dataclass(frozen=True)
class Job:
    """A requested target, and the function that prepares it."""

    target: Target
    prepare: Callable[[Report], Prepared]
    known: KnownDivergences = field(default_factory=KnownDivergences)
    early: Callable[[], WorkerStarter | None] = lambda: None
    """Takes the starter of its workers if one was started before the run, so that it need not be prepared."""


@dataclass(frozen=True)
class Interpreters:
    """The interpreters for the targets of a command; by default each target has its own environment."""

    python: Path | None = None
    here: bool = False
    offline: bool = False


def jobs(names: Sequence[str], interpreters: Interpreters, ledgers: Mapping[str, Path] | None = None) -> list[Job]:
    """A job for each target; TargetError or SpecError for errors in targets or known divergences.

    ledgers: by framework, a file of known divergences in addition to the one beside its adapter.
    """
    targets = resolve(names, definitions(), python=interpreters.python, here=interpreters.here)
    return [
        Job(target, partial(_prepare, target, interpreters.offline), _known(target, ledgers or {}))
        for target in targets
    ]


def _known(target: Target, ledgers: Mapping[str, Path]) -> KnownDivergences:
    beside = known_beside(target.adapter)
    folder = target.definition.folder if target.definition is not None else target.adapter.parent
    if folder != target.adapter.parent:  # a derived target: what the one that it extends does may not happen here
        own = known_beside(folder / target.adapter.name)
        inherited = [replace(entry, sometimes=True) for entry in beside.entries]
        beside = KnownDivergences(own.file, (*own.entries, *inherited))
    if target.framework not in ledgers:
        return beside
    more = load_known(ledgers[target.framework])
    return KnownDivergences(more.file, (*more.entries, *beside.entries))


def _prepare(target: Target, offline: bool, report: Report) -> Prepared:
    from conformance.environments.environment import ensure  # slow to import, and not needed by targets started early

    return Prepared(target, ensure(target, report=report, offline=offline))


@dataclass(frozen=True)
class FailureLimit:
    """Which results are failures, and the number of failures after which a run stops."""

    fails: Callable[[ResultRecord], bool]
    most: int

    def is_reached(self, failures: int) -> bool:
        return failures >= self.most


@dataclass(frozen=True)
class Plan:
    """The targets and cases of a run, and its limits."""

    record: RunRecord
    jobs: Sequence[Job]
    cases: Sequence[Case]
    limit: float
    """Time limit per call in seconds."""
    concurrency: int
    """Maximum number of targets to run in parallel."""
    apis: tuple[str, ...] = ()
    """Patterns of the APIs that are called; empty for all."""
    failure_limit: FailureLimit | None = None
    """None never stops the run."""
    claims: Sequence[ClaimRecord] = ()
    """The claims of all documents."""
    errata: Sequence[ErratumRecord] = ()
    """The errata of all documents."""
    documents: Mapping[str, Document] = field(default_factory=dict)
    """The documents of the specs by id."""
    all_cases: Sequence[CaseFacts] = ()
    """All cases of the specs, which known divergences are matched with; ``cases`` may be a selection of them."""
    durations: Mapping[str, float] = field(default_factory=dict)
    """What targets took in earlier runs, as remembered."""
    hang_limits: HangLimits = field(default_factory=HangLimits)
    """How many calls of a target may hang."""
    start: StartMethod = "auto"
    """How workers are started."""
    start_limit: float = START_LIMIT
    """Seconds for a process to import its framework."""
    memcheck: Valgrind | None = None
    """Below which all processes of targets run; None for no such."""
    fresh_compile: bool = False
    """Whether compilers find nothing that they kept in earlier runs."""
    repeats: bool = True
    """Whether calls with duplicate indices are repeated, to see if their results vary."""
    samples: bool = True
    """Whether a mode may leave out cases; see ``conformance.cases.variation``."""
    tries: bool = True
    """Whether valid calls are tried before the first case, to see if the adapter works at all."""
    checkpoint: Results | None = None
    """The existing results of the run to resume."""
    fatal: frozenset[tuple[str, str]] = frozenset()
    """Cases and APIs that took whole machines down: they are not called, and their results say so."""
    before_call: Callable[[ApiCall], None] | None = None
    """Is called before each call, which is then not sent ahead of time."""

    @classmethod
    def alone(cls, job: Job, cases: Sequence[Case], documents: Mapping[str, Document], limit: float) -> Plan:
        """The plan of one target whose results are not those of a run; documents: as in the specs, by id."""
        return cls(RunRecord("", "", 0, "", ""), [job], cases, limit, 1, documents=documents, samples=False)

    def calls(self, api: str) -> bool:
        """Whether cases are run on an API."""
        return not self.apis or any(fnmatchcase(api, pattern) for pattern in self.apis)

    def every_case(self) -> Sequence[CaseFacts]:
        """All cases, selected or not."""
        return self.all_cases or [case.facts for case in self.cases]
