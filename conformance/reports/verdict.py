"""The last lines of a run: why it passed or failed, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Finding, FindingSort, causes, count
from conformance.reports.dangers import levels
from conformance.reports.text import counted, one_line
from conformance.results.exit_status import FailOn, exit_status, fails, has_judged, tried
from conformance.results.records import TargetRecord

MOST_COMMANDS = 3
"""Results for which the command that reproduces them is shown."""

_TEXTS: dict[FindingSort, str] = {
    "own": "new divergences from their own documentation",
    "printed": "new divergences from worked examples",
    "portability": "new divergences from other APIs' documentation",
    "died": "new deaths",
    "hung": "new hangs",
}


@dataclass(frozen=True)
class Verdict:
    """The last lines of a run."""

    passed: bool
    line: str
    """Why the run passed or failed, and its exit status."""
    next_steps: Sequence[str]
    """Commands that can be copied."""


def verdict_of(
    conclusions: Conclusions, fail_on: FailOn, folder: Path, seconds: float | None = None, options: Sequence[str] = ()
) -> Verdict:
    """The verdict on the results in a folder.

    seconds: the duration of the run, if it is to be shown. options: those of the run that say where its targets and specs
    are, such as ``--here``, which other commands need too.
    """
    results = conclusions.results
    status = exit_status(results, fail_on)
    failing = [finding for finding in conclusions.findings if fails(finding.first, fail_on)]
    reasons = list(_reasons(conclusions, failing, fail_on)) or ["nothing unexpected"]
    known = sum(result.known is not None for result in results.results)
    counts = [counted(len(results.results), "result"), *([counted(known, "known divergence")] if known else [])]
    took = f" in {seconds:.0f} s" if seconds is not None else ""
    line = f"{'failed' if status else 'passed'}: {', '.join(reasons)} ({'; '.join(counts)}){took}; exit status {status}"
    confirmed = [finding for finding in failing if finding.confirmed]
    return Verdict(status == 0, line, list(_next_steps(conclusions, confirmed, folder, options)))


def _reasons(conclusions: Conclusions, failing: Sequence[Finding], fail_on: FailOn) -> Iterator[str]:
    """What made the exit status other than 0."""
    results = conclusions.results
    if not results.complete:
        yield (results.end.reason if results.end is not None else None) or "incomplete run"
    blocked = sum(target.blocked is not None for target in results.targets)
    if blocked:
        yield f"{counted(blocked, 'target')} could not be run"
    elif not has_judged(results):
        number = tried(results)
        floor = f"only {counted(number, 'result')} judged, {results.run.at_least} expected (--at-least)"
        yield floor if number else "nothing was judged"
    causes_of = causes(conclusions.table, [finding for finding in failing if finding.confirmed])
    for sort, text in _TEXTS.items():
        of_sort = count(causes_of, sort)
        if of_sort.findings:
            yield f"{text}: {levels(of_sort)}"
    unconfirmed = sum(not finding.confirmed for finding in failing)
    if unconfirmed:
        yield counted(unconfirmed, "finding that was not confirmed", "findings that were not confirmed")
    unexpected = len(results.end.unexpected) if results.end is not None and fail_on != "never" else 0
    if unexpected:
        yield counted(unexpected, "unexpected pass", "unexpected passes")


def _next_steps(
    conclusions: Conclusions, failing: Sequence[Finding], folder: Path, options: Sequence[str]
) -> Iterator[str]:
    results, targets = conclusions.results, conclusions.table.targets
    if not results.complete:
        yield one_line(f"{results.run.command} --resume {shlex.quote(str(folder))}", 1000)
    for finding in failing[:MOST_COMMANDS]:
        yield _repro(finding, targets[finding.target], options)
    if failing:
        yield _command("known", "update", str(folder))
    elif (first := _first_new(conclusions.findings)) is not None:
        yield _repro(first, targets[first.target], options)


def _first_new(findings: Sequence[Finding]) -> Finding | None:
    """The first finding that is not known, which does not fail the run."""
    return next((finding for finding in findings if finding.known is None and finding.confirmed), None)


def _repro(finding: Finding, target: TargetRecord, options: Sequence[str]) -> str:
    case, name = finding.first.case, target.asked or target.id
    return _command("repro", case, "--target", name, "--api", finding.api, *options)


def _command(*words: str) -> str:
    return one_line(shlex.join(["conformance", *words]), 1000)
