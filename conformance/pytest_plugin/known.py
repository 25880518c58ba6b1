"""The known divergences of a plan, as records."""

from __future__ import annotations

from conformance.execution.plan import Plan
from conformance.known.records import known_records
from conformance.results.records import KnownRecord


def known_of(plan: Plan) -> list[KnownRecord]:
    """The known divergences of a plan's targets."""
    return [entry for job in plan.jobs for entry in known_records(job.target.framework, job.known)]
