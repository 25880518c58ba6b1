"""Output for GitHub workflows: annotations on the lines of adapters, and the summary of a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Cause, count
from conformance.judging.vocabulary import FailOn
from conformance.reports.commands import repeat_command
from conformance.reports.document import Document
from conformance.reports.markdown import as_markdown
from conformance.reports.statistics import unexpected_texts
from conformance.reports.summaries import summary_md
from conformance.reports.text import counted, one_line, visible
from conformance.reports.wording import TITLES, extent, levels, lower, word_of
from conformance.results.exit_status import fails
from conformance.results.file import Results
from conformance.results.records import ResultRecord

MOST_ANNOTATIONS = 10
"""GitHub shows at most this many per step."""
MOST_BYTES = 2**20
"""GitHub drops a step's whole summary above 1 MiB."""
_TRUNCATED = "\n\nTruncated: GitHub shows 1 MiB of a summary; see summary.md for the rest.\n"


Place = tuple[str, int]
"""A file, as seen from the workspace, and a line."""


def commands(
    results: Results, fail_on: FailOn, place: Callable[[ResultRecord], Place | None] = lambda _: None
) -> Iterator[str]:
    """A workflow command for each of the worst causes that fail the run, and one with the numbers of the summary.

    place: the line of the workspace on which a result is annotated; None for no file.
    """
    causes = Conclusions(results).causes
    failing = [cause for cause in causes if any(fails(finding.first, fail_on) for finding in cause.findings)]
    for cause in failing[:MOST_ANNOTATIONS]:
        yield _annotation(results, cause, fail_on, place)
    unexpected = unexpected_texts(results) if fail_on != "never" else []
    own = count(causes, "own")
    parts = [
        counted(len(failing) - MOST_ANNOTATIONS, "more cause") if len(failing) > MOST_ANNOTATIONS else "",
        f"{counted(len(unexpected), 'unexpected pass', 'unexpected passes')}" if unexpected else "",
        f"{TITLES['own']}: {levels(own)}" if own.findings else "",
    ]
    if any(parts):
        yield _command("notice", {"title": "Conformance"}, f"{'; '.join(filter(None, parts))}. See the summary.")


def step_summary(results: Results, changes: Document | None, taken: int = 0) -> str:
    """Return summary.md with the changes between versions, cut to what GitHub accepts for one step.

    taken: bytes that the step has already written to its summary.
    """
    most = MOST_BYTES - taken
    folded = ""
    if changes is not None:
        block = as_markdown(changes, max(0, most) // 2, "`index.html`")
        folded = f"\n<details><summary>Changes between versions</summary>\n\n{block}\n\n</details>\n"
    return _truncated(summary_md(results) + folded, most)


def _annotation(results: Results, cause: Cause, fail_on: FailOn, place: Callable[[ResultRecord], Place | None]) -> str:
    failing = [finding for finding in cause.findings if fails(finding.first, fail_on)]
    finding, more = failing[0], len(failing) - 1
    first = finding.first
    found = place(first)
    location = {"file": found[0], "line": str(found[1])} if found is not None else {}
    title = f"{first.target} {lower(TITLES[finding.sort])}"
    others = f", and {counted(more, 'more finding')} of this cause" if more else ""
    text = f"{first.api}, {first.clause}: {word_of(first)} in {extent(finding)}{others}"
    explanation = f"\n{first.explanation}" if first.explanation else ""
    clause = results.clauses.get(first.clause)
    states = f"\n{clause.states}" if clause is not None else ""
    repro = f"\nTo repeat it: {repeat_command(results, first)}"
    return _command("error", {**location, "title": one_line(title)}, visible(text + states + explanation + repro))


def _command(name: str, properties: dict[str, str], message: str) -> str:
    properties_text = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {properties_text}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _truncated(text: str, most: int) -> str:
    """The text in at most ``most`` bytes, cut after a line, with a note."""
    data = text.encode()
    if len(data) <= most:
        return text
    beginning = data[: max(0, most - len(_TRUNCATED.encode()))].decode(errors="ignore")
    return beginning.rpartition("\n")[0] + _TRUNCATED
