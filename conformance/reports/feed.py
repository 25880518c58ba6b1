"""feed.json: what changed since the earlier run whose reports were in the folder, as a JSON Feed (https://jsonfeed.org)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from conformance.findings.behaviour_table import Verb
from conformance.findings.conclusions import Conclusions
from conformance.reports.behaviours import WORDS, Behaviour, Behaviours, behaviours
from conformance.reports.text import counted, visible
from conformance.results.file import Results

FILE_NAME = "feed.json"
VERSION = "https://jsonfeed.org/version/1.1"
MOST_ITEMS = 50
MOST_LINES = 200
"""Of an item."""
_Key = tuple[str, str, str, str]
"""Operation, situation, target and API."""


@dataclass(frozen=True)
class Published:
    """The reports that a folder holds."""

    behaviours: Behaviours
    items: list[dict[str, Any]]
    """Those of its feed, the newest first."""


def published(folder: Path) -> Published | None:
    """The reports of an earlier run in a folder; None without any, or if they cannot be read."""
    try:
        earlier = TypeAdapter(Behaviours).validate_json((folder / "behaviours.json").read_bytes())
    except (OSError, ValidationError):
        return None
    return Published(earlier, list(_items(folder / FILE_NAME)))


def _items(file: Path) -> Iterator[dict[str, Any]]:
    try:
        items = json.loads(file.read_bytes())["items"]
    except (OSError, ValueError, TypeError, KeyError):
        return
    yield from (item for item in items if isinstance(item, dict)) if isinstance(items, list) else ()


def feed_json(results: Results, conclusions: Conclusions, earlier: Published) -> str | None:
    """The feed with an item for this run; None if it is the same run, or nothing changed."""
    started = results.run.started
    lines = list(_changes(earlier.behaviours.behaviours, list(behaviours(conclusions.behaviours))))
    if not lines or started == earlier.behaviours.started:
        return None
    more = len(lines) - MOST_LINES
    text = "\n".join([*lines[:MOST_LINES], *([f"and {counted(more, 'more change')}"] if more > 0 else [])])
    item = {
        "id": started,
        "title": f"{counted(len(lines), 'change')} since {earlier.behaviours.started}",
        "date_published": started,
        "url": "index.html#view=versions",
        "content_text": text,
    }
    others = [each for each in earlier.items if each.get("id") != started]
    feed = {"version": VERSION, "title": "Conformance of scatter and gather", "items": [item, *others][:MOST_ITEMS]}
    return json.dumps(feed, indent=1, ensure_ascii=False) + "\n"


def _changes(before: Iterable[Behaviour], after: Sequence[Behaviour]) -> Iterator[str]:
    """What the APIs of each target do that they did not do before; of a new version, what its predecessor did not do."""
    was, now = _verbs(before), _verbs(after)
    known = {target for _, _, target, _ in was}
    for key, verbs in now.items():
        operation, situation, target, api = key
        if key in was and was[key] != verbs:
            yield f"{visible(target)}, {api} ({operation}), {situation}: {_text(was[key])} → {_text(verbs)}"
    for behaviour in after:
        if behaviour.target not in known and behaviour.before:
            apis = ", ".join(behaviour.apis)
            place = f"{visible(behaviour.target)} (new), {apis} ({behaviour.operation}), {behaviour.situation}"
            yield f"{place}: {_text(behaviour.before)} → {_text([behaviour.verb])}"


def _verbs(lines: Iterable[Behaviour]) -> dict[_Key, set[Verb]]:
    verbs: dict[_Key, set[Verb]] = {}
    for line in lines:
        for api in line.apis:
            verbs.setdefault((line.operation, line.situation, line.target, api), set()).add(line.verb)
    return verbs


def _text(verbs: Iterable[Verb]) -> str:
    return " or ".join(WORDS[verb][1] for verb in WORDS if verb in {*verbs})
