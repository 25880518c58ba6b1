"""The badge."""

from __future__ import annotations

import json
from dataclasses import replace

from conformance.reports.verdict import badge_json
from tests.reports.sample_questions import results_to_ask


def test_the_badge_counts_what_breaks_documents_and_what_ends_the_process() -> None:
    badge = json.loads(badge_json(results_to_ask()))
    assert badge == {
        "schemaVersion": 1, "label": "scatter and gather", "color": "red",
        "message": "breaks its own documentation: 1 cause, 1 finding; died or hung: 1 cause, 1 finding; "
        "33 of 39 results judged",
    }  # fmt: skip


def test_a_run_in_which_nothing_is_wrong_has_a_green_badge_and_an_incomplete_one_a_grey_one() -> None:
    results = results_to_ask()
    right = [each for each in results.results if each.verdict == "conforms"]
    assert json.loads(badge_json(replace(results, results=right)))["color"] == "brightgreen"
    blocked = [replace(target, blocked="it does not start") for target in results.targets[:1]]
    not_run = replace(results, results=right, targets=[*blocked, *results.targets[1:]])
    assert json.loads(badge_json(not_run))["color"] == "lightgrey"
    assert json.loads(badge_json(replace(results, end=None)))["message"] == "incomplete run"
