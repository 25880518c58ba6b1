"""What a run is to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.cases.model import Case
from conformance.execution.failure_limit import FailureLimit
from conformance.execution.preparing import Job
from conformance.known.model import CaseFacts, facts
from conformance.results.file import Results
from conformance.results.records import ClaimRecord, RunRecord


@dataclass(frozen=True)
class Plan:
    """What a run is to do, and when it is to stop."""

    record: RunRecord
    jobs: Sequence[Job]
    cases: Sequence[Case]
    limit: float
    """Seconds for one call."""
    concurrency: int
    """Targets that run at the same time."""
    failure_limit: FailureLimit | None = None
    """None goes on to the end, whatever fails."""
    claims: Sequence[ClaimRecord] = ()
    """All that the documents say."""
    all_cases: Sequence[CaseFacts] = ()
    """All cases that there are, of which ``cases`` may be a selection: known divergences are about these."""
    checkpoint: Results | None = None
    """What is there already of a run that is resumed."""

    def every_case(self) -> Sequence[CaseFacts]:
        """All cases that there are, selected or not."""
        return self.all_cases or facts(self.cases)
