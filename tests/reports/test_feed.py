"""The badge, and the feed of what changed since the last published run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.reports.badge import badge_json
from conformance.reports.write import write_reports
from conformance.results.file import Results
from tests.outcomes import raised
from tests.reports.sample_questions import CASES, TF, TORCH, results_to_ask


def later(day: int, **changes: Any) -> Results:
    """The results of a later run."""
    results = results_to_ask()
    return replace(results, run=replace(results.run, started=f"2026-02-{day:02}T00:00:00+00:00"), **changes)


def with_int32_refused() -> list[Any]:
    case = CASES["in int32"].id
    return [
        replace(each, outcome=raised()) if (each.case, each.target) == (case, TORCH.id) else each
        for each in results_to_ask().results
    ]


def feed(folder: Path) -> Any:
    return json.loads((folder / "feed.json").read_text(encoding="utf-8"))


def test_the_first_run_of_a_folder_has_no_feed_and_neither_has_one_that_changes_nothing(tmp_path: Path) -> None:
    write_reports(results_to_ask(), tmp_path)
    write_reports(later(1), tmp_path)
    assert not (tmp_path / "feed.json").exists()


def test_a_later_run_tells_what_changed_the_newest_first(tmp_path: Path) -> None:
    write_reports(results_to_ask(), tmp_path)
    write_reports(later(1, results=with_int32_refused()), tmp_path)
    write_reports(later(2), tmp_path)
    items = feed(tmp_path)["items"]
    assert [item["date_published"] for item in items] == ["2026-02-02T00:00:00+00:00", "2026-02-01T00:00:00+00:00"]
    assert items[1]["content_text"].splitlines() == [
        f"{TORCH.id}, torch.gather (gather_elements), int32-indices: returns → raises",
        f"{TORCH.id}, torch.gather (gather_elements), usual: returns → returns or raises",
    ]
    assert "int32-indices: raises → returns" in items[0]["content_text"]


def test_a_new_version_tells_what_its_predecessor_did_not_do(tmp_path: Path) -> None:
    def lacks(name: str) -> bool:
        return name != TF.id

    results = results_to_ask()
    older = replace(
        results,
        targets=[each for each in results.targets if lacks(each.id)],
        mappings=[each for each in results.mappings if lacks(each.target)],
        results=[each for each in results.results if lacks(each.target)],
    )
    write_reports(older, tmp_path)
    write_reports(later(1), tmp_path)
    [item] = feed(tmp_path)["items"]
    assert f"{TF.id} (new), tf.tensor_scatter_nd_update" in item["content_text"]
    assert "written-twice: keeps the first → keeps the last" in item["content_text"]


@pytest.mark.parametrize("text", ["{}", "[]", "no JSON", '{"items": 3}'])
def test_reports_that_cannot_be_read_are_replaced(tmp_path: Path, text: str) -> None:
    write_reports(results_to_ask(), tmp_path)
    (tmp_path / "feed.json").write_text(text, encoding="utf-8")
    write_reports(later(1, results=with_int32_refused()), tmp_path)
    assert len(feed(tmp_path)["items"]) == 1
    (tmp_path / "behaviours.json").write_text(text, encoding="utf-8")
    write_reports(later(2), tmp_path)
    assert len(feed(tmp_path)["items"]) == 1


def test_the_badge_counts_what_breaks_documents_and_what_ends_the_process() -> None:
    badge = json.loads(badge_json(results_to_ask()))
    assert badge == {
        "schemaVersion": 1, "label": "scatter and gather", "color": "red",
        "message": "breaks its own documentation: 1 cause, 1 finding; died or hung: 1 cause, 1 finding",
    }  # fmt: skip


def test_a_run_in_which_nothing_is_wrong_has_a_green_badge_and_an_incomplete_one_a_grey_one() -> None:
    results = results_to_ask()
    right = [each for each in results.results if each.verdict == "conforms"]
    assert json.loads(badge_json(replace(results, results=right)))["color"] == "brightgreen"
    assert json.loads(badge_json(replace(results, end=None)))["message"] == "incomplete run"
