"""Timelines as the page shows them."""

from __future__ import annotations

from typing import Any

from conformance.findings.conclusions import Conclusions
from conformance.findings.timeline import BehaviourChange, timelines
from conformance.reports.html.columns import CaseColumns, ResultColumns, Tables
from conformance.reports.html.versions import SAME, change_groups, timeline_data
from conformance.results.records import ResultRecord
from tests.outcomes import raised, returned
from tests.reports.sample_several import OLDER, several


def changed(api: str, was: str, now: str, calls: int, clause: str = "a.rule.b") -> BehaviourChange:
    def result(said: str) -> ResultRecord:
        outcome = raised(said.removeprefix("raises ")) if said.startswith("raises") else returned()
        return ResultRecord(f"{clause}/1", "x@cpu", api, clause, outcome, "observed", "portability")

    return BehaviourChange("behaviour", "a", api, clause, was, now, ((result(was), result(now)),) * calls)


def test_changes_of_an_api_from_the_same_to_the_same_are_one_whatever_their_clause() -> None:
    some = [changed("f", "returns", "clamps", 2), changed("g", "returns", "clamps", 4),
            changed("f", "returns", "clamps", 3, "a.rule.c"), BehaviourChange("new", "a", "h")]  # fmt: skip
    found = [(one.changes[0].api, one.count, len(one.changes)) for one in change_groups(some)]
    assert found == [("f", 5, 2), ("g", 4, 1)]


def test_a_change_from_one_error_to_another_comes_last_however_many_calls_it_has() -> None:
    some = [changed("f", "raises TypeError", "raises ValueError", 9), changed("f", "raises TypeError", "returns", 1)]
    assert [one.changes[0].now for one in change_groups(some)] == ["returns", "raises ValueError"]


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
