"""Timelines as text: what matters first, and as much of it as helps."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from conformance.findings.timeline import timelines
from conformance.matrix.merging import merged
from conformance.matrix.parts import Part
from conformance.reports.markdown import as_markdown
from conformance.reports.terminal import show
from conformance.reports.timelines import timelines_document
from conformance.results.file import Results
from conformance.results.table import Table
from tests.matrix.small import API, CASES, blocked, run
from tests.outcomes import ABORT, raised

ONE, TWO, THREE = CASES


def told(*runs: Results, width: int = 200) -> list[str]:
    whole = merged([Part(str(number), one) for number, one in enumerate(runs)], "a test").results
    file = io.StringIO()
    show(timelines_document(timelines(whole), Table(whole)), Console(file=file, width=width))
    return file.getvalue().splitlines()


def test_whether_a_call_returns_comes_before_which_error_it_is_and_a_death_before_both() -> None:
    before = run({ONE: raised("TypeError")})
    after = run({ONE: raised(), TWO: raised(), THREE: ABORT}, "2.0")
    text = told(before, after)
    causes = [line.strip() for line in text if " -> " in line and "call" in line and "changed" not in line]
    assert [cause.partition(": ")[2] for cause in causes] == [
        "returns -> died (SIGABRT), 1 call",
        "returns -> raises IndexError, 1 call",
        "raises TypeError -> raises IndexError, 1 call",
    ]
    # One error in place of another is told in its line alone.
    assert text[-1] == f"  {causes[2]}"


def test_versions_that_did_not_start_and_steps_without_a_change_are_told() -> None:
    text = told(run(), run(records=[blocked("1.5")]), run(version="2.0"))
    assert text == [
        "Changes from version to version",
        "Mine, eager, cpu: 1.0, 1.5, 2.0",
        "  1.5 did not start: no index has it",
        "",
        "1.0 -> 2.0: no call changed, 3 the same",
    ]


def test_a_change_of_a_call_that_the_version_before_did_not_make_names_the_one_that_made_it() -> None:
    text = told(run(), run(version="2.0", cases=(0, 2)), run({TWO: raised()}, "3.0"))
    assert f"  {API}: returns -> raises IndexError, 1 call; last called in 1.0" in text


def test_nothing_of_a_framework_is_markup() -> None:
    evil = "<img src=x> @somebody"
    whole = merged([Part("1", run()), Part("2", run({TWO: raised(evil)}, "2.0"))], "a test").results
    whole.targets[:] = [replace(target, title=evil, mode=evil) for target in whole.targets]
    text = as_markdown(timelines_document(timelines(whole), Table(whole)), 10_000, "index.html")
    assert text.count(evil) == text.count(f"`{evil}`") + text.count(f"`raises {evil}`") == 4


def test_one_version_alone_is_told_in_a_sentence() -> None:
    assert told(run()) == ["No framework has results for two versions, so there is nothing to compare."]
