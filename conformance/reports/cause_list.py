"""The section of what is wrong by cause, the most dangerous first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Cause
from conformance.reports.document import Block, Heading, Item, Items, Line, Sentence, Span, Url, code, line
from conformance.reports.text import counted
from conformance.reports.wording import (
    DANGERS,
    by_danger,
    others_text,
    place_text,
    shortened_list,
    standing_text,
    upstream_link,
    upstream_text,
    word_of,
)

MOST_CAUSES = 8
"""Of one danger, in Markdown."""


def alarming_causes(conclusions: Conclusions) -> Iterator[Block]:
    """What is dangerous or breaks a document about its own API, by cause; then the number of all other causes."""
    yield Heading("What is wrong, the most dangerous first")
    if not conclusions.causes:
        yield Sentence(line("Nothing."))
    alarming = [cause for cause in conclusions.causes if cause.is_alarming]
    for danger, members in by_danger(alarming):
        yield Heading(f"{DANGERS[danger]} ({counted(len(members), 'cause')})", level=3)
        items = [Item(_cause(conclusions, alike)) for alike in _alike(conclusions, members)]
        yield Items(items, {"markdown": MOST_CAUSES})
    others = others_text([cause for cause in conclusions.causes if not cause.is_alarming])
    if others:
        yield Sentence(line(f"Other differences from other APIs' documentation, by cause: {others}."))


def _alike(conclusions: Conclusions, members: Sequence[Cause]) -> list[list[Cause]]:
    """Causes that differ in nothing but their APIs stand together."""
    alike: dict[object, list[Cause]] = {}
    for cause in members:
        key = (
            cause.known or _words(conclusions, cause),
            cause.targets,
            word_of(cause.shown),
            standing_text(cause),
        )
        alike.setdefault((cause.framework, *key), []).append(cause)
    return list(alike.values())


def _words(conclusions: Conclusions, cause: Cause) -> str:
    """The reason in the ledger, or what the clause of its worst finding states."""
    clause = conclusions.results.clauses.get(cause.worst.clause)
    return cause.entry.reason if cause.entry else clause.states if clause else ""


def _cause(conclusions: Conclusions, alike: Sequence[Cause]) -> Line:
    cause = alike[0]
    first, words, link = cause.shown, _words(conclusions, cause), upstream_link(cause)
    text = Span(upstream_text(cause), link=Url(link) if link else None)
    apis = shortened_list([api for member in alike for api in member.apis])
    parts = (code(apis), " ", code(place_text(alike)), f": {standing_text(cause)}, ", text, ".")
    return line(word_of(first), " ", *parts, *((" ", code(words)) if words else ()), " E.g. ", code(first.case))
