"""summary.md, for a pull request or a job's summary: the terminal's figures, the divergences folded away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from conformance.reports.details import account, reason
from conformance.reports.modes import disagreement_sections, heading_of, left_out_texts, lines_of
from conformance.reports.statistics import (
    SORTS,
    Group,
    TargetFigures,
    groups,
    incomplete_text,
    target_figures,
    unexpected_texts,
    word_of,
)
from conformance.reports.text import counted, one_line, shortened, visible
from conformance.results.file import Results

MOST_BYTES = 900_000
"""GitHub drops a step's whole summary above 1 MiB."""
MOST_ACCOUNT = 4_000
MOST_STALE = 50
MOST_DISAGREEMENTS = 50

HEADINGS = {
    "conforms": "conforms",
    "own": "diverges, own",
    "portability": "diverges, portability",
}

TITLES = {
    "own": "breaks its own documentation",
    "died": "died",
    "hung": "hung",
    "portability": "differs from what another API documents",
}

_PUNCTUATION = re.compile(r"[^\w\s.,/=+()-]|_|(?<=www)\.")


def inline(text: str) -> str:
    """Any text as code on one line that no renderer takes for markup, a mention, an issue or a link."""
    safe = _PUNCTUATION.sub(lambda match: f"&#{ord(match[0])};", one_line(text, 400))
    return f"<code>{safe}</code>"


def fenced(text: str) -> str:
    """Any text as a block, fenced by more tildes than it has itself."""
    text = visible(text)
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def summary_md(results: Results, most_bytes: int = MOST_BYTES) -> str:
    """The whole file, never longer than ``most_bytes`` of UTF-8."""
    lines = [*_head(results), *_table(target_figures(results), complete=results.complete), *_stale(results)]
    lines += _disagreements(results)
    text = "\n".join(lines) + "\n"
    left = most_bytes - len(text.encode()) - 200
    return text + _folded(results, groups(results), left)


def _head(results: Results) -> Iterator[str]:
    run = results.run
    yield "# Conformance\n"
    incomplete = incomplete_text(results)
    if incomplete:
        yield f"> **Incomplete.** {inline(incomplete)}\n"
    cases, targets = counted(len(results.cases), "case"), counted(len(results.targets), "target")
    yield f"{cases}, {targets}, seed {run.seed}, suite {inline(run.suite_version)}, {inline(run.started)}"
    yield f"{inline(run.command)}\n"


def _table(figures: Sequence[TargetFigures], *, complete: bool) -> Iterator[str]:
    columns = [sort for sort in reversed(SORTS) if sort in HEADINGS or any(one.counts[sort] for one in figures)]
    names = ["target", "results", *(HEADINGS.get(sort, sort) for sort in columns)]
    yield f"| {' | '.join(names)} |"
    yield f"| :-- {'| --: ' * (len(names) - 1)}|"
    for one in figures:
        remark = one.remark(complete=complete)
        numbers = [one.results, *(one.counts[sort] for sort in columns)]
        cells = [str(number) if one.results else "" for number in numbers]
        said = f" {inline(remark)}" if remark else ""
        yield f"| {inline(one.target.id)}{said} | {' | '.join(cells)} |"
    known = sum(one.known for one in figures)
    if known:
        yield f"\n{counted(known, 'result')} known from the ledger of divergences, counted above."


def _stale(results: Results) -> Iterator[str]:
    texts = unexpected_texts(results)
    if texts:
        yield "\n**Not as the ledger of divergences says:**\n"
        yield from (f"- {inline(text)}" for text in texts[:MOST_STALE])
        if len(texts) > MOST_STALE:
            yield f"- {len(texts) - MOST_STALE} more in index.html"


def _disagreements(results: Results) -> Iterator[str]:
    left_out = left_out_texts(results)
    if left_out:
        yield ""
        yield from (f"- {inline(text)}" for text in left_out)
    for title, some in disagreement_sections(results):
        yield f"\n**{title} ({len(some)}):**\n"
        for one in some[:MOST_DISAGREEMENTS]:
            what, example = lines_of(one)
            yield f"- {inline(heading_of(one))} {inline(what)}, {inline(example)}"
        if len(some) > MOST_DISAGREEMENTS:
            yield f"- {len(some) - MOST_DISAGREEMENTS} more in index.html"


def _folded(results: Results, found: Sequence[Group], left: int) -> str:
    """As many details blocks as there is room for, and how many were left out."""
    parts: list[str] = []
    for place, group in enumerate(found):
        part = f"\n{_details(results, group)}\n"
        left -= len(part.encode())
        if left < 0:
            parts.append(f"\n{len(found) - place} more in index.html\n")
            break
        parts.append(part)
    return "".join(parts)


def _details(results: Results, group: Group) -> str:
    first = group.first
    known = f", known as {inline(first.known)}" if first.known else ""
    title = f"{TITLES[group.sort]}: {inline(first.target)} {inline(first.api)} {inline(first.clause)}"
    summary = f"{title}: {escape(word_of(first))} in {group.count}{known}"
    body = fenced(shortened(account(results, first), MOST_ACCOUNT))
    return f"<details><summary>{summary}</summary>\n\n{inline(reason(first))}\n\n{body}\n\n</details>"
