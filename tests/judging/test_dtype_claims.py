"""A dtype is judged where the API's own documentation names it, for the releases that it speaks of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.variation import Passed, Turn
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.judging.dtype_claims import DtypeClaim, dtype_claim, index_dtypes, unlisted
from conformance.judging.judge import judge
from conformance.judging.standing import DescribedApi, says_dtype_of_result
from conformance.judging.subject import Subject
from conformance.outcomes.model import Status
from conformance.outcomes.observation import Observation, Refusal
from conformance.specification.literals import tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Citation, PassedAs, Raises
from tests.judging.dtypes import about_dtypes_of
from tests.outcomes import SEGFAULT, raised, returned_value

EXAMPLE = "scatter_nd.example.insert-four-scalars/as-printed"
NAMED = DtypeClaim("mindspore.ops.scatter_nd#indices.dtype", "yes")
FAMILY = DtypeClaim("tf.raw_ops.ScatterNd#indices.dtype", "family")


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    return {case.id: case for case in build_cases(load_specs(), reference, sources=[dtype_cases])}


def _claim(
    case: Case, framework: str, version: str, api: str, *, composed: bool = False, promised: tuple[str, ...] = ()
) -> DtypeClaim | None:
    return dtype_claim(case, DescribedApi(framework, version, api), composed=composed, promised=promised)


def test_the_document_of_an_api_claims_dtypes_for_the_releases_that_say_so(cases: dict[str, Case]) -> None:
    case = cases[f"{EXAMPLE}.index-int64"]
    assert _claim(case, "mindspore", "2.4.1", "mindspore.ops.scatter_nd") == NAMED
    assert _claim(case, "mindspore", "2.10.0", "mindspore.ops.scatter_nd") is None


def test_a_dtype_that_is_not_among_those_listed_is_unsupported_if_it_is_refused_and_open_if_no_list_denies_it(
    cases: dict[str, Case],
) -> None:
    case = cases[f"{EXAMPLE}.index-int16"]
    claim = _claim(case, "mindspore", "2.4.1", "mindspore.ops.scatter_nd")
    assert claim == DtypeClaim("mindspore.ops.scatter_nd#indices.dtype", "others")
    refused = Observation(raised("TypeError", "no such kernel"))
    subject = Subject("own", None, immutable=False, error_types=True, dtype_claim=claim)
    judged = judge(case, subject, refused)
    assert (judged.verdict, judged.explanation) == (
        "unsupported",
        "it raised TypeError: no such kernel; mindspore.ops.scatter_nd#indices.dtype lists other dtypes than int16 as indices",
    )
    elsewhere = judge(case, subject, replace(refused, refusal=Refusal(returns_otherwise=True, elsewhere="taken")))
    assert elsewhere.verdict == "observed"
    assert "so whether it takes int16 as indices is open; it does in another call" in str(elsewhere.explanation)
    otherwise = judge(case, subject, replace(refused, refusal=Refusal(returns_otherwise=False, elsewhere=None)))
    assert otherwise.verdict == "blocked"
    assert isinstance(case.expectation, Returning)
    value = case.expectation.value
    assert judge(case, subject, Observation(returned_value(value), value)).verdict == "conforms"
    silent = judge(case, replace(subject, dtype_claim=None), refused)
    assert "(no document of the API says, so whether" in str(silent.explanation)
    composed = judge(case, replace(subject, dtype_claim=None, composed=True), refused)
    assert "(no document speaks of the calls that are composed here, so whether" in str(composed.explanation)


def test_a_dtype_of_an_argument_whose_dtypes_no_document_lists_is_not_claimed(cases: dict[str, Case]) -> None:
    assert _claim(cases[f"{EXAMPLE}.float16"], "mindspore", "2.4.1", "mindspore.ops.scatter_nd") is None


def test_a_family_is_shown_and_claims_no_one_dtype(cases: dict[str, Case]) -> None:
    case = cases[f"{EXAMPLE}.index-int8"]
    assert _claim(case, "tensorflow", "2.21.0", "tf.scatter_nd") == FAMILY
    assert _claim(case, "tensorflow", "2.21.0", "tf.scatter_nd", composed=True) is None


def test_an_adapter_can_promise_a_dtype(cases: dict[str, Case]) -> None:
    found = _claim(cases[f"{EXAMPLE}.float16"], "mine", "1", "mine.scatter", promised=("float16",))
    assert found == DtypeClaim("the adapter", "yes")


def test_a_refusal_counts_only_where_the_dtype_is_claimed_by_name(cases: dict[str, Case]) -> None:
    case = cases[f"{EXAMPLE}.index-int64"]
    observation = Observation(raised("TypeError", "no such kernel"))
    own = Subject("own", None, immutable=False, error_types=True, dtype_claim=NAMED)
    assert judge(case, own, observation).divergences == ["rejected"]
    silent = judge(case, replace(own, dtype_claim=None), observation)
    assert (silent.verdict, silent.divergences) == ("observed", [])
    family = judge(case, replace(own, dtype_claim=FAMILY), observation)
    assert family.verdict == "observed"
    assert "tf.raw_ops.ScatterNd#indices.dtype only names the family" in str(family.explanation)


def test_an_error_is_not_about_a_dtype_that_the_control_has_too(cases: dict[str, Case]) -> None:
    valid = cases[f"{EXAMPLE}.index-int16"]
    call = valid.call
    narrow = replace(valid, control=call, expectation=Raises())
    subject = Subject("portability", None, immutable=False)

    def verdict(case: Case, control: Status) -> str:
        return judge(case, subject, Observation(raised(), control_before=control, control_after=control)).verdict

    assert verdict(narrow, "returned") == "conforms"
    assert verdict(narrow, "raised") == "observed"
    wider = call.with_arguments({"indices": tensor("int64", [[4], [3], [1], [7]])})
    retyped = replace(narrow, control=wider)
    assert verdict(retyped, "returned") == "observed"


def test_a_death_counts_whether_or_not_the_dtype_is_claimed(cases: dict[str, Case]) -> None:
    subject = Subject("own", None, immutable=False, error_types=True)
    died = Observation(SEGFAULT)
    assert judge(cases[f"{EXAMPLE}.float16"], subject, died).verdict == "died"


def test_a_tensor_that_a_framework_cannot_make_is_unsupported_where_the_case_is_about_its_dtype(
    cases: dict[str, Case],
) -> None:
    subject = Subject("own", None, immutable=False, error_types=True)
    observation = Observation(raised("TypeError", "no such kernel", phase="arguments"))
    case = cases[f"{EXAMPLE}.uint16"]
    assert judge(case, subject, observation).verdict == "unsupported"
    assert judge(about_dtypes_of(case), subject, observation).verdict == "blocked"


def test_a_refused_dtype_breaks_the_document_unless_a_number_may_be_what_is_refused(cases: dict[str, Case]) -> None:
    refused = replace(Observation(raised("TypeError", "no")), refusal=Refusal(returns_otherwise=True, elsewhere=None))
    subject = Subject("portability", None, immutable=False, dtype_claim=NAMED)
    breaks = {
        name: judge(cases[f"scatter_elements.example.{name}"], subject, refused).breaks_dtype_claim
        for name in (
            "add-a-scalar/as-printed.int64",
            "add-a-scalar/as-printed.index-int32",
            "add-a-row-of-ones/as-printed.int64",
        )
    }
    assert [*breaks.values()] == [False, True, True]


def test_a_call_that_keeps_a_rule_on_the_dtype_of_its_indices_is_made_in_that_dtype() -> None:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    written = {case.id: case for case in build_cases(load_specs(), reference, sources=[written_cases])}
    takes_int64 = DescribedApi("torch", "2.13.0", "torch.take", spoken=("torch.take#index.dtype",))
    kept = written["take.rule.index-dtype/keep.int32"]
    assert index_dtypes(kept, takes_int64, ["int64"], "own") == []
    # So that a refusal is compared with the same call in a dtype that the API takes.
    assert kept.dtype_test is not None
    assert isinstance(kept.dtype_test.original, Case)
    assert index_dtypes(kept.dtype_test.original, takes_int64, ["int64"], "own") == ["int64"]
    other = written["take.rule.result-shape/keep.longer-than-input"]
    assert (other.dtypes_tested, other.dtype_test) == ({}, None)


def test_a_result_in_another_dtype_breaks_a_document_only_if_one_says_which_it_has(cases: dict[str, Case]) -> None:
    case = cases[f"{EXAMPLE}.float16"]
    assert isinstance(case.expectation, Returning)
    wide = case.expectation.value.cast("float32")
    subject = Subject("own", None, immutable=False)

    def is_nobodys(subject: Subject, case: Case = case) -> bool:
        judgement = judge(case, subject, Observation(returned_value(wide), wide))
        assert (judgement.verdict, judgement.divergences) == ("diverges", ["dtype"])
        return judgement.breaks_no_promise

    assert is_nobodys(subject)
    assert not is_nobodys(replace(subject, says_dtype=True))
    assert not is_nobodys(replace(subject, dtype_claim=DtypeClaim(NAMED.by, "yes")))
    assert not is_nobodys(subject, about_dtypes_of(case))
    assert not is_nobodys(subject, about_dtypes_of(case, "indices"))


def test_a_number_that_is_an_argument_of_a_graph_is_a_tensor_which_is_promoted_as_no_document_says() -> None:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    found = {case.id: case for case in build_cases(load_specs(), reference, sources=[written_cases])}
    plain = found["masked_fill.rule.result-shape/keep.of-three-axes"]
    assert isinstance(plain.expectation, Returning)
    wide = plain.expectation.value.cast("float64")
    manner = PassedAs({"value": "argument"})
    variation = Passed(plain.id, manner, Turn(0), is_open=False)
    case = replace(plain, call=plain.call.made(manner), variation=variation)

    def is_nobodys(case: Case, *, says_dtype: bool) -> bool:
        subject = Subject("own", None, immutable=False, says_dtype=says_dtype)
        judgement = judge(case, subject, Observation(returned_value(wide), wide))
        assert judgement.divergences == ["dtype"]
        return judgement.breaks_no_promise

    assert is_nobodys(case, says_dtype=False)
    assert not is_nobodys(case, says_dtype=True)
    assert not is_nobodys(plain, says_dtype=False)


def test_a_document_says_the_dtype_of_a_result_by_a_rule_that_requires_it(cases: dict[str, Case]) -> None:
    operation = cases[f"{EXAMPLE}.float16"].operation
    says = "tf.scatter_nd.__doc__#returns"
    assert says_dtype_of_result(operation, DescribedApi("tensorflow", "2.21.0", "tf.scatter_nd", spoken=(says,)))
    assert not says_dtype_of_result(operation, DescribedApi("keras", "3.15.1", "keras.ops.scatter"))


def test_a_rule_about_dtypes_that_is_only_observed_is_decided_for_an_api_that_lists_others_and_refuses() -> None:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    found = {case.id: case for case in build_cases(load_specs(), reference, sources=[written_cases])}
    case = found["masked_fill.rule.mask-dtype/break.uint8"]
    claims = frozenset({"torch.Tensor.masked_fill_#mask.dtype", "torch.where#condition.dtype"})
    claim = unlisted(case, DescribedApi("torch", "2.13.0", "torch.Tensor.masked_fill_", spoken=claims))
    assert str(claim) == "torch.Tensor.masked_fill_#mask.dtype"
    assert unlisted(case, DescribedApi("torch", "2.13.0", "torch.Tensor.__setitem__", spoken=claims)) is None
    kept = found["masked_fill.rule.mask-dtype/keep.of-a-matrix"]
    assert unlisted(kept, DescribedApi("torch", "2.13.0", "torch.where", spoken=claims)) is None

    def verdict(observation: Observation, claim: Citation | None = claim) -> str:
        subject = Subject("own", None, immutable=False, unlisted=claim)
        return judge(case, subject, replace(observation, control_before="returned")).verdict

    refused = Observation(raised("RuntimeError", "only bool"))
    value = tensor("float32", [10, 5, 5])
    assert verdict(refused) == "unsupported"
    assert verdict(refused, None) == "observed"
    assert verdict(Observation(returned_value(value), value)) == "observed"
    alike = replace(refused, control_before="raised")
    assert judge(case, Subject("own", None, immutable=False, unlisted=claim), alike).verdict == "observed"


def test_indices_of_a_dtype_that_no_document_names_are_cast_to_one_that_the_api_takes(cases: dict[str, Case]) -> None:
    case = cases["index_fill.behaviour.slices-are-filled/along-dim-0.float64"]
    silent = DescribedApi("mindspore", "2.10.0", "mindspore.ops.IndexFill", spoken=("mindspore.ops.IndexFill#purpose",))
    assert index_dtypes(case, silent, ["int32"], "own") == ["int32"]
    about_indices = cases["index_fill.behaviour.slices-are-filled/along-dim-0.index-int8"]
    assert index_dtypes(about_indices, silent, ["int32"], "own") == []
