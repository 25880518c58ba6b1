"""Every operation that has a layout is called in rare forms, and what its spec decides about them is expected."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from conformance.cases.build import build_cases, build_sound_cases
from conformance.cases.expectations import Returning
from conformance.cases.forms.geometries import changed, usual_lengths, usual_profiles
from conformance.cases.forms.outside import NEXT
from conformance.cases.forms.source import form_cases
from conformance.cases.model import Case
from conformance.cases.policies import indistinguishable
from conformance.cases.reference import Reference, load_reference
from conformance.cases.variation import RareForm
from conformance.data_folders import adapters_folder
from conformance.execution.budget import left_out
from conformance.judging.judge import judge
from conformance.judging.subject import Subject
from conformance.outcomes.observation import Observation
from conformance.specification.applied import Applied
from conformance.specification.dtypes import FLOAT8, numpy_dtype
from conformance.specification.literals import Tensor, tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Call, Catalogue, Observed, Operation, Raises
from conformance.specification.problems import Problem
from tests.outcomes import raised, returned

DRAWN = {
    "gather_elements": "gather_elements.rule.result-shape",
    "gather_nd": "gather_nd.behaviour.extracts-slices",
    "index_add": "index_add.behaviour.duplicates-are-summed",
    "scatter_nd": "scatter_nd.behaviour.elements-or-slices",
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_specs()


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(adapters_folder() / "reference" / "adapter.py")


@pytest.fixture(scope="module")
def cases(catalogue: Catalogue, reference: Reference) -> dict[str, Case]:
    return {case.id: case for case in build_cases(catalogue, reference, sources=[form_cases])}


def test_an_index_that_a_narrow_dtype_counts_on_a_long_axis_has_the_result_of_the_operation(
    cases: dict[str, Case],
) -> None:
    # The number is no part of a layout.
    case = cases["index_fill.behaviour.slices-are-filled/form.index-int8-beyond.one"]
    assert _expected(case).array[[126, 127, 128]].tolist() == [127, 3, 129]


def test_a_made_call_without_an_argument_that_the_operation_needs_is_a_problem(
    catalogue: Catalogue, reference: Reference
) -> None:
    one = Catalogue({"index_fill": catalogue.operations["index_fill"]}, catalogue.documents, "")

    def lacking(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
        case = next(case for case in form_cases(operation, reference) if isinstance(case, Case))
        arguments = {name: value for name, value in case.call.arguments.items() if name != "value"}
        yield replace(case, call=Applied(operation, Call(arguments)))

    cases, [problem] = build_sound_cases(one, reference, sources=[lacking])
    assert cases == []
    assert "argument 'value' is missing" in str(problem)


def _tensor(case: Case, name: str) -> Tensor:
    value = case.call.arguments[name]
    assert isinstance(value, Tensor)
    return value


def _name(case: Case) -> str:
    return case.id.removeprefix(f"{case.clause.id}/")


def _expected(case: Case) -> Tensor:
    assert isinstance(case.expectation, Returning)
    return case.expectation.value


def test_every_group_of_axes_of_every_operation_is_empty_once_and_of_length_one_in_four_dtypes(
    catalogue: Catalogue, cases: dict[str, Case]
) -> None:
    for operation in catalogue.operations.values():
        if operation.layout is None:
            continue
        names = {_name(case) for case in cases.values() if case.operation.name == operation.name}
        # An axis that only the result has follows from the labels.
        of_arguments = {part.group for name in operation.arguments for part in operation.layout.arguments.get(name, ())}
        free = [
            name
            for name, group in operation.layout.groups.items()
            if group.other is None and group.high and name in of_arguments
        ]
        for group in free:
            assert f"form.empty-{group}" in names
            made = {dtype for dtype in ("float32", "float64", "int64", "bool") if f"form.one-{group}.{dtype}" in names}
            # A single position that is read, or whose only value is a bool, may tell nothing.
            assert len(made) >= 3, (operation.name, group)
        for first, second in itertools.combinations(free, 2):
            assert f"form.empty-{first}-and-{second}" in names, operation.name


def test_a_form_that_tests_a_dtype_knows_the_same_call_in_an_ordinary_one(cases: dict[str, Case]) -> None:
    about = [
        case
        for case in cases.values()
        if case.dtype_test and not case.policies and isinstance(case.expectation, Returning)
    ]
    assert {case.operation.name for case in about} == {case.operation.name for case in cases.values()}
    for case in about:
        assert case.dtype_test is not None
        original = case.dtype_test.original
        assert isinstance(original, Case), case.id
        assert original.call.broken_rules == ()
        for name, value in case.call.arguments.items():
            ordinary = original.call.arguments[name]
            if name in case.dtype_test.arguments:
                assert isinstance(value, Tensor)
                assert isinstance(ordinary, Tensor)
                assert (ordinary.shape, ordinary.view) == (value.shape, value.view)
                assert ordinary.dtype == ("int64" if case.operation.arguments[name].index else "float32")
            else:
                assert ordinary == value


def test_an_index_outside_an_axis_without_elements_is_only_observed_where_no_rule_is_about_it(
    cases: dict[str, Case],
) -> None:
    case = cases["index_copy.behaviour.slices-are-replaced/form.empty-before-and-along"]
    assert 0 in _tensor(case, "input").shape
    assert _tensor(case, "index").array.size
    assert isinstance(case.expectation, Observed)


def test_an_empty_index_may_be_refused_but_what_is_returned_for_it_is_known(cases: dict[str, Case]) -> None:
    case = cases[f"{DRAWN['gather_nd']}/form.empty-batch"]
    assert _tensor(case, "indices").shape == (0, 1)
    assert _expected(case).shape == (0, *_tensor(case, "params").shape[1:])
    refused = judge(case, Subject("own", None, immutable=False), Observation(raised("ValueError", "empty")))
    assert refused.verdict == "observed"
    assert "an error in this rare form is not judged" in str(refused.explanation)


def test_a_form_that_is_not_open_may_not_be_refused(cases: dict[str, Case]) -> None:
    case = cases[f"{DRAWN['gather_nd']}/form.one-batch.float32"]
    refused = judge(case, Subject("own", None, immutable=False), Observation(raised("ValueError", "one")))
    assert refused.divergences == ["rejected"]


def test_an_empty_list_of_indices_has_the_dtype_of_an_empty_list_and_the_result_of_integers(
    cases: dict[str, Case],
) -> None:
    case = cases[f"{DRAWN['index_add']}/form.empty-picked.index-float32"]
    assert _tensor(case, "index").dtype == "float32"
    assert np.array_equal(_expected(case).array, _tensor(case, "input").array)


def test_what_breaks_a_rule_belongs_to_it_and_has_a_valid_control(cases: dict[str, Case]) -> None:
    case = cases["scatter_nd.rule.indices-integer/form.empty-batch.index-float32"]
    assert isinstance(case.expectation, Raises)
    assert case.control is not None
    assert case.control.broken_rules == ()
    for case in cases.values():
        if isinstance(case.expectation, Raises) and case.clause.rule is not None:
            promises = [clause.name for clause in case.call.broken_promises]
            assert case.clause.rule.name in (*case.call.broken_rules, *promises)
            assert isinstance(case.variation, RareForm)
            assert case.variation.breaks


def test_a_rule_about_an_axis_that_is_missing_decides_nothing(cases: dict[str, Case]) -> None:
    case = cases[f"{DRAWN['gather_nd']}/form.indices-without-axes"]
    assert "indices-depth" in case.call.broken_rules
    assert isinstance(case.expectation, Observed)


def test_an_axis_of_length_one_alone_leaves_the_others_longer(cases: dict[str, Case]) -> None:
    case = cases[f"{DRAWN['gather_elements']}/form.one-above.float32"]
    assert (_tensor(case, "input").shape, _tensor(case, "index").shape) == ((4, 5, 2), (1, 3, 2))


def test_the_strides_of_axes_of_length_one_are_not_those_of_a_dense_tensor(cases: dict[str, Case]) -> None:
    views = {
        name
        for case in cases.values()
        for name, value in case.call.arguments.items()
        if isinstance(value, Tensor) and value.view == "loose"
    }
    assert {"index", "indices", "input", "updates"} <= views


def test_numbers_are_those_that_only_their_dtype_holds(cases: dict[str, Case]) -> None:
    case = cases[f"{DRAWN['gather_elements']}/form.one-above.float64"]
    data = _tensor(case, "input").array
    assert not (data.astype(np.float32).astype(np.float64) == data).any()


def test_what_is_at_least_as_long_as_another_group_is_shortened_with_it_alone(catalogue: Catalogue) -> None:
    layout = catalogue.operations["scatter_elements"].layout
    assert layout is not None
    lengths = usual_lengths(layout, usual_profiles(layout)[0])
    single = changed(layout, lengths, "src_above", 1)
    assert {name for name in lengths if single[name] != lengths[name]} == {"above", "src_above"}
    assert {name for name in lengths if changed(layout, lengths, "above", 1)[name] != lengths[name]} == {"above"}
    assert {name for name in lengths if changed(layout, lengths, "before", 1)[name] != lengths[name]} == {
        "before",
        "above",
    }


def test_an_expensive_mode_makes_every_empty_form_and_every_third_of_the_others_on_an_api(
    cases: dict[str, Case],
) -> None:
    skipped = left_out(cases.values(), cost=0.1)
    assert set(skipped) == {"forms"}
    empty = [case for case in cases.values() if ".empty-" in case.id or "/form.empty-" in case.id]
    assert empty
    assert not [case for case in empty if case in skipped["forms"]]
    of_two = [*skipped["forms"], *left_out(cases.values(), cost=0.1, api=1)["forms"]]
    assert 1.1 < len(of_two) / (len(cases) - len(empty)) < 1.4
    assert left_out(cases.values(), cost=0.0) == {}


def test_an_expensive_mode_runs_a_third_of_each_kind_of_forms(cases: dict[str, Case]) -> None:
    skipped = {case.id for case in left_out(cases.values(), cost=0.1)["forms"]}
    kinds = (
        "one-",
        "largest-",
        "smallest-",
        ".float32",
        ".bool",
        ".int64",
        "-int32.cpu",
        "-int8",
    )
    for kind in kinds:
        alike = [name for name in cases if kind in name and "empty-" not in name]
        assert 0.2 < len(skipped.intersection(alike)) / len(alike) < 0.8, kind


def test_the_same_forms_are_made_each_time(catalogue: Catalogue, reference: Reference, cases: dict[str, Case]) -> None:
    again = build_cases(catalogue, reference, sources=[form_cases])
    assert [case.id for case in again] == list(cases)
    assert all(
        _tensor(case, name).array.tobytes() == _tensor(cases[case.id], name).array.tobytes()
        for case in again[::20]
        for name, value in case.call.arguments.items()
        if isinstance(value, Tensor)
    )


def test_an_operation_without_a_layout_has_no_forms(catalogue: Catalogue, reference: Reference) -> None:
    operation = replace(catalogue.operations["gather_nd"], layout=None)
    assert list(form_cases(operation, reference)) == []


def test_the_first_and_the_last_position_that_a_narrow_index_holds_are_read_and_written(cases: dict[str, Case]) -> None:
    case = cases[f"{DRAWN['gather_nd']}/form.indices-uint16-beyond.many"]
    assert (_tensor(case, "params").shape, _tensor(case, "indices").dtype) == ((65537,), "uint16")
    assert {0, 65535} <= set(_tensor(case, "indices").array.ravel().tolist())
    assert np.array_equal(_expected(case).array, _tensor(case, "indices").array.ravel().astype(np.int64) + 1)
    # A spec whose rule names the dtypes of indices decides only that others may be refused.
    assert isinstance(cases[f"{DRAWN['scatter_nd']}/form.indices-int8-beyond.one"].expectation, Returning)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_an_axis_counted_from_the_end_has_the_result_of_the_same_axis(cases: dict[str, Case], dim: int) -> None:
    case = cases[f"{DRAWN['gather_elements']}/form.dim-minus-{dim}"]
    assert case.call.arguments["dim"] == -dim
    index = _tensor(case, "index").array
    shape = [
        length if axis == 3 - dim else index.shape[axis] for axis, length in enumerate(_tensor(case, "input").shape)
    ]
    within = _tensor(case, "input").array[tuple(map(slice, shape))]
    assert np.array_equal(_expected(case).array, np.take_along_axis(within, index, -dim))


def test_an_axis_far_outside_is_only_observed(cases: dict[str, Case]) -> None:
    for word in ("far-above", "far-below"):
        assert isinstance(cases[f"{DRAWN['index_add']}/form.dim-{word}"].expectation, Observed)


def test_the_limits_of_index_dtypes_are_expected_to_do_what_the_index_in_the_spec_does(cases: dict[str, Case]) -> None:
    outside = "tensor_scatter_nd_update.behaviour.index-outside"
    largest = cases[f"{outside}/form.largest-int64.cpu"]
    assert isinstance(largest.expectation, Raises)
    assert 2**63 - NEXT <= _tensor(largest, "indices").array.max() <= 2**63 - 1
    assert isinstance(cases[f"{outside}/form.smallest-int32.gpu"].expectation, Returning)
    narrow = cases[f"{outside}/form.largest-uint8.cpu"]
    assert narrow.dtypes_tested == {"indices": "uint8"}
    assert narrow.control is not None
    control = narrow.control.arguments["indices"]
    assert isinstance(control, Tensor)
    assert control.dtype == "uint8"


def test_the_limits_of_index_dtypes_show_whether_an_index_was_clamped_counted_from_the_end_or_cut(
    cases: dict[str, Case],
) -> None:
    limits = [case for case in cases.values() if "form.largest-" in case.id or "form.smallest-" in case.id]
    wide = [case for case in limits if re.search("-u?int(32|64)", case.id) and case.policies]
    assert any(outcome.policy == "cut" for case in wide for outcome in case.policies)
    assert {case.id: indistinguishable(case.policies) for case in wide if indistinguishable(case.policies)} == {}


def test_a_limit_that_is_inside_or_would_count_from_the_end_is_no_index_outside(cases: dict[str, Case]) -> None:
    for case in cases.values():
        if "largest" in case.id or "smallest" in case.id:
            geometries = case.call.geometries.values()
            assert not all(geometry.inside.all() for geometry in geometries)


@pytest.mark.parametrize(
    ("dtype", "other"),
    [
        *(("uint64", "int64"), ("bfloat16", "float16"), ("float16", "bfloat16"), ("complex128", "complex64")),
        *(("float8_e4m3fn", "float8_e5m2"), ("float8_e5m2", "float8_e4m3fn")),
    ],
)
def test_data_of_each_dtype_are_numbers_that_another_does_not_hold(
    cases: dict[str, Case], dtype: str, other: str
) -> None:
    for drawn in DRAWN.values():
        case = cases[f"{drawn}/form.own-values.{dtype}"]
        data = [value for name, value in case.call.arguments.items() if not case.operation.arguments[name].index]
        for value in data:
            if isinstance(value, Tensor):
                exact = value.array[value.array != 0]
                with np.errstate(all="ignore"):
                    through = exact.astype(numpy_dtype(other)).astype(numpy_dtype(dtype))
                assert exact.size
                assert (through != exact).mean() > 0.5 or (exact > np.iinfo(np.int64).max).all()


@pytest.mark.parametrize("dtype", FLOAT8)
def test_float8_is_tried_in_one_form_of_an_operation_whose_numbers_are_distinct(
    cases: dict[str, Case], dtype: str
) -> None:
    case = cases[f"{DRAWN['gather_nd']}/form.own-values.{dtype}"]
    numbers = _tensor(case, "params").array.astype(np.float64).ravel()
    assert np.isfinite(numbers).all()
    assert len({*numbers}) == numbers.size
    of_dtype = [one for one in cases.values() if dtype in {value.dtype for value in one.call.tensors.values()}]
    assert all(one.id.endswith(f"/form.own-values.{dtype}") for one in of_dtype)


def test_sums_of_such_numbers_are_exact(cases: dict[str, Case]) -> None:
    case = cases[f"{DRAWN['index_add']}/form.own-values.bfloat16"]
    result = np.sort(_expected(case).array.astype(np.float64).ravel())
    numbers = np.concatenate([_tensor(case, name).array.astype(np.float64).ravel() for name in ("input", "source")])
    assert set(result) <= set(numbers)


def test_a_number_of_batch_axes_is_counted_from_the_rank_of_the_index_and_means_the_same(
    cases: dict[str, Case],
) -> None:
    for name in ("minus-1", "minus-2"):
        case = cases[f"batched_index_select.behaviour.each-part-by-its-own-index/form.batch_dims-{name}"]
        assert _tensor(case, "index").rank == 3
        assert case.call.arguments["batch_dims"] == -int(name[-1])
        assert isinstance(case.expectation, Returning)
    refused = cases["batched_gather_nd.rule.batch-not-negative/form.batch_dims-minus-2"]
    assert isinstance(refused.expectation, Raises)


def test_each_group_of_a_batched_operation_has_the_length_one_and_none(cases: dict[str, Case]) -> None:
    forms = {id_.partition("/")[2] for id_ in cases if id_.startswith("batched_index_select.")}
    assert {"form.empty-paired", "form.one-paired.float32", "form.empty-paired-and-along"} <= forms


@pytest.mark.parametrize(
    ("operation", "drawn"),
    [
        ("masked_select", "selected-in-row-major-order"),
        ("masked_fill", "elements-are-filled"),
        ("masked_scatter", "elements-in-row-major-order"),
    ],
)
def test_a_mask_is_true_everywhere_nowhere_and_in_one_place(cases: dict[str, Case], operation: str, drawn: str) -> None:
    counts = {}
    # Where everything is written, the result is the number everywhere, or the source: a copy would have it too.
    every = ("none", "first", "last", "all-but-last", *(["all"] if operation == "masked_select" else []))
    for word in every:
        case = cases[f"{operation}.behaviour.{drawn}/form.mask-{word}.int64"]
        mask = _tensor(case, "mask").array.reshape(-1)
        assert _expected(case).dtype == "int64"
        counts[word] = int(mask.sum()), mask.size, bool(mask[0]), bool(mask[-1])
    assert {word for word, (count, size, _, _) in counts.items() if count == size} == {"all"} & {*every}
    assert counts["none"][0] == 0
    assert (counts["first"][0], *counts["first"][2:]) == (1, True, False)
    assert (counts["last"][0], *counts["last"][2:]) == (1, False, True)
    assert counts["all-but-last"][0] == counts["all-but-last"][1] - 1


def test_a_number_that_is_written_into_data_of_bool_is_a_truth(cases: dict[str, Case]) -> None:
    calls = [case.call.arguments for case in cases.values() if case.operation.name == "masked_fill"]
    numbers = [(call["input"], call["value"]) for call in calls if not isinstance(call["value"], Tensor)]
    kinds = {(data.dtype == "bool", isinstance(value, bool)) for data, value in numbers if isinstance(data, Tensor)}
    assert kinds == {(True, True), (False, False)}


def test_an_error_of_a_form_that_breaks_a_rule_and_is_empty_too_proves_nothing(cases: dict[str, Case]) -> None:
    refused = Observation(raised(), control_before="returned", control_after="returned")
    subject = Subject("own", None, immutable=False)

    def verdict(name: str, observation: Observation) -> str:
        return judge(cases[name], subject, observation).verdict

    updates = "tensor_scatter_nd_add.rule.updates-shape/form.indices-of-shape-0"
    assert verdict(updates, refused) == "observed"
    # A call that it accepts is one that it should refuse all the same, and a rule about emptiness is broken by that.
    accepted = replace(refused, outcome=returned(), result=tensor("int32", [1, 2]))
    assert verdict(updates, accepted) == "diverges"
    about_that = [name for name in cases if name.startswith("scatter_nd.rule.shape-positive/form.")]
    assert "conforms" in {verdict(name, refused) for name in about_that}
    # In the same emptiness there is a control for what is wrong in an empty list.
    assert verdict("scatter_nd.rule.indices-integer/form.empty-batch.index-float32", refused) == "conforms"


def test_a_mask_selects_some_and_not_all_unless_a_form_is_about_that(cases: dict[str, Case]) -> None:
    drawn = [
        case
        for case in cases.values()
        if case.operation.name.startswith("masked_")
        and "/form." in case.id
        and not re.search(r"/form\.(mask-|empty|.*-of-shape-0|index-)", case.id)
    ]
    assert len(drawn) > 20
    masks = {case.id: _tensor(case, "mask").array for case in drawn}
    constant = [name for name, mask in masks.items() if not mask.any() or (mask.size > 1 and mask.all())]
    assert constant == []


def test_a_mask_is_not_tried_in_the_dtypes_of_indices(cases: dict[str, Case]) -> None:
    of_masks = [case for case in cases.values() if case.operation.name.startswith("masked_")]
    of_masks = [case for case in of_masks if not case.call.has_python_index]
    assert {_tensor(case, "mask").dtype for case in of_masks if "index-float32" not in case.id} == {"bool"}


def test_the_forms_of_an_operation_with_keys_have_all_of_them_by_turns_and_each_index_on_a_long_axis(
    catalogue: Catalogue, cases: dict[str, Case]
) -> None:
    for name in ("advanced_index_get", "advanced_index_set"):
        forms = [case for case in cases.values() if case.operation.name == name]
        keys = {case.call.arguments["key"] for case in forms if "/form.one-" in case.id}
        assert keys == {*catalogue.operations[name].arguments["key"].choices}
        for index, dtype in itertools.product("ij", ("int8", "uint8", "int16", "uint16")):
            [case] = [case for case in forms if _name(case) == f"form.{index}-{dtype}-beyond.many"]
            narrow, other = (case.call.arguments[each] for each in (index, "j" if index == "i" else "i"))
            assert isinstance(narrow, Tensor)
            assert isinstance(other, Tensor)
            assert (narrow.dtype, narrow.array.max()) == (dtype, np.iinfo(dtype).max)
            assert not other.array.any()
