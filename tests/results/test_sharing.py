"""Results in memory share their equal parts and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.outcomes.model import Outside, Returned, Warned
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.order import write_results
from conformance.results.records import ResultRecord
from tests.reports.sample import sample

FOUR = Returned("int8", (1,), "digest of a 4", [4])


def read_with(folder: Path, *outcomes: Returned) -> list[ResultRecord]:
    """Results of one case on several APIs that differ in their outcomes, as they are read."""
    whole = sample()
    record = replace(whole.results[0], verdict="conforms", divergence=[], differences=None)
    results = [replace(record, api=f"api{number}", outcome=one) for number, one in enumerate(outcomes)]
    write_results(replace(whole, results=results), folder / FILE_NAME)
    return read_results(folder).results


def test_equal_parts_are_the_same_objects(tmp_path: Path) -> None:
    first, second = read_with(tmp_path, FOUR, FOUR)
    assert first.outcome is second.outcome
    assert first.divergence is second.divergence
    assert first.case is second.case


@pytest.mark.parametrize(
    "other",
    [
        replace(FOUR, digest="digest of a 5", values=[5]),
        replace(FOUR, shape=(1, 1)),
        replace(FOUR, dtype="int16"),
        replace(FOUR, values=None),
        replace(FOUR, changed=("input",)),
        replace(FOUR, aliased=("input",)),
        replace(FOUR, outside=(Outside("input", "wrote"),)),
        replace(FOUR, warnings=(Warned("w", 1),)),
    ],
    ids=str,
)
def test_outcomes_that_differ_are_read_as_written(tmp_path: Path, other: Returned) -> None:
    assert [result.outcome for result in read_with(tmp_path, FOUR, other)] == [FOUR, other]


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    whole: Results = sample()
    write_results(whole, tmp_path / FILE_NAME)
    before = (tmp_path / FILE_NAME).read_text().rstrip().split("\n")
    write_results(read_results(tmp_path), tmp_path / FILE_NAME)
    assert [json.loads(line) for line in (tmp_path / FILE_NAME).read_text().rstrip().split("\n")] == [
        *map(json.loads, before)
    ]
