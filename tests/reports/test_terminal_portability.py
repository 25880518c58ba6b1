from __future__ import annotations

from typing import Any

from conformance.findings.findings import Finding
from conformance.judging.vocabulary import Divergence
from conformance.reports.terminal_portability import MOST_LINES, meanings, shown_lines
from conformance.results.records import ResultRecord
from tests.outcomes import returned

KINDS: tuple[Divergence, ...] = ("value", "shape", "dtype", "accepted", "rejected", "aliased")


def finding(target: str, api: str, kind: Divergence, count: int = 1, **more: Any) -> Finding:
    result = ResultRecord(
        "it.rule.a/1", target, api, "it.rule.a", returned(), "diverges", "portability", [kind], f"its {kind}", **more
    )
    return Finding(target, api, "it.rule.a", "portability", (kind,), None, True, (result,) * count, count, "wrong")


def test_divergences_that_mean_the_same_are_one_line_the_most_frequent_first() -> None:
    findings = [finding("t@cpu", "f", "value"), finding("t@cpu", "g", "shape", 3), finding("t@cpu", "h", "value")]
    assert [meaning.line for meaning in meanings(findings)] == [
        "returns another shape: g, 3 results",
        "returns other values: f and 1 more API, 2 results",
    ]


def test_what_was_done_with_an_index_out_of_bounds_is_named() -> None:
    [meaning] = meanings([finding("t@cpu", "f", "accepted", behaviour="clamps")])
    assert meaning.text == "clamps an index out of bounds"


def test_few_meanings_are_shown_with_examples() -> None:
    lines = list(shown_lines(meanings([finding("t@cpu", "f", "value")])))
    assert lines == [
        (2, "t@cpu"),
        (4, "returns other values: f, 1 result"),
        (6, "e.g. it.rule.a: its value"),
    ]


def test_many_meanings_are_at_most_ten_lines_with_some_of_each_target() -> None:
    findings = [finding(target, "f", kind) for target in ("a@cpu", "b@cpu", "c@cpu") for kind in KINDS]
    lines = list(shown_lines(meanings(findings)))
    assert len(lines) == MOST_LINES
    assert [line for columns, line in lines if columns == 2] == ["a@cpu", "b@cpu", "c@cpu"]
