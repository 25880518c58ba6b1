"""The summary that ``run`` and ``report`` print on standard output."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Cause, Finding, FindingSort, count
from conformance.reports.dangers import levels
from conformance.reports.details import varying_text
from conformance.reports.examples import EXAMPLES_TITLE, example_text, failing_examples
from conformance.reports.modes import disagreement_sections, heading_of, lines_of, remarks
from conformance.reports.statistics import (
    ALWAYS_SHOWN,
    TargetStatistics,
    counts_text,
    extent,
    incomplete_text,
    origins_text,
    target_statistics,
    unexpected_texts,
    word_of,
)
from conformance.reports.terminal_portability import meanings, shown_lines
from conformance.reports.text import counted, one_line, one_line_with_end
from conformance.reports.verdict import Verdict
from conformance.results.file import Results
from conformance.results.records import ExampleRecord

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

NARROWEST_NAME = 18
"""Minimum columns for the id of a target; on a narrower terminal the statistics are sentences."""

COLUMNS = {
    "results": "results",
    "conforms": "con-\nforms",
    "own": "diverges\nown",
    "printed": "\nprinted",
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
    "printed": "bold red",
    "portability": "yellow",
    "died": "bold magenta",
    "hung": "bold magenta",
}

SECTIONS: tuple[tuple[tuple[FindingSort, ...], str, int], ...] = (
    (("own",), "Breaks its own documentation", 20),
    (("printed",), "Does not give the result of a worked example about it", 10),
    (("died", "hung"), "Died or hung", 10),
    (("portability",), "Differs from another API's documentation", 10),
)

MOST_DISAGREEMENTS = 10


def show_summary(
    results: Results, report: Path | None, *, console: Console | None = None, verbose: bool = False
) -> None:
    """Print the statistics of each target, the distinct divergences and the path of the report.

    report: the folder with index.html, or None if it was not written.
    console: standard output by default.
    verbose: print every divergence, and how many processes each target started.
    """
    from rich.console import Console

    console = console or Console(file=sys.stdout, highlight=False)
    _print(console, _title(results), "bold")
    incomplete = incomplete_text(results)
    if incomplete:
        _print(console, incomplete, "bold red")
    conclusions = Conclusions(results)
    statistics = target_statistics(conclusions.table)
    _show_statistics(console, statistics, complete=results.complete)
    _print(console, "")
    _show_remarks(console, statistics, complete=results.complete)
    varying = varying_text(results)
    if varying:
        _print(console, one_line(varying, 400) + "\n")
    remark_texts = remarks(results)
    if remark_texts:
        _print(console, "\n".join(remark_texts) + "\n")
    _show_unexpected(console, unexpected_texts(results))
    _show_examples(console, failing_examples(results))
    _show_findings(console, conclusions, verbose=verbose)
    _show_disagreements(console, results)
    _show_known(console, conclusions.causes)
    if verbose:
        _show_processes(console, results)
    if report is not None:
        show_report(report, console=console)


def show_report(folder: Path, *, console: Console | None = None) -> None:
    """Print the path of the report in a folder."""
    from rich.console import Console

    console = console or Console(file=sys.stdout, highlight=False)
    _print(console, "The report has a glossary of these words.")
    # not wrapped, so that the path can be copied
    console.print(f"Report: {folder / 'index.html'}", soft_wrap=True, markup=False, highlight=False)


def show_verdict(verdict: Verdict, *, console: Console | None = None) -> None:
    """Print why a run passed or failed, and the commands to run next."""
    from rich.console import Console

    console = console or Console(file=sys.stdout, highlight=False)
    _print(console, verdict.line, "bold green" if verdict.passed else "bold red")
    for command in verdict.next_steps:
        console.print(f"  {command}", soft_wrap=True, markup=False, highlight=False)


def _show_processes(console: Console, results: Results) -> None:
    for target in results.targets:
        if target.imports is not None and target.forks is not None:
            imports = counted(target.imports, "process imported it", "processes imported it")
            forks = counted(target.forks, "worker was forked after an import", "workers were forked after an import")
            _print(console, f"{one_line(target.id)}: {imports}, {forks}")
    _print(console, "")


def _title(results: Results) -> str:
    cases = counted(len(results.cases), "case")
    origins = origins_text(Counter(case.provenance for case in results.cases.values()))
    return f"{cases}{origins}, {counted(len(results.targets), 'target')}, seed {results.run.seed}"


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style or None, markup=False, highlight=False)


def shown_columns(statistics: Sequence[TargetStatistics]) -> list[str]:
    """Columns with a number in any row, and those that are always shown."""
    return [
        name for name in COLUMNS if name in {"results", *ALWAYS_SHOWN} or any(row.counts[name] for row in statistics)
    ]


def _show_statistics(console: Console, statistics: Sequence[TargetStatistics], *, complete: bool) -> None:
    columns = shown_columns(statistics)
    width = console.width - sum(1 + max(map(len, COLUMNS[name].split("\n"))) for name in columns)
    if width >= NARROWEST_NAME:
        console.print(_table(statistics, columns, width, complete=complete))
        return
    for row in statistics:
        _print(
            console,
            f"{one_line(row.target.id)}: {row.problem(complete=complete) if not row.results else counts_text(row)}",
        )


def _table(statistics: Sequence[TargetStatistics], columns: Sequence[str], width: int, *, complete: bool) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="none")
    table.add_column("\ntarget", overflow="fold")
    for name in columns:
        heading = COLUMNS[name]
        table.add_column(heading if "\n" in heading else f"\n{heading}", justify="right", no_wrap=True)
    for row in statistics:
        table.add_row(Text(_name(row, width, complete=complete)), *_numbers(row, columns))
    return table


def _name(row: TargetStatistics, width: int, *, complete: bool) -> str:
    """The id of the target, broken between its parts if the column is narrow, with its problem if it has no results."""
    lines = [""]
    for part in re.split(r"(?===|@|\[)", one_line(row.target.id)):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("  ")
        lines[-1] += part
    if row.results == 0:
        lines.append(f"  {row.problem(complete=complete)}")
    return "\n".join(lines)


def _numbers(row: TargetStatistics, columns: Sequence[str]) -> Iterator[Text]:
    from rich.text import Text

    if row.results == 0:
        return  # zeros would look like a result
    yield Text(str(row.results))
    for name in columns[1:]:
        number = row.counts[name]
        yield Text(str(number) if row.could_have(name) else "-", STYLES.get(name, "") if number else "dim")


def _show_remarks(console: Console, statistics: Sequence[TargetStatistics], *, complete: bool) -> None:
    remarks = [(row.target.id, remark) for row in statistics if (remark := row.remark(complete=complete))]
    for name, remark in remarks:
        _print(console, f"{one_line(name)} {one_line_with_end(remark, 400)}", "bold red")
    known = sum(row.known for row in statistics)
    if known:
        _print(console, f"includes {counted(known, 'known divergence')}")
    if remarks or known:
        _print(console, "")


def _show_unexpected(console: Console, texts: Sequence[str]) -> None:
    if texts:
        title = "Unexpected passes: known divergences that no longer happen as recorded"
        _print(console, f"{title} ({len(texts)})", "bold red")
        for text in texts:
            _print_indented(console, one_line(text, 400), 2)
        _print(console, "")


def _show_examples(console: Console, examples: Sequence[ExampleRecord]) -> None:
    if examples:
        _print(console, f"{EXAMPLES_TITLE} ({len(examples)})", "bold")
        for target, members in groupby(examples, key=lambda example: example.target):
            _print_indented(console, one_line(target), 2)
            for example in members:
                _print_indented(console, example_text(example), 4)
        _print(console, "")


def _show_findings(console: Console, conclusions: Conclusions, *, verbose: bool) -> None:
    for sorts, title, most in SECTIONS:
        members = [finding for finding in conclusions.findings if finding.sort in sorts]
        heading = f"{title}: {levels(count(conclusions.causes, *sorts))}"
        if members and sorts == ("portability",) and not verbose:
            _show_portability(console, heading, members)
        elif members:
            _show_section(console, heading, members, len(members) if verbose else most)


def _show_portability(console: Console, title: str, members: Sequence[Finding]) -> None:
    _print(console, title, "bold")
    for columns, line in shown_lines(meanings(members)):
        _print_indented(console, line, columns)
    _print_indented(console, "run -v and report -v list them by API and clause, as index.html does", 2)
    _print(console, "")


def _show_section(console: Console, title: str, members: Sequence[Finding], most: int) -> None:
    _print(console, title, "bold")
    heading = None
    for finding in members[:most]:
        if heading != (finding.target, finding.api):
            heading = (finding.target, finding.api)
            _print_indented(console, "  ".join(map(one_line, heading)), 2)
        for columns, line in zip((4, 6), finding_lines(finding), strict=False):
            _print_indented(console, line, columns)
    if len(members) > most:
        _print_indented(console, f"{len(members) - most} more in index.html", 2)
    _print(console, "")


def _show_disagreements(console: Console, results: Results) -> None:
    for title, disagreements in disagreement_sections(results):
        _print(console, f"{title} ({len(disagreements)})", "bold")
        heading = None
        for disagreement in disagreements[:MOST_DISAGREEMENTS]:
            if heading != heading_of(disagreement):
                heading = heading_of(disagreement)
                _print_indented(console, heading, 2)
            for columns, line in zip((4, 6), lines_of(disagreement), strict=True):
                _print_indented(console, line, columns)
        if len(disagreements) > MOST_DISAGREEMENTS:
            _print_indented(console, f"{len(disagreements) - MOST_DISAGREEMENTS} more in index.html", 2)
        _print(console, "")


def _print_indented(console: Console, text: str, columns: int) -> None:
    from rich.text import Text

    for line in Text(text).wrap(console, console.width - columns, overflow="fold"):
        line.rstrip()
        console.print(" " * columns + line.plain, markup=False, highlight=False, soft_wrap=True)


def finding_lines(finding: Finding) -> Iterator[str]:
    """The clause with what happened and how often, then the explanation."""
    first = finding.first
    known = f", known: {one_line(finding.known, 60)}" if finding.known else ""
    yield f"{one_line(finding.clause)}: {word_of(first)} in {extent(finding)}{known}"
    if first.explanation:
        yield one_line(first.explanation, 160)


def _show_known(console: Console, causes: Sequence[Cause]) -> None:
    """Each known divergence of the results once, with the first sentence of its reason, and its link."""
    known = [cause.entry for cause in causes if cause.entry is not None]
    if known:
        _print(console, f"Known divergences ({len(known)})", "bold")
        for entry in known:
            text = f"{one_line(entry.id, 60)}: {_first_sentence(entry.reason)} ({one_line(entry.link)})"
            _print_indented(console, text, 2)
        _print(console, "")


def _first_sentence(reason: str) -> str:
    return one_line(re.split(r"(?<=\.)\s", reason, maxsplit=1)[0], 120)
