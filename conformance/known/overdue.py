"""Known divergences that should have been reported upstream by now."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from conformance.known.file_format import UNREPORTED
from conformance.known.model import KnownDivergence

PATIENCE = timedelta(days=30)
"""How long an entry may be without the link of an upstream issue."""


def today() -> date:
    return datetime.now(UTC).date()


def is_overdue(entry: KnownDivergence, day: date) -> bool:
    """Whether an entry is unreported for too long; one without a date has no excuse."""
    return entry.link == UNREPORTED and (entry.since is None or day - entry.since > PATIENCE)
