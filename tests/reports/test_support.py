"""support.json: what an API does in each situation, since which version, and what documents say of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from conformance.findings.conclusions import Conclusions
from conformance.reports.behaviours import behaviours_json
from conformance.reports.support import SupportFile, support_json
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from tests.findings.test_behaviours import NEW, OLD, gather, table_of
from tests.outcomes import SEGFAULT, raised
from tests.reports.sample import sample

MIDDLE = TargetRecord("torch==2.9@cpu", "torch", "2.9+cu124", "cpu", "eager")
OUTSIDE = gather(indices={"int64": [[3]]})


def written(results: Results) -> SupportFile:
    return TypeAdapter(SupportFile).validate_json(support_json(results))


def statements(*results: tuple[TargetRecord, str, Any]) -> list[tuple[str, str, str | None]]:
    """What is said of an index past the end: the verb, and the versions that added and removed it."""
    file = written(table_of(OUTSIDE, *results).results)
    [[configurations]] = [[*operations.values()] for operations in file.apis.values()]
    found = configurations["torch[eager]@cpu"]["past-the-end"]
    return [(each.verb, each.version_added, each.version_removed) for each in found]


def test_what_changed_has_the_version_that_added_it_and_the_one_that_removed_what_was_before() -> None:
    assert statements((NEW, "f", raised()), (MIDDLE, "f", raised()), (OLD, "f", SEGFAULT)) == [
        ("raises", "2.9", None),
        ("dies", "≤2.1", "2.9"),
    ]


def test_what_every_tested_version_does_was_added_at_the_latest_with_the_oldest() -> None:
    assert statements((NEW, "f", raised()), (OLD, "f", raised())) == [("raises", "≤2.1", None)]


def test_a_version_that_made_no_call_is_no_evidence_of_an_older_one() -> None:
    assert statements((NEW, "f", raised())) == [("raises", "≤2.13", None)]


def test_every_claim_that_a_file_names_is_in_the_table_with_its_address() -> None:
    results = sample()
    file, rows = written(results), json.loads(behaviours_json(results))["behaviours"]
    named = {claim for row in rows for claim in row["claims"]}
    assert named <= file.claims.keys() == {f"{claim.document}#{claim.locator}" for claim in results.claims}
    assert all(claim.says for claim in file.claims.values())


def test_versions_are_without_local_parts() -> None:
    old = replace(OLD, version="2.1+cpu")
    conclusions = table_of(OUTSIDE, (NEW, "f", raised()), (old, "f", SEGFAULT))
    assert written(conclusions.results).tested == {"torch[eager]@cpu": ["2.1", "2.13"]}
    assert "+cpu" not in support_json(conclusions.results, Conclusions(conclusions.results)).partition('"apis"')[2]
