"""The known divergences of a target, as records."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.execution.plan import Plan
from conformance.known.records import known_records
from conformance.results.records import KnownRecord, TargetRecord


def known_of(plan: Plan, targets: Iterable[TargetRecord]) -> list[KnownRecord]:
    """The known divergences of the targets of a plan that were started."""
    known = {job.target.asked: job.known for job in plan.jobs}
    return [entry for target in targets for entry in known_records(target.framework, known[target.asked or target.id])]
