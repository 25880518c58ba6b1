"""badge.json: a badge in the format of Shields endpoints (https://shields.io/badges/endpoint-badge)."""

from __future__ import annotations

import json

from conformance.findings.conclusions import Conclusions
from conformance.reports.text import counted
from conformance.results.file import Results

LABEL = "scatter and gather"
_RED, _GREEN, _GREY = "red", "brightgreen", "lightgrey"


def badge_json(results: Results, conclusions: Conclusions | None = None) -> str:
    """Return the whole file."""
    message, color = _message(results, conclusions or Conclusions(results))
    return json.dumps({"schemaVersion": 1, "label": LABEL, "message": message, "color": color}, indent=1) + "\n"


def _message(results: Results, conclusions: Conclusions) -> tuple[str, str]:
    if not results.complete:
        return "incomplete run", _GREY
    own = sum(cause.is_own for cause in conclusions.causes)
    ends = sum(cause.danger == "ends" for cause in conclusions.causes)
    parts = [f"{counted(own, 'document')} broken"] * bool(own) + [counted(ends, "crash", "crashes")] * bool(ends)
    return (", ".join(parts), _RED) if parts else ("as documented", _GREEN)
