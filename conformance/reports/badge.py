"""badge.json: a badge in the format of Shields endpoints (https://shields.io/badges/endpoint-badge)."""

from __future__ import annotations

import json

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import causes
from conformance.reports.statistics import judged_text
from conformance.reports.wording import level_texts, lower
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
    alarming = [finding for finding in conclusions.findings if finding.sort != "portability"]
    parts = [lower(text) for text in level_texts(causes(conclusions.table, alarming))]
    if parts:
        return "; ".join([*parts, judged_text(results)]), _RED
    return (
        (f"as documented; {judged_text(results)}", _GREEN)
        if results.finished
        else ("not every target could be run", _GREY)
    )
