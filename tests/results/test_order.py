"""A results file has one order, however it came about."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from conformance.outcomes.model import error_of
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.order import in_order, records, write_results
from conformance.results.records import CaseRecord
from conformance.results.variations import DrawnRecord, FoundRecord
from tests.matrix.small import CASES, case, result, returned, run
from tests.outcomes import raised


def two_apis() -> Results:
    whole = run()
    more = replace(whole.mappings[0], api="mine.take")
    results = [replace(one, api=api) for api in ("mine.take", "mine.gather") for one in whole.results]
    return replace(whole, mappings=[more, *whole.mappings], results=results)


def test_records_come_out_the_same_whatever_order_they_came_in() -> None:
    whole = in_order(two_apis())
    for seed in range(5):
        mixed = random.Random(seed)
        cases = list(whole.cases.items())
        clauses = list(whole.clauses.items())
        results = list(whole.results)
        for some in (cases, clauses, results):
            mixed.shuffle(some)
        again = replace(whole, cases=dict(cases), clauses=dict(clauses), results=results)
        assert list(records(in_order(again))) == list(records(whole))


def test_results_follow_their_cases_and_the_apis_as_they_are_mapped() -> None:
    found = [(one.case, one.api) for one in in_order(two_apis()).results]
    assert found == [(name, api) for name in CASES for api in ("mine.take", "mine.gather")]


def test_a_case_that_the_run_made_comes_before_the_draws_that_it_stands_for() -> None:
    whole = run()
    clause = whole.clauses["gather_nd.rule.depth"]
    drawn = replace(case(0), id=f"{clause.id}/draw.1", number=7, variation=DrawnRecord())
    made = CaseRecord(
        f"{clause.id}/found.ab12", clause.id, "gather_nd", {}, {}, {}, "d", clause.source, variation=FoundRecord()
    )
    whole.cases.update({made.id: made, drawn.id: drawn})
    assert list(in_order(whole).cases) == [*CASES, made.id, drawn.id]


def test_a_file_that_is_written_reads_as_what_was_written(tmp_path: Path) -> None:
    whole = run({CASES[0]: returned(["nan", 2**60]), CASES[1]: raised(message="\u2028 \x00 😀")})
    write_results(whole, tmp_path / FILE_NAME)
    text = (tmp_path / FILE_NAME).read_bytes()
    again = read_results(tmp_path)
    assert list(records(again)) == list(records(whole))
    write_results(again, tmp_path / FILE_NAME)
    assert (tmp_path / FILE_NAME).read_bytes() == text
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_half_a_surrogate_pair_is_written_as_a_question_mark(tmp_path: Path) -> None:
    write_results(run({CASES[0]: raised(message="half: \ud800")}), tmp_path / FILE_NAME)
    error = error_of(read_results(tmp_path).results[0].outcome)
    assert error is not None
    assert error.message == "half: ?"


def test_results_of_what_has_no_record_stay_at_the_end() -> None:
    whole = run()
    whole.results.insert(0, replace(result(CASES[0], returned()), target="nobody@cpu"))
    assert in_order(whole).results[-1].target == "nobody@cpu"
