"""Which part of its cases a mode of some cost runs: each kind of variation answers for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import pytest

from conformance.cases.model import Case, Entry
from conformance.cases.variation import (
    DTYPES,
    SLOW,
    Alike,
    AsView,
    Batched,
    Contradicting,
    Differentiated,
    Drawn,
    DrawnProgram,
    DtypeTest,
    Found,
    InDtype,
    InProgram,
    NestedTransform,
    Passed,
    RareForm,
    SharingMemory,
    Turn,
    Turning,
    TwiceDifferentiated,
    Variation,
    Written,
    taking_turns,
    without_sample,
)
from conformance.results.variations import LEFT_OUT
from conformance.specification.applied import Applied
from conformance.specification.dtypes import INTEGERS, NAMES
from conformance.specification.literals import tensor
from conformance.specification.model import (
    Around,
    Batch,
    Call,
    Derivative,
    Nested,
    Observed,
    PassedAs,
    SecondDerivative,
    Sharing,
)
from conformance.specification.programs.language import Program
from tests.cases.draws import CATALOGUE, REFERENCE

CHEAP, EXPENSIVE, VERY_SLOW = 0.001, 0.1, 30.0
BASE = "gather_nd.behaviour.extracts-slices/a-row"
ONE = tensor("float32", [1])

TAKING_TURNS: dict[type, Callable[[Turn], Turning]] = {
    AsView: lambda turn: AsView(BASE, "strided", turn),
    RareForm: lambda turn: RareForm(False, turn),
    SharingMemory: lambda turn: SharingMemory(Sharing("input", "index", 2), turn),
    Contradicting: lambda turn: Contradicting("offsets", "beyond", turn, breaks=True),
    Passed: lambda turn: Passed(BASE, PassedAs({"indices": "constant"}), turn, False),
    InProgram: lambda turn: InProgram(Around(Program((), (), ())), False, turn),
    Differentiated: lambda turn: Differentiated(BASE, Derivative("vjp", "params", ONE), turn, False),
    Batched: lambda turn: Batched(BASE, Batch({"params": ONE}, "first"), turn, False),
    NestedTransform: lambda turn: NestedTransform(
        BASE, Nested("vmap-vjp", Derivative("vjp", "params", ONE), Batch({"params": ONE}, "first")), turn, False
    ),
    TwiceDifferentiated: lambda turn: TwiceDifferentiated(
        BASE,
        SecondDerivative("vjp-vjp", Derivative("vjp", "params", ONE), Derivative("vjp", "params", ONE)),
        turn,
        False,
    ),
}
"""By kind, one with a turn."""
OTHERS = {Written, Found, Drawn, InDtype, DrawnProgram}
"""The kinds that are tested one by one."""


def runs(variations: Sequence[Variation], cost: float, api: int = 0) -> list[int]:
    """The places of those that a mode of this cost runs on an API."""
    return [place for place, variation in enumerate(variations) if not variation.is_left_out(cost, api)]


def drawn(form: int) -> Drawn:
    return Drawn(None, form, form, (), REFERENCE)


def in_dtype(dtype: str, *, count: int, of_indices: bool = False) -> list[InDtype]:
    """Those of all cases of an operation in a dtype."""
    operation = CATALOGUE.operations["gather_nd"]
    clause, call = operation.clauses[0], Applied(operation, Call({}))
    alike: list[Case] = []
    test = DtypeTest(("indices" if of_indices else "params",), alike=alike)
    variations = [InDtype(f"{BASE}-{number}", test, dtype, of_indices) for number in range(count)]
    entry = Entry(clause.location)
    alike += [Case(f"{one.base}.{dtype}", call, clause, Observed("a test"), entry, one) for one in variations]
    return variations


def test_each_kind_of_variation_is_in_this_file() -> None:
    assert {*TAKING_TURNS} == {*get_args(Turning)}
    assert {*TAKING_TURNS} | OTHERS == {*get_args(Variation)}


PROGRAM = DrawnProgram(Around(Program((), (), ()), "returning"), 9_999, {}, REFERENCE)


@pytest.mark.parametrize(
    "variation", [Written(), Written(breaks=True), Written(DtypeTest(("params",))), Found(), PROGRAM]
)
def test_a_call_that_a_spec_writes_down_or_a_run_found_and_a_drawn_program_are_made_in_every_mode(
    variation: Variation,
) -> None:
    assert runs([variation], VERY_SLOW) == [0]
    assert variation.left_out is None


def test_draws_are_left_out_by_their_form_and_more_of_them_the_more_a_new_one_costs() -> None:
    draws = [drawn(form) for form in range(1, 21)]
    assert runs([*draws, drawn(9_999)], CHEAP) == [*range(21)]
    assert {cost: len(runs(draws, cost)) for cost in (0.05, EXPENSIVE, SLOW, VERY_SLOW)} == {
        0.05: 10, EXPENSIVE: 5, SLOW: 1, VERY_SLOW: 1
    }  # fmt: skip
    assert runs(draws, EXPENSIVE) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("of_indices", [False, True])
def test_an_expensive_mode_runs_all_cases_in_usual_dtypes(of_indices: bool) -> None:
    usual = [dtype for dtype in NAMES if runs(in_dtype(dtype, count=4, of_indices=of_indices), SLOW) == [0, 1, 2, 3]]
    assert {*usual} == DTYPES == {"float32", "int64"}


def test_an_expensive_mode_runs_the_first_case_of_an_operation_in_each_other_dtype_of_data() -> None:
    for dtype in {*NAMES} - DTYPES:
        variations = in_dtype(dtype, count=4)
        assert runs(variations, CHEAP) == [0, 1, 2, 3]
        assert runs(variations, EXPENSIVE) == runs(variations, SLOW) == [0], dtype


def test_an_expensive_mode_runs_the_first_and_the_last_case_in_each_other_dtype_of_indices() -> None:
    for dtype in {*INTEGERS} - DTYPES:
        variations = in_dtype(dtype, count=4, of_indices=True)
        assert runs(variations, CHEAP) == [0, 1, 2, 3]
        assert runs(variations, EXPENSIVE) == runs(variations, SLOW) == [0, 3], dtype


def test_an_expensive_mode_makes_every_third_rare_form_on_an_api_and_a_slow_one_every_ninth() -> None:
    variations = [RareForm(False, Turn(number)) for number in range(20)]
    assert runs(variations, CHEAP) == [*range(20)]
    assert runs(variations, EXPENSIVE) == [0, 3, 6, 9, 12, 15, 18]
    assert runs(variations, SLOW) == runs(variations, VERY_SLOW) == [0, 9, 18]
    assert runs(variations, EXPENSIVE, api=1) == [2, 5, 8, 11, 14, 17]


@pytest.mark.parametrize("kind", TAKING_TURNS)
def test_an_expensive_mode_makes_one_of_those_that_are_alike_on_each_api_and_on_the_next_another(kind: type) -> None:
    alike = [*taking_turns("gather_nd", [Alike(("alike",), TAKING_TURNS[kind]) for _ in range(4)])]
    assert runs(alike, CHEAP) == [0, 1, 2, 3]
    for cost in (EXPENSIVE, SLOW, VERY_SLOW):
        made = [runs(alike, cost, api) for api in range(8)]
        assert [len(of_api) for of_api in made] == [1] * 8
        assert sorted(place for [place] in made[:4]) == [0, 1, 2, 3]


def test_each_series_has_turns_of_its_own_and_so_has_what_only_a_run_of_all_makes() -> None:
    series = [("a", False), ("b", False), ("a", True), ("a", False), ("a", True), ("b", False), ("a", True)]
    turns = [*taking_turns("gather_nd", [Alike((name,), lambda turn: turn, extra) for name, extra in series])]
    assert [turn.of for turn in turns] == [2, 2, 3, 2, 3, 2, 3]
    assert [turn.is_extra for turn in turns] == [extra for _, extra in series]
    first = [place for place, turn in enumerate(turns) if not turn.is_left_out(EXPENSIVE, 0)]
    assert sorted(series[place] for place in first) == [("a", False), ("b", False)]


@pytest.mark.parametrize("kind", TAKING_TURNS)
def test_what_is_like_others_is_left_out_in_every_mode_unless_a_run_makes_all(kind: type) -> None:
    extra = TAKING_TURNS[kind](Turn(0, is_extra=True))
    assert all(runs([extra], cost) == [] for cost in (CHEAP, EXPENSIVE, SLOW))
    assert all(runs([without_sample(extra)], cost) == [0] for cost in (CHEAP, EXPENSIVE, SLOW))


@pytest.mark.parametrize("kind", TAKING_TURNS)
def test_a_run_that_makes_all_calls_still_takes_turns(kind: type) -> None:
    assert runs([without_sample(TAKING_TURNS[kind](Turn(1, 2, is_extra=True)))], CHEAP) == [0]
    assert runs([without_sample(TAKING_TURNS[kind](Turn(1, 2, is_extra=True)))], EXPENSIVE) == []


def test_what_takes_no_turns_is_the_same_in_a_run_that_makes_all() -> None:
    variations: list[Variation] = [Written(), Found(), drawn(9), *in_dtype("int8", count=1)]
    for variation in variations:
        assert without_sample(variation) is variation


def test_what_is_left_out_is_counted_by_what_it_varies() -> None:
    words = {kind: kind.left_out for kind in get_args(Variation) if kind.left_out is not None}
    assert words == {
        Drawn: "draws",
        InDtype: "dtypes",
        AsView: "views",
        RareForm: "forms",
        SharingMemory: "views",
        Contradicting: "forms",
        InProgram: "forms",
        Passed: "passing",
        Differentiated: "transforms",
        Batched: "transforms",
        NestedTransform: "transforms",
        TwiceDifferentiated: "transforms",
    }
    assert {*words.values()} == {*LEFT_OUT}
