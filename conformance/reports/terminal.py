"""The summary that ``run`` and ``report`` print on standard output."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.reports.details import varying_text
from conformance.reports.modes import disagreement_sections, heading_of, left_out_texts, lines_of
from conformance.reports.statistics import (
    Group,
    TargetFigures,
    counts_text,
    groups,
    incomplete_text,
    known_entries,
    target_figures,
    unexpected_texts,
    word_of,
)
from conformance.reports.text import counted, one_line
from conformance.results.file import Results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

NARROWEST_NAME = 18
"""Columns a target's name must have; on a narrower terminal the figures are sentences."""

ALWAYS = {"results", "conforms", "own", "portability"}

COLUMNS = {
    "results": "results",
    "conforms": "con-\nforms",
    "own": "diverges\nown",
    "portability": "\nportab.",
    "died": "died",
    "hung": "hung",
    "blocked": "block-\ned",
    "observed": "ob-\nserved",
    "unsupported": "unsup-\nported",
}

STYLES = {
    "conforms": "green",
    "own": "bold red",
    "portability": "yellow",
    "died": "bold magenta",
    "hung": "bold magenta",
}

SECTIONS = (
    (("own",), "Breaks its own documentation", 20),
    (("died", "hung"), "Died or hung", 10),
    (("portability",), "Differs from what another API documents", 10),
)

MOST_DISAGREEMENTS = 10


def show_summary(results: Results, report: Path | None, *, console: Console | None = None) -> None:
    """Print the figures of each target, the distinct divergences and where the report is.

    report: the folder that holds index.html, or None where none was written.
    console: standard output by default.
    """
    from rich.console import Console

    console = console or Console(file=sys.stdout, highlight=False)
    _say(console, _title(results), "bold")
    incomplete = incomplete_text(results)
    if incomplete:
        _say(console, incomplete, "bold red")
    figures = target_figures(results)
    _show_figures(console, figures, complete=results.complete)
    _say(console, "")
    _show_remarks(console, figures, complete=results.complete)
    varying = varying_text(results)
    if varying:
        _say(console, one_line(varying, 400) + "\n")
    left_out = left_out_texts(results)
    if left_out:
        _say(console, "\n".join(left_out) + "\n")
    _show_stale(console, unexpected_texts(results))
    _show_groups(console, groups(results))
    _show_disagreements(console, results)
    _show_known(console, results)
    if report is not None:
        # never folded: a path is there to be copied
        _say(console, "The report has a glossary of these words.")
        console.print(f"Report: {report / 'index.html'}", soft_wrap=True, markup=False, highlight=False)


def _title(results: Results) -> str:
    cases = counted(len(results.cases), "case")
    return f"{cases}, {counted(len(results.targets), 'target')}, seed {results.run.seed}"


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style or None, markup=False, highlight=False)


def shown_columns(figures: Sequence[TargetFigures]) -> list[str]:
    """Columns that somebody has a number in; those of interest in any case."""
    return [name for name in COLUMNS if name in ALWAYS or any(one.counts[name] for one in figures)]


def _show_figures(console: Console, figures: Sequence[TargetFigures], *, complete: bool) -> None:
    columns = shown_columns(figures)
    left = console.width - sum(1 + max(map(len, COLUMNS[name].split("\n"))) for name in columns)
    if left >= NARROWEST_NAME:
        console.print(_table(figures, columns, left, complete=complete))
        return
    for one in figures:
        said = counts_text(one) if one.results else _short_remark(one, complete=complete)
        _say(console, f"{one_line(one.target.id)}: {said}")


def _table(figures: Sequence[TargetFigures], columns: Sequence[str], left: int, *, complete: bool) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="none")
    table.add_column("\ntarget", overflow="fold")
    for name in columns:
        heading = COLUMNS[name]
        table.add_column(heading if "\n" in heading else f"\n{heading}", justify="right", no_wrap=True)
    for one in figures:
        table.add_row(Text(_name(one, left, complete=complete)), *_numbers(one, columns))
    return table


def _name(one: TargetFigures, width: int, *, complete: bool) -> str:
    """The target's id, broken where its parts meet if the column is narrow, and whether it has no results."""
    lines = [""]
    for part in re.split(r"(?===|@|\[)", one_line(one.target.id)):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("  ")
        lines[-1] += part
    if one.results == 0:
        lines.append("  " + _short_remark(one, complete=complete))
    return "\n".join(lines)


def _short_remark(one: TargetFigures, *, complete: bool) -> str:
    return (one.remark(complete=complete) or "").partition(":")[0]


def _numbers(one: TargetFigures, columns: Sequence[str]) -> Iterator[Text]:
    from rich.text import Text

    if one.results == 0:
        return  # not zeros, which would read as a result
    yield Text(str(one.results))
    for name in columns[1:]:
        number = one.counts[name]
        yield Text(str(number), STYLES.get(name, "") if number else "dim")


def _show_remarks(console: Console, figures: Sequence[TargetFigures], *, complete: bool) -> None:
    remarks = [(one.target.id, one.remark(complete=complete)) for one in figures]
    said = [f"{one_line(name)} {one_line(remark, 400)}" for name, remark in remarks if remark]
    for text in said:
        _say(console, text, "bold red")
    known = sum(one.known for one in figures)
    if known:
        said.append(f"{counted(known, 'result')} known from the ledger of divergences, counted above.")
        _say(console, said[-1])
    if said:
        _say(console, "")


def _show_stale(console: Console, texts: Sequence[str]) -> None:
    if texts:
        _say(console, f"Not as the ledger of divergences says ({len(texts)})", "bold red")
        for text in texts:
            _print_indented(console, one_line(text, 400), 2)
        _say(console, "")


def _show_groups(console: Console, found: Sequence[Group]) -> None:
    for sorts, title, most in SECTIONS:
        some = [group for group in found if group.sort in sorts]
        if some:
            _show_section(console, f"{title} ({len(some)})", some, most)


def _show_section(console: Console, title: str, some: Sequence[Group], most: int) -> None:
    _say(console, title, "bold")
    heading = None
    for group in some[:most]:
        if heading != (group.first.target, group.first.api):
            heading = (group.first.target, group.first.api)
            _print_indented(console, "  ".join(map(one_line, heading)), 2)
        for columns, line in zip((4, 6), group_lines(group), strict=False):
            _print_indented(console, line, columns)
    if len(some) > most:
        _print_indented(console, f"{len(some) - most} more in index.html", 2)
    _say(console, "")


def _show_disagreements(console: Console, results: Results) -> None:
    for title, some in disagreement_sections(results):
        _say(console, f"{title} ({len(some)})", "bold")
        heading = None
        for one in some[:MOST_DISAGREEMENTS]:
            if heading != heading_of(one):
                heading = heading_of(one)
                _print_indented(console, heading, 2)
            for columns, line in zip((4, 6), lines_of(one), strict=True):
                _print_indented(console, line, columns)
        if len(some) > MOST_DISAGREEMENTS:
            _print_indented(console, f"{len(some) - MOST_DISAGREEMENTS} more in index.html", 2)
        _say(console, "")


def _print_indented(console: Console, text: str, columns: int) -> None:
    from rich.text import Text

    for line in Text(text).wrap(console, console.width - columns, overflow="fold"):
        line.rstrip()
        console.print(" " * columns + line.plain, markup=False, highlight=False, soft_wrap=True)


def group_lines(group: Group) -> Iterator[str]:
    """The clause with what happened and how often, then why."""
    first = group.first
    known = f", known: {one_line(first.known, 60)}" if first.known else ""
    yield f"{one_line(first.clause)}: {word_of(first)} in {group.count}{known}"
    if first.explanation:
        yield one_line(first.explanation, 160)


def _show_known(console: Console, results: Results) -> None:
    """Each entry of a ledger that was met, once, with the beginning of its reason and where it is reported."""
    met = known_entries(results)
    if met:
        _say(console, f"Known from the ledger ({len(met)})", "bold")
        for one in met:
            _print_indented(console, f"{one_line(one.id, 60)}: {_beginning(one.reason)} ({one_line(one.link)})", 2)
        _say(console, "")


def _beginning(reason: str) -> str:
    """Its first sentence, where that is short."""
    return one_line(re.split(r"(?<=\.)\s", reason, maxsplit=1)[0], 120)
