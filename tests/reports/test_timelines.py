"""Timelines as text: what matters first, and as much of it as helps."""

from __future__ import annotations

from conformance.findings.timeline import timelines
from conformance.matrix.merging import merged
from conformance.matrix.parts import Part
from conformance.reports.timelines import lines
from conformance.results.file import Results
from tests.matrix.small import CASES, blocked, run
from tests.outcomes import ABORT, raised

ONE, TWO, THREE = CASES


def told(*runs: Results, width: int = 200) -> list[str]:
    whole = merged([Part(str(number), one) for number, one in enumerate(runs)], "a test").results
    return list(lines(timelines(whole), whole, width))


def test_whether_a_call_returns_comes_before_which_error_it_is_and_a_death_before_both() -> None:
    before = run({ONE: raised("TypeError")})
    after = run({ONE: raised(), TWO: raised(), THREE: ABORT}, "2.0")
    text = told(before, after)
    causes = [line.strip() for line in text if " -> " in line and line.startswith("    ")]
    assert [cause.partition(": ")[2] for cause in causes] == [
        "returns -> died (SIGABRT), 1 call",
        "returns -> raises IndexError, 1 call",
        "raises TypeError -> raises IndexError, 1 call",
    ]
    # One error in place of another is told in its line alone.
    assert text[text.index(f"    {causes[2]}") + 1] == ""


def test_versions_that_did_not_start_and_steps_without_a_change_are_told() -> None:
    text = told(run(), run(records=[blocked("1.5")]), run(version="2.0"))
    assert text[0] == "Mine, eager, cpu: 1.0, 1.5, 2.0"
    assert text[1:3] == ["  1.5 did not start: no index has it", "  1.0 -> 2.0: no call changed, 3 the same"]


def test_no_line_is_wider_than_the_terminal() -> None:
    text = told(run(), run({TWO: raised()}, "2.0"), width=50)
    assert max(map(len, text)) <= 50


def test_one_version_alone_is_told_in_a_sentence() -> None:
    assert told(run()) == ["No framework has results for two versions, so there is nothing to compare."]
