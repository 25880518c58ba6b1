"""The words of causes: what is wrong, where, and whether it is reported upstream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from conformance.findings.findings import DANGERS, Cause, Count, Danger, FindingSort
from conformance.reports.text import counted

TITLES: Mapping[Danger, str] = {
    "varies": "Not the same each time",
    "ends": "Ends the process, or hangs",
    "outside": "Reads or writes outside",
    "wrong": "Wrong without an error",
    "accepts": "Accepts what it should refuse",
    "refuses": "Refuses what it should take",
    "error": "Raises another error",
}
BREAKS_ITS_OWN = "breaks its own documentation"
STANDING_TEXTS: Mapping[FindingSort, str] = {
    "own": BREAKS_ITS_OWN,
    "printed": "does not give the result of a worked example about it",
    "died": "whatever a document says",
    "hung": "whatever a document says",
    "portability": "differs from another API's documentation",
}
UNREPORTED = "not reported upstream"
MOST_NAMES = 4


def levels(count: Count) -> str:
    """``34 causes, 132 findings``."""
    return f"{counted(count.causes, 'cause')}, {counted(count.findings, 'finding')}"


def place_text(cause: Cause) -> str:
    """``torch==2.13.0@cpu, torch==2.13.0[compile]@cpu; 12 calls in 2 clauses``."""
    clauses = f" in {len(cause.clauses)} clauses" if len(cause.clauses) > 1 else ""
    return f"{shortened_list(cause.targets)}; {counted(len(cause.results), 'call')}{clauses}"


def shortened_list(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """The first names, and the number of the others."""
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def standing_text(cause: Cause) -> str:
    """Whether a document of its own is broken, or one of another API; by a path, that of what was exported."""
    if cause.own:
        return "exported, breaks the documentation of the API" if cause.on_path else BREAKS_ITS_OWN
    return STANDING_TEXTS[cause.worst.sort]


def upstream_link(cause: Cause) -> str | None:
    """The web address of the upstream thread."""
    link = cause.entry.link if cause.entry else ""
    return link if link.startswith(("https://", "http://")) else None


def upstream_text(cause: Cause) -> str:
    """``reported upstream``, ``known, not reported upstream`` or ``new, not reported upstream``."""
    if upstream_link(cause):
        return "reported upstream"
    return f"{'known' if cause.known else 'new'}, {UNREPORTED}"


def by_danger(causes: Sequence[Cause]) -> list[tuple[Danger, list[Cause]]]:
    """The causes under each danger that has any, the worst danger first."""
    groups = [(danger, [cause for cause in causes if cause.danger == danger]) for danger in DANGERS]
    return [(danger, members) for danger, members in groups if members]


def others_text(causes: Sequence[Cause]) -> str:
    """``accepts what it should refuse 40, refuses what it should take 12``."""
    counts = Counter(cause.danger for cause in causes)
    return ", ".join(f"{TITLES[danger].lower()} {counts[danger]}" for danger in DANGERS if counts[danger])
