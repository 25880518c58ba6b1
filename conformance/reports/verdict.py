"""The last lines of a run: why it passed or failed, and what to do next."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.reports.statistics import groups, sort_of
from conformance.reports.text import counted, one_line
from conformance.results.exit_status import FailOn, exit_status, fails, has_judged, tried
from conformance.results.file import Results
from conformance.results.records import ResultRecord

MOST_COMMANDS = 3
"""Results for which the command that reproduces them is shown."""

_NOUNS = {
    "own": ("new divergence from its own documentation", "new divergences from their own documentation"),
    "printed": ("new divergence from a worked example", "new divergences from worked examples"),
    "portability": (
        "new divergence from another API's documentation",
        "new divergences from other APIs' documentation",
    ),
    "died": ("new death", "new deaths"),
    "hung": ("new hang", "new hangs"),
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
    results: Results, fail_on: FailOn, folder: Path, seconds: float | None = None, options: Sequence[str] = ()
) -> Verdict:
    """The verdict on the results in a folder.

    seconds: the duration of the run, if it is to be shown. options: those of the run that say where its targets and specs
    are, such as ``--here``, which other commands need too.
    """
    status = exit_status(results, fail_on)
    failures = [result for result in results.results if fails(result, fail_on)]
    failing = [result for result in failures if result.confirmed]
    reasons = list(_reasons(results, failing, len(failures) - len(failing), fail_on)) or ["nothing unexpected"]
    known = sum(result.known is not None for result in results.results)
    counts = [counted(len(results.results), "result"), *([counted(known, "known divergence")] if known else [])]
    took = f" in {seconds:.0f} s" if seconds is not None else ""
    line = f"{'failed' if status else 'passed'}: {', '.join(reasons)} ({'; '.join(counts)}){took}; exit status {status}"
    return Verdict(status == 0, line, list(_next_steps(results, failing, folder, options)))


def _reasons(results: Results, failing: Sequence[ResultRecord], unconfirmed: int, fail_on: FailOn) -> Iterator[str]:
    """What made the exit status other than 0."""
    if not results.complete:
        yield (results.end.reason if results.end is not None else None) or "incomplete run"
    blocked = sum(target.blocked is not None for target in results.targets)
    if blocked:
        yield f"{counted(blocked, 'target')} could not be run"
    elif not has_judged(results):
        count = tried(results)
        floor = f"only {counted(count, 'result')} judged, {results.run.at_least} expected (--at-least)"
        yield floor if count else "nothing was judged"
    counts = Counter(map(sort_of, failing))
    yield from (counted(counts[sort], *nouns) for sort, nouns in _NOUNS.items() if counts[sort])
    if unconfirmed:
        yield counted(unconfirmed, "finding that was not confirmed", "findings that were not confirmed")
    unexpected = len(results.end.unexpected) if results.end is not None and fail_on != "never" else 0
    if unexpected:
        yield counted(unexpected, "unexpected pass", "unexpected passes")


def _next_steps(
    results: Results, failing: Sequence[ResultRecord], folder: Path, options: Sequence[str]
) -> Iterator[str]:
    asked = {target.id: target.asked or target.id for target in results.targets}
    if not results.complete:
        yield one_line(f"{results.run.command} --resume {shlex.quote(str(folder))}", 1000)
    for result in failing[:MOST_COMMANDS]:
        yield _repro(result, asked, options)
    if failing:
        yield _command("known", "update", str(folder))
    elif (first := _first_finding(results)) is not None:
        yield _repro(first, asked, options)


def _first_finding(results: Results) -> ResultRecord | None:
    """The first finding of the summary that is not known, which does not fail the run."""
    findings = (group.first for group in groups(results))
    return next((result for result in findings if result.known is None and result.confirmed), None)


def _repro(result: ResultRecord, asked: Mapping[str, str], options: Sequence[str]) -> str:
    target = asked.get(result.target, result.target)
    return _command("repro", result.case, "--target", target, "--api", result.api, *options)


def _command(*words: str) -> str:
    return one_line(shlex.join(["conformance", *words]), 1000)
