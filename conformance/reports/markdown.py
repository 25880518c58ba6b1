"""summary.md, for a pull request or the summary of a job: the statistics, then what is wrong, the most dangerous first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import FINDING_SORTS, Cause, count
from conformance.reports.dangers import TITLES as DANGER_TITLES
from conformance.reports.dangers import (
    UNREPORTED,
    by_danger,
    levels,
    others_text,
    place_text,
    shortened_list,
    standing_text,
    upstream_link,
)
from conformance.reports.examples import EXAMPLES_TITLE, example_text, failing_examples
from conformance.reports.html.overview import link_to
from conformance.reports.modes import disagreement_sections, heading_of, lines_of, remarks
from conformance.reports.statistics import (
    ALWAYS_SHOWN,
    SORTS,
    TargetStatistics,
    incomplete_text,
    target_statistics,
    unexpected_texts,
    word_of,
)
from conformance.reports.text import counted, one_line, visible
from conformance.results.file import Results

MOST_BYTES = 60_000
"""A reader, or a program with a limited context, reads all of it."""
MOST_CHARACTERS = 400
"""Of a message or a name."""
_RESERVED = 100
"""Bytes for the line that says how many are missing."""

HEADINGS = {
    "conforms": "conforms",
    "own": "diverges, own",
    "printed": "diverges, printed",
    "portability": "diverges, portability",
}

TITLES = {
    "own": "breaks its own documentation",
    "printed": "does not give the result of a worked example about it",
    "died": "died",
    "hung": "hung",
    "portability": "differs from another API's documentation",
}


def inline(text: str) -> str:
    """Any text on one line as a code span, which is not rendered as markup, a mention, an issue or a link."""
    text = one_line(text, MOST_CHARACTERS)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    padding = " " if not text or text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def in_cell(text: str) -> str:
    """Any text as a code span in a table."""
    return inline(text).replace("|", "\\|")


def fenced(text: str) -> str:
    """Any text as a block, fenced by more tildes than it contains."""
    text = visible(text)
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def summary_md(results: Results, conclusions: Conclusions | None = None) -> str:
    """Return the whole file in at most MOST_BYTES of UTF-8."""
    conclusions = conclusions or Conclusions(results)
    found = conclusions.causes
    statistics = target_statistics(conclusions.table)
    return _limited([
        *_head(results),
        *_table(statistics, complete=results.complete),
        *_levels(found),
        *_unexpected(results),
        *_causes(results, found),
        *_examples(results),
        *_disagreements(results),
        "",
        "All results are in [index.html](index.html).",
    ])  # fmt: skip


def _limited(lines: Sequence[str]) -> str:
    """As many lines as fit, and the number of the others."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line.encode()) + 1
        if size > MOST_BYTES - _RESERVED:
            rest = sum(map(bool, lines[number:]))
            return "\n".join([*lines[:number], "", f"{counted(rest, 'more line')} in [index.html](index.html)"]) + "\n"
    return "\n".join(lines) + "\n"


def _head(results: Results) -> Iterator[str]:
    run = results.run
    yield "# Conformance\n"
    incomplete = incomplete_text(results)
    if incomplete:
        yield f"> **Incomplete.** {inline(incomplete)}\n"
    cases, targets = counted(len(results.cases), "case"), counted(len(results.targets), "target")
    yield f"{cases}, {targets}, seed {run.seed}, suite {inline(run.suite_version)}, {inline(run.started)}"
    yield f"{inline(run.command)}\n"


def _table(statistics: Sequence[TargetStatistics], *, complete: bool) -> Iterator[str]:
    columns = [sort for sort in reversed(SORTS) if sort in ALWAYS_SHOWN or any(row.counts[sort] for row in statistics)]
    names = ["target", "results", *(HEADINGS.get(sort, sort) for sort in columns)]
    yield f"| {' | '.join(names)} |"
    yield f"| :-- {'| --: ' * (len(names) - 1)}|"
    for row in statistics:
        remark = row.remark(complete=complete)
        numbers = [
            str(row.results),
            *(str(row.counts[sort]) if row.could_have(sort) else "not judged" for sort in columns),
        ]
        cells = numbers if row.results else [""] * len(numbers)
        remark_text = f" {in_cell(remark)}" if remark else ""
        yield f"| {in_cell(row.target.id)}{remark_text} | {' | '.join(cells)} |"
    known = sum(row.known for row in statistics)
    if known:
        yield f"\nincludes {counted(known, 'known divergence')}"


def _levels(found: Sequence[Cause]) -> Iterator[str]:
    """The number of causes and findings of each sort."""
    numbers = {sort: count(found, sort) for sort in FINDING_SORTS}
    lines = [f"- {TITLES[sort].capitalize()}: {levels(number)}" for sort, number in numbers.items() if number.findings]
    if lines:
        yield ""
        yield from lines


def _unexpected(results: Results) -> Iterator[str]:
    texts = unexpected_texts(results)
    if texts:
        yield "\n## Unexpected passes: known divergences that no longer happen as recorded\n"
        yield from (f"- {inline(text)}" for text in texts)


def _causes(results: Results, found: Sequence[Cause]) -> Iterator[str]:
    """What is dangerous or breaks its own documentation by cause, then the number of all other causes."""
    yield "\n## What is wrong, the most dangerous first"
    for danger, members in by_danger([cause for cause in found if cause.is_alarming]):
        yield f"\n**{DANGER_TITLES[danger]} ({len(members)})**\n"
        yield from (_cause(results, cause) for cause in members)
    others = others_text([cause for cause in found if not cause.is_alarming])
    if not found:
        yield "\nNothing."
    if others:
        yield f"\nOther differences from other APIs' documentation, by cause: {others}."


def _cause(results: Results, cause: Cause) -> str:
    first = cause.worst.first
    clause = results.clauses.get(first.clause)
    link = upstream_link(cause)
    upstream = f"[reported upstream](<{link}>)" if link else UNREPORTED if cause.known else f"**new**, {UNREPORTED}"
    words = cause.entry.reason if cause.entry else clause.states if clause else ""
    states = f" {inline(words)}" if words else ""
    return (
        f"- [{word_of(first)}](<index.html{link_to(first)}>) {inline(shortened_list(cause.apis))}"
        f" {inline(place_text(cause))}: {standing_text(cause)}, {upstream}.{states}"
    )


def _examples(results: Results) -> Iterator[str]:
    examples = failing_examples(results)
    if examples:
        yield f"\n## {EXAMPLES_TITLE} ({len(examples)})\n"
        yield from (f"- {inline(example.target)} {inline(example_text(example))}" for example in examples)


def _disagreements(results: Results) -> Iterator[str]:
    remark_texts = remarks(results)
    if remark_texts:
        yield ""
        yield from (f"- {inline(text)}" for text in remark_texts)
    for title, disagreements in disagreement_sections(results):
        yield f"\n## {title} ({len(disagreements)})\n"
        for disagreement in disagreements:
            aspects, example = lines_of(disagreement)
            yield f"- {inline(heading_of(disagreement))} {inline(aspects)}, {inline(example)}"
