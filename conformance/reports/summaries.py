"""The summary on the terminal, and summary.md: which sections each has, in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.findings.conclusions import Conclusions
from conformance.judging.vocabulary import FailOn
from conformance.reports import sections
from conformance.reports.cause_list import alarming_causes
from conformance.reports.document import Block, Document, Sentence, code, line
from conformance.reports.markdown import as_markdown, contents
from conformance.reports.text import counted
from conformance.reports.verdict import verdict
from conformance.reports.wording import origins_text
from conformance.results.file import Results

MOST_BYTES, MOST_LINES = 60_000, 200
"""Of summary.md: a reader, or a program with a limited context, reads all of it."""
_WHOLE = "`conclusions.json`"


def summary(
    conclusions: Conclusions,
    *,
    fail_on: FailOn | None = None,
    seconds: float | None = None,
    verbose: bool = False,
) -> Document:
    """The summary on the terminal.

    fail_on: of the command, which ends with this exit status; by default that of the run, without an exit status.
    seconds: the duration of the run, if it is to be shown. verbose: with every finding, known or not.
    If no target started, it says why, and nothing else.
    """
    status_shown, fail_on = fail_on is not None, fail_on or conclusions.results.run.fail_on
    targets = conclusions.results.targets
    if targets and not conclusions.results.results and all(target.blocked is not None for target in targets):
        return Document.of(
            verdict(conclusions, fail_on, seconds=seconds, status_shown=status_shown),
            sections.without_results(conclusions),
        )
    more = _everything(conclusions) if verbose else _in_short(conclusions)
    return Document.of(
        verdict(conclusions, fail_on, seconds=seconds, status_shown=status_shown),
        _head(conclusions),
        sections.counts(conclusions),
        sections.unexpected(conclusions),
        sections.new(conclusions, fail_on),
        sections.programs(conclusions),
        more,
    )


def _in_short(conclusions: Conclusions) -> Iterator[Block]:
    yield from sections.all_levels(conclusions, for_porting=True)
    yield from sections.ledgers(conclusions)
    yield from sections.only_listed(conclusions)
    yield from sections.remarks_in_short(conclusions)


def _everything(conclusions: Conclusions) -> Iterator[Block]:
    yield from sections.all_counts(conclusions)
    yield from sections.all_missing_forms(conclusions)
    yield from sections.all_findings(conclusions)
    yield from sections.all_levels(conclusions, for_porting=True)
    yield from sections.ledgers(conclusions)
    yield from sections.ledger_entries(conclusions)
    yield from sections.examples(conclusions)
    yield from sections.disagreeing(conclusions)
    yield from sections.all_remarks(conclusions)


def _head(conclusions: Conclusions) -> Iterator[Block]:
    results = conclusions.results
    origins = origins_text(Counter(case.variation.kind for case in results.cases.values()))
    cases, targets = counted(len(results.cases), "case"), counted(len(results.targets), "target")
    yield Sentence(line(f"{cases}{origins}, {targets}, seed {results.run.seed}"))


def summary_md(results: Results, conclusions: Conclusions | None = None) -> str:
    """The whole of summary.md, in at most MOST_BYTES of UTF-8 and MOST_LINES lines.

    It links to its headings and to upstream threads, which work where GitHub shows it.
    """
    conclusions = conclusions or Conclusions(results)
    run = results.run
    document = Document.of(
        verdict(conclusions, run.fail_on),
        _head(conclusions),
        [Sentence(line(code(run.command), " by suite ", code(run.suite_version), ", started ", code(run.started)))],
        sections.counts(conclusions),
        sections.unexpected(conclusions),
        sections.new(conclusions, run.fail_on),
        sections.programs(conclusions),
        sections.all_levels(conclusions),
        sections.ledgers(conclusions),
        alarming_causes(conclusions),
        sections.examples(conclusions),
        sections.disagreeing(conclusions),
        sections.missing_forms(conclusions),
        sections.all_remarks(conclusions),
    )
    head = (
        f"# Conformance\n\n{contents(document)}\n\nEvery statement, with the results it rests on, is in {_WHOLE}.\n\n"
    )
    lines = MOST_LINES - head.count("\n")
    return head + as_markdown(document, MOST_BYTES - len(head.encode()), _WHOLE, lines)
