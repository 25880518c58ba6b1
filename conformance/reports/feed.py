"""feed.json: what changed from version to version, as a JSON Feed (https://jsonfeed.org)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from conformance.findings.conclusions import Conclusions
from conformance.findings.timeline import Step, Timeline
from conformance.reports.text import counted, visible
from conformance.results.file import Results

VERSION = "https://jsonfeed.org/version/1.1"
MOST_LINES = 200
"""Of an item."""


def feed_json(results: Results, conclusions: Conclusions) -> str | None:
    """The feed, with an item for each version in which anything changed, the newest first; None if there is none."""
    items = [
        _item(results, timeline, step, lines)
        for timeline in conclusions.timelines
        for step in reversed(timeline.steps)
        if (lines := list(_lines(step)))
    ]
    if not items:
        return None
    feed = {"version": VERSION, "title": "Conformance of scatter and gather", "items": items}
    return json.dumps(feed, indent=1, ensure_ascii=False) + "\n"


def _item(results: Results, timeline: Timeline, step: Step, lines: list[str]) -> dict[str, Any]:
    more = len(lines) - MOST_LINES
    shown = [*lines[:MOST_LINES], *([f"and {counted(more, 'more change')}"] if more > 0 else [])]
    versions = {version.target: visible(version.version or "unknown version") for version in timeline.versions}
    return {
        "id": visible(f"{step.first} {step.second}"),
        "title": f"{visible(timeline.title)} {versions[step.second]}: "
        f"{counted(step.changed, 'call')} changed since {versions[step.first]}",
        "date_published": results.run.started,
        "url": "index.html#view=versions",
        "content_text": "\n".join(shown),
    }


def _lines(step: Step) -> Iterator[str]:
    for kind, apis in (("new", step.new), ("gone", step.gone)):
        yield from (f"{visible(mapped.api)} ({mapped.operation}) is {kind}" for mapped in apis)
    for change in step.changes:
        yield visible(
            f"{change.api} ({change.operation}): {change.was} → {change.now} "
            f"in {counted(len(change.cases), 'call')}, such as {change.cases[0]}"
        )
