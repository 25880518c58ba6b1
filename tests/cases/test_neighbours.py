"""Every operation is called as a neighbouring convention would have it, and what its documents say of that is expected."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returning
from conformance.cases.forms.source import form_cases
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.cases.variants.derivatives import has_transforms
from conformance.cases.variants.passing import passed_cases
from conformance.data_folders import reference_adapter
from conformance.judging.judge import judge
from conformance.judging.subject import Subject
from conformance.outcomes.observation import Observation
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Observed, Raises
from tests.outcomes import raised, returned, returned_value

OPERATIONS = (
    "tensor_scatter_nd_add",
    "index_add",
    "advanced_index_set",
    "index_select",
    "segment_reduce",
    "gather_elements",
)


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(reference_adapter())


@pytest.fixture(scope="module")
def cases(reference: Reference) -> dict[str, Case]:
    made = build_cases(load_specs().only(OPERATIONS), reference, sources=[form_cases])
    return {f"{case.operation_name}/{case.id.rpartition('/')[2]}": case for case in made}


def _shape(case: Case, name: str) -> tuple[int, ...]:
    value = case.call.arguments[name]
    assert isinstance(value, Tensor)
    return value.shape


@pytest.mark.parametrize(
    ("form", "shape"),
    [
        ("updates-one-row", (5,)),
        ("updates-one-along-0", (1, 5)),
        ("updates-one-along-1", (3, 1)),
        ("updates-under-another-axis", (1, 3, 5)),
        ("updates-one-row-for-all.of-two-axes", (1, 1, 5)),
        ("updates-without-the-first-axis.of-two-axes", (2, 5)),
    ],
)
def test_updates_that_would_broadcast_are_an_error_by_the_rule_about_their_shape(
    cases: dict[str, Case], form: str, shape: tuple[int, ...]
) -> None:
    case = cases[f"tensor_scatter_nd_add/form.{form}"]
    assert _shape(case, "updates") == shape
    assert case.clause.name == "updates-shape"
    assert isinstance(case.expectation, Raises)
    assert case.control is not None
    assert np.broadcast_shapes(shape, case.control.tensors["updates"].shape) in (
        case.control.tensors["updates"].shape,
        shape,
    )
    accepted = Observation(returned(), control_before="returned")
    assert judge(case, Subject("own", None, immutable=False), accepted).divergences == ["accepted"]


def test_values_are_broadcast_where_the_documents_say_so(cases: dict[str, Case]) -> None:
    case = cases["advanced_index_set/form.values-one-row"]
    assert isinstance(case.expectation, Returning)
    refused = judge(case, Subject("own", None, immutable=False), Observation(raised("ValueError", "shape")))
    assert refused.verdict == "observed"


def test_a_mask_for_an_index_breaks_the_rule_about_its_dtype_before_those_about_shapes(cases: dict[str, Case]) -> None:
    case = cases["tensor_scatter_nd_add/form.indices-mask-of-axis"]
    assert (_shape(case, "indices"), case.clause.name) == ((4,), "indices-integer")
    mask = case.call.tensors["indices"].array
    assert mask.sum() == _shape(case, "updates")[0]  # a mask takes these updates
    assert len(case.call.broken_rules) > 1
    assert case.expectation == Raises()
    whole = cases["tensor_scatter_nd_add/form.indices-mask-of-data"]
    assert _shape(whole, "indices") == _shape(whole, "tensor")
    assert _shape(whole, "updates") == (whole.call.tensors["indices"].array.sum(),)


def test_a_mask_of_which_no_document_speaks_is_only_observed(cases: dict[str, Case]) -> None:
    assert isinstance(cases["index_select/form.index-mask-of-axis"].expectation, Observed)
    assert isinstance(cases["gather_elements/form.index-mask-of-data"].expectation, Observed)


def test_an_index_of_a_python_type_means_the_same_tensor_and_may_be_refused(cases: dict[str, Case]) -> None:
    for form, value in (("as-a-list", list), ("as-a-number", int)):
        case = cases[f"index_select/form.index-{form}"]
        assert type(case.call.arguments["index"]) is value
        assert isinstance(case.expectation, Returning)
        assert case.open is not None
    # Where a tensor without axes breaks a rule, a number means nothing.
    assert "index_add/form.index-as-a-number" not in cases


def test_a_call_with_an_index_of_a_python_type_has_no_transforms_and_is_passed_in_no_other_way(
    cases: dict[str, Case],
) -> None:
    case = cases["index_select/form.index-as-a-list"]
    assert not has_transforms(case)
    assert list(passed_cases(case.operation, [case])) == []


def test_not_all_indices_are_equal(cases: dict[str, Case]) -> None:
    for name, case in cases.items():
        if name.endswith("-as-a-list"):
            lists = [value for value in case.call.arguments.values() if isinstance(value, list)]
            assert all(len(np.unique(value)) > 1 for value in lists), name


def test_an_axis_counted_from_the_end_belongs_to_the_clause_that_says_so_and_may_not_be_refused(
    cases: dict[str, Case],
) -> None:
    for number in (1, 2, 3):
        # The same form of the clause of drawn calls comes before it.
        case = cases[f"index_select/form.dim-minus-{number}"]
        assert case.clause.name == "a-negative-axis-counts-from-the-last"
        assert case.open is None
        assert isinstance(case.expectation, Returning)


def test_an_adapter_that_computes_with_an_index_has_no_form_for_a_list(cases: dict[str, Case]) -> None:
    subject = Subject("own", None, immutable=False)
    failed = Observation(raised("AttributeError", "'list' object has no attribute 'shape'", fault="adapter"))
    helped = Observation(raised("TypeError", "no list", by="torch.bincount"))
    for observation in (failed, helped):
        assert judge(cases["index_select/form.index-as-a-list"], subject, observation).verdict == "unsupported"
    assert judge(cases["index_select/form.one-picked.float32"], subject, failed).verdict == "blocked"


def test_what_a_number_in_brackets_selects_may_be_a_view(cases: dict[str, Case]) -> None:
    case = cases["index_select/form.index-as-a-number"]
    assert isinstance(case.expectation, Returning)
    value = case.expectation.value
    observation = Observation(returned_value(value, aliased=("input",)), value)
    assert judge(case, Subject("own", None, immutable=False), observation).verdict == "conforms"
