"""The badge, and the feed of what changed from version to version."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.findings.conclusions import Conclusions
from conformance.reports.badge import badge_json
from conformance.reports.feed import feed_json
from conformance.reports.write import write_reports
from conformance.results.file import Results
from tests.reports.sample_questions import CASES, OLD_TF, OLD_TORCH, TORCH, results_to_ask


def feed(results: Results) -> Any:
    return json.loads(feed_json(results, Conclusions(results)) or "null")


def test_the_feed_has_an_item_for_each_version_in_which_anything_changed_the_newest_first() -> None:
    results = results_to_ask()
    items = feed(results)["items"]
    assert [item["title"] for item in items] == [
        "PyTorch 2.13.0: 1 call changed since 2.1.2",
        "TensorFlow 2.21.0: 1 call changed since 2.12.0",
    ]
    assert items[0]["content_text"] == (
        f"torch.gather (gather_elements): raises RuntimeError → returns in 1 call, such as {CASES['in int32'].id}"
    )
    assert items[0]["id"] == f"{OLD_TORCH.id} {TORCH.id}"


def test_one_version_has_no_item_and_an_api_that_is_new_is_named(tmp_path: Path) -> None:
    results = results_to_ask()
    one = replace(results, targets=[each for each in results.targets if each.id not in (OLD_TORCH.id, OLD_TF.id)])
    one = replace(one, results=[each for each in one.results if each.target not in (OLD_TORCH.id, OLD_TF.id)])
    assert feed(one) is None
    new = replace(results, mappings=[each for each in results.mappings if each.target != OLD_TORCH.id])
    assert "torch.gather (gather_elements) is new" in feed(new)["items"][0]["content_text"]
    for results, exists in ((new, True), (one, False)):
        write_reports(results, tmp_path)
        assert (tmp_path / "feed.json").exists() == exists


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
    blocked = [replace(target, blocked="it does not start") for target in results.targets[:1]]
    not_run = replace(results, results=right, targets=[*blocked, *results.targets[1:]])
    assert json.loads(badge_json(not_run))["color"] == "lightgrey"
    assert json.loads(badge_json(replace(results, end=None)))["message"] == "incomplete run"
