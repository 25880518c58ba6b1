"""summary.md, for a pull request or the summary of a job: the statistics, and folded details of the divergences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from conformance.reports.details import details, reason
from conformance.reports.modes import disagreement_sections, heading_of, lines_of, remarks
from conformance.reports.statistics import (
    ALWAYS_SHOWN,
    SORTS,
    Group,
    TargetStatistics,
    groups,
    incomplete_text,
    target_statistics,
    unexpected_texts,
    word_of,
)
from conformance.reports.text import counted, one_line, shortened, visible
from conformance.results.file import Results

MOST_BYTES = 900_000
"""GitHub drops a step's whole summary above 1 MiB."""
MOST_DETAILS = 4_000
"""Characters of the details of one result."""
MOST_UNEXPECTED = 50
MOST_DISAGREEMENTS = 50

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

_PUNCTUATION = re.compile(r"[^\w\s.,/=+()-]|_|(?<=www)\.")


def inline(text: str) -> str:
    """Any text as code on one line that is not rendered as markup, a mention, an issue or a link."""
    safe = _PUNCTUATION.sub(lambda match: f"&#{ord(match[0])};", one_line(text, 400))
    return f"<code>{safe}</code>"


def fenced(text: str) -> str:
    """Any text as a block, fenced by more tildes than it contains."""
    text = visible(text)
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def summary_md(results: Results, most_bytes: int = MOST_BYTES) -> str:
    """Return the whole file in at most ``most_bytes`` of UTF-8."""
    lines = [*_head(results), *_table(target_statistics(results), complete=results.complete)]
    lines += [*_unexpected(results), *_disagreements(results)]
    text = "\n".join(lines) + "\n"
    remaining = most_bytes - len(text.encode()) - 200
    return text + _folded(results, groups(results), remaining)


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
        remark_text = f" {inline(remark)}" if remark else ""
        yield f"| {inline(row.target.id)}{remark_text} | {' | '.join(cells)} |"
    known = sum(row.known for row in statistics)
    if known:
        yield f"\nincludes {counted(known, 'known divergence')}"


def _unexpected(results: Results) -> Iterator[str]:
    texts = unexpected_texts(results)
    if texts:
        yield "\n**Unexpected passes: known divergences that no longer happen as recorded:**\n"
        yield from (f"- {inline(text)}" for text in texts[:MOST_UNEXPECTED])
        if len(texts) > MOST_UNEXPECTED:
            yield f"- {len(texts) - MOST_UNEXPECTED} more in index.html"


def _disagreements(results: Results) -> Iterator[str]:
    remark_texts = remarks(results)
    if remark_texts:
        yield ""
        yield from (f"- {inline(text)}" for text in remark_texts)
    for title, disagreements in disagreement_sections(results):
        yield f"\n**{title} ({len(disagreements)}):**\n"
        for disagreement in disagreements[:MOST_DISAGREEMENTS]:
            aspects, example = lines_of(disagreement)
            yield f"- {inline(heading_of(disagreement))} {inline(aspects)}, {inline(example)}"
        if len(disagreements) > MOST_DISAGREEMENTS:
            yield f"- {len(disagreements) - MOST_DISAGREEMENTS} more in index.html"


def _folded(results: Results, all_groups: Sequence[Group], most_bytes: int) -> str:
    """As many details blocks as fit, and the number of those left out."""
    parts: list[str] = []
    remaining = most_bytes
    for index, group in enumerate(all_groups):
        part = f"\n{_details(results, group)}\n"
        remaining -= len(part.encode())
        if remaining < 0:
            parts.append(f"\n{len(all_groups) - index} more in index.html\n")
            break
        parts.append(part)
    return "".join(parts)


def _details(results: Results, group: Group) -> str:
    first = group.first
    known = f", known as {inline(first.known)}" if first.known else ""
    title = f"{TITLES[group.sort]}: {inline(first.target)} {inline(first.api)} {inline(first.clause)}"
    summary = f"{title}: {escape(word_of(first))} in {group.count}{known}"
    body = fenced(shortened(details(results, first), MOST_DETAILS))
    return f"<details><summary>{summary}</summary>\n\n{inline(reason(first))}\n\n{body}\n\n</details>"
