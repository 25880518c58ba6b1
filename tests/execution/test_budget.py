"""What a expensive mode leaves out: never what a spec writes down."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.variants.views import view_cases
from conformance.cases.variation import SLOW, AsView, Drawn, DtypeTest, InDtype, RareForm, Turn, most_forms
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.execution.budget import form_count, left_out
from tests.execution.harness import fake_cases

EXPENSIVE, CHEAP = 0.1, 0.001


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return fake_cases((written_cases, dtype_cases, view_cases))


def drawn(number: int, form: int | None = None) -> Case:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    variation = Drawn(None, number, form or number, (), reference)
    return replace(fake_cases()[0], id=f"gather_elements.rule.index-range/draw.{number}", variation=variation)


def test_a_cheap_mode_is_tried_on_everything(cases: list[Case]) -> None:
    assert left_out([*cases, drawn(9_999)], CHEAP) == {}


def test_an_expensive_mode_is_tried_on_all_that_is_written_in_two_dtypes_and_once_with_each_view(
    cases: list[Case],
) -> None:
    dropped = {case.id for some in left_out(cases, EXPENSIVE).values() for case in some}
    written = [case.id for case in fake_cases()]
    kept = [case.id.rpartition(".")[2] for case in cases if case.id not in dropped and case.id not in written]
    assert not dropped.intersection(written)
    assert {one for one in kept if kept.count(one) > 1 and "index" not in one} == {"float32", "int64"}
    views = [case.variation.view for case in cases if isinstance(case.variation, AsView)]
    assert {view: kept.count(view) for view in views} == dict.fromkeys(views, 1)
    assert min(views.count(view) for view in ("strided", "offset")) > 1
    assert any(one.endswith(".bfloat16") for one in dropped)


def test_each_dtype_of_data_is_tried_once_and_each_of_indices_twice_in_every_mode() -> None:
    few = [case for case in fake_cases((dtype_cases,)) if case.id.endswith((".int16", ".index-int8"))]
    data, indices = (next(case for case in few if case.id.endswith(end)) for end in (".int16", ".index-int8"))
    for case, dropped in ((data, [1, 2, 3]), (indices, [1, 2])):
        assert isinstance(case.variation, InDtype)
        alike: list[Case] = []
        test = DtypeTest(("input",), alike=alike)
        alike += [
            replace(
                case,
                id=f"gather_elements.example.number-{number}/as-printed",
                variation=replace(case.variation, dtype_test=test),
            )
            for number in range(4)
        ]
        assert [one.id for one in left_out(alike, EXPENSIVE)["dtypes"]] == [alike[number].id for number in dropped]


def test_a_case_that_is_written_for_a_dtype_is_not_taken_for_a_derived_one() -> None:
    written = replace(fake_cases()[0], id="gather_elements.rule.result-dtype/keep.float16")
    assert left_out([written], EXPENSIVE) == {}


def test_a_more_expensive_mode_runs_draws_of_fewer_forms_and_always_of_one() -> None:
    draws = [drawn(number) for number in range(1, 21)]
    forms = {cost: 20 - len(left_out(draws, cost).get("draws", [])) for cost in (0.05, 0.1, 0.7, 30.0)}
    assert forms == {0.05: 10, 0.1: 5, 0.7: 1, 30.0: 1}
    assert most_forms(0.05) == 10


def test_draws_of_a_form_that_is_compiled_anyway_all_run() -> None:
    draws = [drawn(number, form=(number + 1) // 2) for number in range(1, 21)]
    assert [case.id for case in left_out(draws, 0.1)["draws"]] == [case.id for case in draws[10:]]


def test_the_forms_of_draws_are_counted_in_an_expensive_mode_only() -> None:
    draws = [drawn(number, form=(number + 1) // 2) for number in range(1, 6)]
    assert form_count([*fake_cases(), *draws], EXPENSIVE) == 3
    assert form_count(draws, CHEAP) is None
    assert form_count(fake_cases(), EXPENSIVE) is None


def test_a_slow_mode_runs_a_third_of_what_takes_turns_in_other_expensive_modes() -> None:
    case = fake_cases()[0]
    forms = [replace(case, id=f"{number}", variation=RareForm(False, Turn(number))) for number in range(36)]

    def run(cost: float) -> list[int]:
        return [int(one.id) for one in forms if one not in left_out(forms, cost)["forms"]]

    assert run(EXPENSIVE) == list(range(0, 36, 3))
    assert run(SLOW) == [0, 9, 18, 27]
    assert left_out([case], SLOW) == {}


def test_what_is_left_out_does_not_depend_on_what_else_is_run(cases: list[Case]) -> None:
    together = {case.id for some in left_out(cases, EXPENSIVE).values() for case in some}
    alone = {case.id for case in cases if left_out([case], EXPENSIVE)}
    assert alone == together != set()
