"""badge.json: a badge in the format of Shields endpoints (https://shields.io/badges/endpoint-badge)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import FindingSort, count
from conformance.reports.dangers import levels
from conformance.results.file import Results

LABEL = "scatter and gather"
_PARTS: Mapping[str, tuple[FindingSort, ...]] = {
    "breaks its own documentation": ("own",),
    "breaks worked examples": ("printed",),
    "died or hung": ("died", "hung"),
}
_RED, _GREEN, _GREY = "red", "brightgreen", "lightgrey"


def badge_json(results: Results, conclusions: Conclusions | None = None) -> str:
    """Return the whole file."""
    message, color = _message(results, conclusions or Conclusions(results))
    return json.dumps({"schemaVersion": 1, "label": LABEL, "message": message, "color": color}, indent=1) + "\n"


def _message(results: Results, conclusions: Conclusions) -> tuple[str, str]:
    if not results.complete:
        return "incomplete run", _GREY
    counts = {text: count(conclusions.causes, *sorts) for text, sorts in _PARTS.items()}
    parts = [f"{text}: {levels(number)}" for text, number in counts.items() if number.findings]
    return ("; ".join(parts), _RED) if parts else ("as documented", _GREEN)
