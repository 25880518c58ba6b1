"""Timelines as the page shows them."""

from __future__ import annotations

from typing import Any

from conformance.findings.conclusions import Conclusions
from conformance.findings.timeline import VersionChange, timelines
from conformance.outcomes.model import Status
from conformance.reports.html.columns import CaseColumns, ResultColumns, Tables
from conformance.reports.html.versions import SAME, by_size, timeline_data
from tests.reports.sample_several import OLDER, several


def change(was: Status, now: Status, calls: int) -> VersionChange:
    cases = tuple(map(str, range(calls)))
    return VersionChange("x==1@cpu", "x==2@cpu", "a", "f", was, now, cases, (was, now), 0, 0, 0)


def test_a_change_from_one_error_to_another_comes_last_however_many_calls_it_has() -> None:
    some = [change("raised", "raised", 9), change("raised", "returned", 1), change("returned", "raised", 2)]
    assert [len(each.cases) for each in by_size(some)] == [2, 1, 9]


def data() -> tuple[dict[str, Any], list[str]]:
    results, tables = several(), Tables()
    columns = ResultColumns(results, CaseColumns(results, tables), tables)
    [line] = timelines(results)
    return timeline_data(line, Conclusions(results), columns, tables.texts), tables.texts.values


def test_a_cell_that_is_as_the_one_before_is_not_written_again() -> None:
    line, texts = data()
    assert [target["id"] for target in line["targets"]] == [OLDER, "torch==2.13.0@cpu"]
    rows = {(texts[clause], texts[api]): cells for _, clause, api, cells in line["rows"]}
    before, after = rows["gather_elements.example.two-by-two", "torch.gather"]
    assert (before[0], after[0]) == (0, 1)
    assert rows["gather_elements.behaviour.nan-payload", "torch.gather"][1] == SAME


def test_a_step_has_its_changes_with_the_first_result_afterwards_of_each_clause() -> None:
    line, texts = data()
    [step] = line["steps"]
    [change] = step["changes"]
    assert (texts[change["api"]], texts[change["was"]], texts[change["now"]]) == (
        "torch.gather", "raises IndexError", "returns"
    )  # fmt: skip
    assert [count for _, count in change["clauses"]] == [1]
    assert step["apis"] == []
