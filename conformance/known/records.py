"""Known divergences as records of a results file."""

from __future__ import annotations

from conformance.known.model import KnownDivergences
from conformance.results.records import KnownRecord


def known_records(framework: str, known: KnownDivergences) -> list[KnownRecord]:
    """A record for each known divergence of a framework."""
    return [KnownRecord(framework, entry.id, entry.reason, entry.link, str(entry.location)) for entry in known.entries]
