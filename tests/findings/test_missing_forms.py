"""Calls of forms that an API does not have are counted by API and reason, and apart from what was judged."""

from __future__ import annotations

import json
from dataclasses import replace

from conformance.findings.conclusions import Conclusions
from conformance.reports.statistics import counts_text, judged_text, target_statistics
from conformance.reports.verdict import badge_json
from conformance.results.file import Results
from tests.reports.sample import sample


def some_missing() -> Results:
    """The first two results are of forms that an API does not have, for one reason; the third for another."""
    results = sample()
    reasons = ["no reduction", "no reduction", "only a vector"]
    first = [
        replace(result, api="a.b", target=results.results[0].target, verdict="unsupported", explanation=reason)
        for result, reason in zip(results.results, reasons, strict=False)
    ]
    return replace(results, results=[*first, *(one for one in results.results[3:] if one.verdict != "unsupported")])


def test_missing_forms_are_counted_by_api_and_reason_and_no_other_result_is_one() -> None:
    forms = Conclusions(some_missing()).missing_forms
    assert sum(len(form.results) for form in forms) == 3
    assert {form.reason for form in forms} == {"no reduction", "only a vector"}
    assert {form.api for form in forms} == {"a.b"}


def test_the_verdict_counts_what_was_judged_and_targets_count_missing_forms_apart() -> None:
    results = some_missing()
    judged = sum(one.verdict in ("conforms", "diverges", "died", "hung") for one in results.results)
    assert judged_text(results) == f"{judged} of {len(results.results)} results judged"
    assert judged_text(results) in json.loads(badge_json(results))["message"] or not results.complete
    statistics = target_statistics(Conclusions(results).table)
    assert sum(row.judgements for row in statistics) == judged
    [text] = [counts_text(row) for row in statistics if row.counts["unsupported"]]
    assert "3 calls of forms that the API does not have" in text
    assert "unsupported" not in text
