from __future__ import annotations

from collections import Counter
from dataclasses import replace

from conformance.reports.statistics import TargetStatistics, counts_text, incomplete_text, target_statistics
from conformance.results.records import TargetRecord
from conformance.results.table import Table
from tests.reports.sample import sample
from tests.reports.sample_cases import JAX, MINDSPORE, TENSORFLOW, TORCH


def test_each_target_has_its_results_counted_once_under_what_they_came_to() -> None:
    figures = {one.target.id: one for one in target_statistics(Table(sample()))}
    assert dict(figures[TENSORFLOW].counts) == {
        "conforms": 8, "portability": 1, "died": 2, "hung": 1, "blocked": 1, "observed": 1
    }  # fmt: skip
    assert figures[TENSORFLOW].results == 14
    assert sum(one.results for one in figures.values()) == len(sample().results)


def test_nothing_but_a_conforming_result_is_counted_as_conforming() -> None:
    results = sample()
    conforming = sum(result.verdict == "conforms" for result in results.results)
    assert sum(one.counts["conforms"] for one in target_statistics(Table(results))) == conforming


def test_a_target_that_did_not_start_is_said_to_be_so() -> None:
    figures = {one.target.id: one for one in target_statistics(Table(sample()))}
    remark = figures[JAX].remark(complete=True)
    assert figures[JAX].results == 0
    assert remark is not None
    assert remark.startswith("did not start: uv could not install jax==0.10.0")


def test_a_target_that_gave_up_keeps_its_results_and_says_why_they_end() -> None:
    results = sample()
    gave_up = [replace(one, blocked="five deaths in a row") if one.id == TORCH else one for one in results.targets]
    figures = {one.target.id: one for one in target_statistics(Table(replace(results, targets=gave_up)))}
    assert figures[TORCH].results == 10
    assert figures[TORCH].remark(complete=True) == "gave up: five deaths in a row"


def test_a_target_without_results_is_told_apart_from_one_that_was_cut_off() -> None:
    idle = TargetRecord("idle@cpu", "idle", "1", "cpu", "eager")
    figures = target_statistics(Table(replace(sample(), targets=[idle], results=[])))
    assert figures[0].remark(complete=True) == "no results"
    assert figures[0].remark(complete=False) == "no results when the run was interrupted"


def test_results_of_a_target_without_a_record_are_not_lost() -> None:
    figures = target_statistics(Table(replace(sample(), targets=[])))
    assert {one.target.id for one in figures} >= {TORCH, TENSORFLOW, MINDSPORE}


def test_counts_are_said_in_words_without_zeros() -> None:
    figures = {one.target.id: one for one in target_statistics(Table(sample()))}
    assert counts_text(figures[MINDSPORE]) == (
        "9 results: 4 conforms, 1 observed, 2 diverges (portability), 2 diverges (own)"
    )


def test_no_results_are_said_in_words_too() -> None:
    assert counts_text(TargetStatistics(TargetRecord("t", "t", None, "cpu", "eager"), Counter())) == "no results"


def test_an_incomplete_file_says_why_if_it_knows() -> None:
    assert incomplete_text(sample()) is None
    assert "truncated" in str(incomplete_text(sample(complete=False)))
    assert "interrupted" in str(incomplete_text(sample(complete=False, reason="interrupted")))
