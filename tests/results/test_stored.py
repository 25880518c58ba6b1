"""What is read from a file is what was written, although records share what they have in common and decode the rest late."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from conformance.outcomes.model import Abstract, Outside, Returned, Warned
from conformance.results.file import FILE_NAME, Results, ResultsError, read_records, read_results
from conformance.results.order import verdicts, write_results
from conformance.results.records import CaseRecord, ResultRecord
from tests.reports.sample import sample

FOUR = Returned("int8", (1,), "digest of a 4", [4])


def read_with(folder: Path, *outcomes: Returned) -> list[ResultRecord]:
    """Results of one case on several APIs that differ in their outcomes, as they are read."""
    whole = sample()
    record = replace(whole.results[0], verdict="conforms", divergence=[], differences=None)
    results = [replace(record, api=f"api{number}", outcome=one) for number, one in enumerate(outcomes)]
    write_results(replace(whole, results=results), folder / FILE_NAME)
    return read_results(folder).results


def read_again(results: Results, folder: Path) -> Results:
    write_results(results, folder / FILE_NAME)
    return read_results(folder)


def test_every_field_is_read_as_written(tmp_path: Path) -> None:
    read = read_again(sample(), tmp_path)
    records = list(read_records(tmp_path / FILE_NAME))  # each validated as a whole
    results = [record for record in records if isinstance(record, ResultRecord)]
    cases = [record for record in records if isinstance(record, CaseRecord)]
    assert read.results == results
    assert results == read.results
    assert list(read.cases.values()) == cases
    assert cases == list(read.cases.values())
    assert list(map(asdict, read.results)) == list(map(asdict, results))
    assert list(map(asdict, read.cases.values())) == list(map(asdict, cases))
    assert pickle.loads(pickle.dumps(read.results)) == results  # made in this line


def test_a_result_or_case_with_another_value_has_only_that_changed(tmp_path: Path) -> None:
    read = read_again(sample(), tmp_path)
    result, case = read.results[0], next(iter(read.cases.values()))
    other, another = replace(result, target="other"), replace(case, note="other")
    assert (other.target, another.note) == ("other", "other")
    assert other != result
    assert replace(other, target=result.target) == result
    assert replace(another, note=case.note) == case != another


def test_results_that_differ_only_in_outcome_and_time_share_the_rest(tmp_path: Path) -> None:
    whole = sample()
    record = replace(whole.results[0], outcome=FOUR, api="one")
    other = replace(record, api="another")
    another_case = next(case for case in whole.cases if case != record.case)
    results = [record, replace(other, seconds=0.5), replace(other, case=another_case, seconds=0.25)]
    end = replace(whole.end, counts=verdicts(results)) if whole.end else None
    first, second, third = read_again(replace(whole, results=results, end=end), tmp_path).results
    assert first.outcome is second.outcome is third.outcome
    assert second.divergence is third.divergence
    assert first.case is second.case
    assert (first.api, second.api, second.seconds, third.seconds) == ("one", "another", 0.5, 0.25)


def test_a_line_like_others_with_an_outcome_that_is_none_is_refused(tmp_path: Path) -> None:
    whole = sample()
    twice = [whole.results[0], replace(whole.results[0], outcome=FOUR)]
    write_results(replace(whole, results=twice), tmp_path / FILE_NAME)
    lines = (tmp_path / FILE_NAME).read_text(encoding="utf-8").split("\n")
    [number] = [number for number, line in enumerate(lines) if '"digest":"digest of a 4"' in line]
    for invalid in ('"shape":[true]', '"shape":[1],"values":1e999', '"shape":[1],"values":NaN', '"shape":"1"'):
        changed = lines[number].replace('"shape":[1]', invalid).replace(',"values":[4]', "")
        (tmp_path / FILE_NAME).write_text("\n".join([*lines[:number], changed, *lines[number + 1 :]]), encoding="utf-8")
        with pytest.raises(ResultsError, match=f"{FILE_NAME}:{number + 1}: not a valid results record"):
            read_results(tmp_path)


def test_an_outcome_of_an_older_file_may_lack_what_has_a_default(tmp_path: Path) -> None:
    whole = sample()
    abstract = Abstract("int8", (1,))
    results = [replace(whole.results[0], api=str(outcome), outcome=outcome) for outcome in (FOUR, abstract)]
    write_results(replace(whole, results=results), tmp_path / FILE_NAME)
    text = (tmp_path / FILE_NAME).read_text(encoding="utf-8")
    shorter = text.replace(',"status":"returned"', "").replace(',"abstract":true', "")
    (tmp_path / FILE_NAME).write_text(shorter, encoding="utf-8")
    assert [result.outcome for result in read_results(tmp_path).results] == [FOUR, abstract]


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
