"""The plan of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.cases.model import ApiCall, Case
from conformance.execution.failure_limit import FailureLimit
from conformance.execution.preparing import Job
from conformance.known.model import CaseFacts, facts
from conformance.results.file import Results
from conformance.results.records import ClaimRecord, ErratumRecord, RunRecord
from conformance.specification.model import Document
from conformance.targets.prepared import START_LIMIT
from conformance.targets.worker_starter import StartMethod


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
    start: StartMethod = "auto"
    """How workers are started."""
    start_limit: float = START_LIMIT
    """Seconds for a process to import its framework."""
    repeats: bool = True
    """Whether calls with duplicate indices are repeated, to see if their results vary."""
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
        return cls(RunRecord("", "", 0, "", ""), [job], cases, limit, 1, documents=documents)

    def every_case(self) -> Sequence[CaseFacts]:
        """All cases, selected or not."""
        return self.all_cases or facts(self.cases)
