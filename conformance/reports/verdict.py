"""Why a run passed or failed, and what to do next; and ``badge.json``, which says it in a few words."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Finding, causes
from conformance.judging.vocabulary import FailOn
from conformance.outcomes.model import is_adapter_fault
from conformance.reports.commands import repeat_command, rerun_command, update_command
from conformance.reports.details import reason
from conformance.reports.document import Block, Code, Sentence, Span, code, line
from conformance.reports.statistics import incomplete_reason, judged_text
from conformance.reports.text import counted, one_line
from conformance.reports.wording import ELSEWHERE, level_texts, lower
from conformance.results.exit_status import exit_status, fails, has_judged, tried
from conformance.results.file import Results

MOST_COMMANDS = 3
"""Findings for which the command that reproduces them is shown."""
_RED, _GREEN, _GREY = "red", "brightgreen", "lightgrey"


def verdict(
    conclusions: Conclusions, fail_on: FailOn, *, seconds: float | None = None, status_shown: bool = False
) -> Iterator[Block]:
    """Whether the run passed, and why; with its duration and its exit status, if these are to be shown."""
    results = conclusions.results
    status = exit_status(results, fail_on)
    reasons: list[str | Span] = []
    for text in [*_reasons(conclusions, fail_on)] or ["nothing unexpected"]:
        reasons += ["; ", text]
    took = f" in {seconds:.0f} s" if seconds is not None else ""
    shown = f"; exit status {status}" if status_shown else ""
    extent = f" ({judged_text(results)}{took})"
    yield Sentence(
        line("failed: " if status else "passed: ", *reasons[1:], extent, shown), "alarm" if status else "good"
    )


def _reasons(conclusions: Conclusions, fail_on: FailOn) -> Iterator[str | Span]:
    """What made the exit status other than 0."""
    results = conclusions.results
    incomplete = incomplete_reason(results)
    if incomplete is not None:
        yield code(f"incomplete run: {incomplete}", 400)
    blocked = sum(target.blocked is not None for target in results.targets)
    if blocked:
        yield f"{counted(blocked, 'target')} could not be run"
    elif not has_judged(results):
        number = tried(results)
        floor = f"only {counted(number, 'result')} judged, {results.run.at_least} expected (--at-least)"
        yield floor if number else "nothing was judged"
    faults = [result for result in results.results if is_adapter_fault(result.outcome)]
    if faults:
        who = "program" if any(target.program is not None for target in results.targets) else "adapter"
        yield code(f"the {who} itself is at fault in {counted(len(faults), 'result')}: {reason(faults[0])}", 300)
    failing = _failing(conclusions, fail_on)
    confirmed = [finding for finding in failing if finding.confirmed]
    new = causes(conclusions.table, [finding for finding in confirmed if finding.is_new], conclusions.shared)
    yield from (f"new: {lower(text)}" for text in level_texts(new))
    elsewhere = sum(not finding.is_new for finding in confirmed)
    if elsewhere:
        yield f"{counted(elsewhere, 'finding')} {ELSEWHERE} only"
    unconfirmed = sum(not finding.confirmed for finding in failing)
    if unconfirmed:
        yield counted(unconfirmed, "finding that was not confirmed", "findings that were not confirmed")
    unexpected = len(results.end.unexpected) if results.end is not None and fail_on != "never" else 0
    if unexpected:
        yield counted(unexpected, "unexpected pass", "unexpected passes")


def _failing(conclusions: Conclusions, fail_on: FailOn) -> list[Finding]:
    return [finding for finding in conclusions.findings if fails(finding.first, fail_on)]


def report(folder: Path) -> Iterator[Block]:
    """Where the report is."""
    yield Sentence(line("The report, with a glossary of these words:"))
    yield Code([str(folder / "index.html")])


def next_steps(conclusions: Conclusions, fail_on: FailOn, folder: Path) -> Iterator[Block]:
    """Commands to be copied, about what failed; if the run passed, about the first finding that no ledger records."""
    commands = list(_commands(conclusions, fail_on, folder))
    if commands:
        yield Sentence(line("Next:"))
        yield Code(commands)


def _commands(conclusions: Conclusions, fail_on: FailOn, folder: Path) -> Iterator[str]:
    results = conclusions.results
    if not results.complete:
        yield one_line(f"{results.run.command} --resume {shlex.quote(str(folder))}", 1000)
    failing = _failing(conclusions, fail_on)
    confirmed = [finding for finding in failing if finding.confirmed]
    shown = [cause.shown for cause in causes(conclusions.table, confirmed, conclusions.shared)]
    if not exit_status(results, fail_on) and (first := _first_unknown(conclusions.findings)) is not None:
        shown = [first.first]
    for result in shown[:MOST_COMMANDS]:
        yield repeat_command(results, result, str(folder))
    # A run that is resumed repeats what it had no time for.
    unconfirmed = [finding.first for finding in failing if not finding.confirmed] if results.complete else []
    for result in unconfirmed[: max(0, MOST_COMMANDS - len(shown))]:
        yield rerun_command(results, result, str(folder))
    update = None
    if confirmed:
        update = update_command(results, str(folder), *(("--all",) if fail_on == "any" else ()))
    elif results.end is not None and any(each.how == "passed" for each in results.end.unexpected):
        update = update_command(results, str(folder), "--prune")
    yield from [update] if update else []


def _first_unknown(findings: Sequence[Finding]) -> Finding | None:
    """The first finding that no ledger records, which does not fail the run."""
    return next((finding for finding in findings if finding.known is None and finding.confirmed), None)


def badge_json(results: Results, conclusions: Conclusions | None = None) -> str:
    """A badge in the format of Shields endpoints (https://shields.io/badges/endpoint-badge)."""
    message, color = _badge_message(results, conclusions or Conclusions(results))
    badge = {"schemaVersion": 1, "label": "scatter and gather", "message": message, "color": color}
    return json.dumps(badge, indent=1) + "\n"


def _badge_message(results: Results, conclusions: Conclusions) -> tuple[str, str]:
    if not results.complete:
        return "incomplete run", _GREY
    alarming = [finding for finding in conclusions.findings if finding.sort != "portability"]
    parts = [lower(text) for text in level_texts(causes(conclusions.table, alarming, conclusions.shared))]
    if parts:
        return "; ".join([*parts, judged_text(results)]), _RED
    return (
        (f"as documented; {judged_text(results)}", _GREEN)
        if results.finished
        else ("not every target could be run", _GREY)
    )
