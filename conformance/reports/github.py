"""What a workflow on GitHub shows of a run: annotations on the lines of specs, and the summary of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.reports.markdown import TITLES, fenced, summary_md
from conformance.reports.statistics import Group, groups, unexpected_texts, word_of
from conformance.reports.text import counted, one_line, visible
from conformance.results.exit_status import FailOn, fails
from conformance.results.file import Results

MOST_ANNOTATIONS = 10
"""GitHub shows no more of one step."""
MOST_BYTES = 2**20
"""GitHub drops a step's whole summary above 1 MiB."""
_CUT = "\n\nCut here: GitHub shows 1 MiB of a summary; summary.md has all.\n"


def commands(results: Results, fail_on: FailOn) -> Iterator[str]:
    """A workflow command for each of the worst causes that a run fails on, and one that counts the others.

    A cause is one API breaking one clause in one way, told on the line of the spec that states the clause.
    """
    failing = [group for group in groups(results) if fails(group.first, fail_on)]
    for group in failing[:MOST_ANNOTATIONS]:
        yield _annotation(results, group)
    unexpected = unexpected_texts(results) if fail_on != "never" else []
    more = [
        counted(len(failing) - MOST_ANNOTATIONS, "more cause") if len(failing) > MOST_ANNOTATIONS else "",
        f"{counted(len(unexpected), 'entry', 'entries')} of ledgers not as they say" if unexpected else "",
    ]
    if any(more):
        yield _command("notice", {"title": "Conformance"}, f"{', '.join(filter(None, more))}: see the summary")


def step_summary(results: Results, changes: Sequence[str], taken: int = 0) -> str:
    """summary.md and, where versions are compared, what changed; never more than GitHub takes of one step.

    taken: bytes that the step has written to its summary before.
    """
    block = fenced("\n".join(changes)) if changes else ""
    told = f"\n<details><summary>From version to version</summary>\n\n{block}\n\n</details>\n" if changes else ""
    most = MOST_BYTES - taken
    left = most - len(told.encode())
    if left < most // 2:
        told, left = "", most
    return _cut(summary_md(results, min(left, MOST_BYTES)) + told, most)


def _annotation(results: Results, group: Group) -> str:
    first = group.first
    clause = results.clauses.get(first.clause)
    file, _, line = (clause.source if clause else "").rpartition(":")
    place = {"file": file, "line": line} if file and line.isdigit() else {}
    title = f"{first.target} {TITLES[group.sort]}"
    text = f"{first.api}, {first.clause}: {word_of(first)} in {group.count}"
    said = f"\n{first.explanation}" if first.explanation else ""
    return _command("error", {**place, "title": one_line(title)}, visible(text + said))


def _command(name: str, properties: dict[str, str], message: str) -> str:
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cut(text: str, most: int) -> str:
    """At most so many bytes, ending with a line and a note."""
    data = text.encode()
    if len(data) <= most:
        return text
    kept = data[: max(0, most - len(_CUT.encode()))].decode(errors="ignore")
    return kept.rpartition("\n")[0] + _CUT
