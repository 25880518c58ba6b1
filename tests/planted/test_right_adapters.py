"""Correct adapters have no divergences, in whatever style they are written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from conformance.cases.expectations import Returns
from tests.planted.defect import with_function
from tests.planted.fast_paths import PATHS, with_right_paths
from tests.planted.faults import VECTORISED, is_wrong, run_in_workers, varies
from tests.planted.in_process import (
    REFERENCE,
    JudgedCase,
    all_cases,
    cases_of,
    cpu_cases,
    is_transformed,
    load,
    reference,
    results,
)
from tests.planted.long_and_narrow import adds_backwards_in_wider_numbers
from tests.planted.neighbours import with_python_types

SAMPLED = 8
"""Of the cases that the other tests run in their own process, this part runs in workers."""


def _faults(judged: Iterable[JudgedCase]) -> list[str]:
    return [
        f"{result.case.id}: {result.judgement.verdict}: {result.judgement.explanation}"
        for result in judged
        if result.is_blamed
    ]


@pytest.mark.parametrize("path", [REFERENCE, VECTORISED], ids=["reference", "vectorised"])
def test_a_correct_adapter_has_no_divergence(path: Path) -> None:
    judged = list(results(load(path), cpu_cases()))
    assert len({result.case.operation.name for result in judged}) == 32
    assert _faults(judged) == []


def test_an_adapter_that_takes_every_fast_path_rightly_has_no_divergence() -> None:
    operations = dict.fromkeys(path.operation for path in PATHS)
    cases = [case for operation in operations for case in cases_of(operation)]
    assert _faults(results(with_right_paths(reference()), cases)) == []


def test_an_adapter_that_takes_lists_and_numbers_for_indices_rightly_has_no_divergence() -> None:
    operations = ("index_select", "take", "tensor_scatter_nd_add", "unsorted_segment_reduce")
    cases = [case for operation in operations for case in cases_of(operation) if case.call.has_python_index]
    judged = list(results(with_function(reference(), with_python_types, operations), cases))
    assert {result.case.operation_name for result in judged} == {*operations}
    assert {result.judgement.verdict for result in judged} == {"conforms"}


def test_an_adapter_that_adds_backwards_in_wider_integers_and_wraps_has_no_divergence() -> None:
    cases = [case for case in cases_of("tensor_scatter_nd_add") if "form.sums-" in case.id or "form.long-" in case.id]
    adapter = with_function(reference(), adds_backwards_in_wider_numbers, ["tensor_scatter_nd_add"])
    judged = list(results(adapter, cases))
    assert len(judged) > 8
    assert {result.judgement.verdict for result in judged} == {"conforms"}


@pytest.mark.parametrize("path", [REFERENCE, VECTORISED], ids=["reference", "vectorised"])
def test_a_correct_adapter_raises_for_every_out_of_bounds_index_that_is_not_to_be_dropped(path: Path) -> None:
    outside = [case for case in cpu_cases() if case.policies and not isinstance(case.expectation, Returns)]
    assert {result.judgement.behaviour for result in results(load(path), outside)} == {"raises"}


def test_correct_adapters_in_workers_have_no_divergence_and_do_not_vary(tmp_path: Path) -> None:
    in_process = {case.id for case in cpu_cases()} | {case.id for case in all_cases() if is_transformed(case)}
    others = [case for case in all_cases() if case.id not in in_process]
    sample = [case for case in all_cases() if case.id in in_process][::SAMPLED]
    transformed = {case.id for case in sample if is_transformed(case)}
    run = run_in_workers(tmp_path, [REFERENCE, VECTORISED], [*others, *sample])
    assert {result.target for result in run.results} == {"reference@cpu", "vectorised@cpu"}
    # The derivative or batch of a call that raises, as it should, is blocked, whoever computes it.
    judged = [result for result in run.results if result.verdict != "blocked" or result.case not in transformed]
    wrong = [result for result in judged if is_wrong(result) or varies(result)]
    assert [f"{result.verdict} in {result.case}: {result.explanation}" for result in wrong] == []
