"""Known divergences as records of a results file."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.known.model import KnownDivergences
from conformance.results.records import KnownRecord


def known_records(known: Mapping[str, KnownDivergences]) -> list[KnownRecord]:
    """A record for each known divergence of each framework."""
    return [
        KnownRecord(framework, entry.id, entry.reason, entry.link, str(entry.location))
        for framework, divergences in known.items()
        for entry in divergences.entries
    ]
