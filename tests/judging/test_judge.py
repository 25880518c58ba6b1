"""Right implementations are not blamed, wrong ones are not passed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.cases.expectations import Expectation, Returns, ToDigits
from conformance.cases.model import Case
from conformance.cases.variation import DtypeTest, Written
from conformance.judging.dtype_claims import DtypeClaim
from conformance.judging.judge import judge
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.outcomes.model import Abstract, Outside, Status
from conformance.outcomes.observation import Observation, Refusal
from conformance.specification.applied import Applied
from conformance.specification.expressions import compile_expression
from conformance.specification.literals import Tensor, tensor
from conformance.specification.model import Observed, Raises, Rule
from tests.execution.harness import fake_cases
from tests.judging.dtypes import about_dtypes_of
from tests.outcomes import SEGFAULT, raised, returned_value

OWN = Subject("own", None, immutable=False, error_types=True)
PORTED = replace(OWN, standing="portability")
RAISED = raised("IndexError", "no\nmore", bases=["LookupError", "Exception"])


def _case(expectation: Expectation) -> Case:
    return replace(fake_cases()[0], expectation=expectation)


def _returns(dtype: str, values: Any, *, digits: int | None = None, accumulates: bool = False) -> Returns:
    tolerance = ToDigits(digits) if digits is not None else None
    return Returns(tensor(dtype, values), accumulates, "printed", tolerance)


def _returned(dtype: str, values: Any, **more: Any) -> Observation:
    value = values if isinstance(values, Tensor) else tensor(dtype, values)
    return Observation(returned_value(value, **more), value)


def _judged(expected: Expectation, observation: Observation, subject: Subject = OWN) -> Judgement:
    return judge(_case(expected), subject, observation)


def test_the_same_bytes_conform() -> None:
    assert _judged(_returns("int32", [1, 2]), _returned("int32", [1, 2])).verdict == "conforms"


def test_another_element_is_a_value_divergence_with_its_place() -> None:
    judged = _judged(_returns("int32", [[1, 2], [3, 4]]), _returned("int32", [[1, 2], [9, 4]]))
    assert judged.divergences == ["value"]
    assert judged.explanation == "1 of 4 elements differ, first at [1, 0]: expected 3, got 9"


@pytest.mark.parametrize(
    ("require", "verdict"),
    [("count(mask) <= source.size", "unsupported"), ("mask.rank == source.rank", "diverges")],
)
def test_without_values_a_condition_on_values_is_not_judged_even_if_the_control_has_another_shape(
    require: str, verdict: str
) -> None:
    condition = compile_expression(require, ["mask", "source"])
    rule = Rule("enough", condition, None, Raises(), ())
    case = _case(Raises())
    wider = tensor("int32", [[1, 2, 3, 4]])
    control = case.call.with_arguments({next(iter(case.call.arguments)): wider})
    case = replace(case, clause=replace(case.clause, rule=rule), control=control)
    judged = judge(case, OWN, Observation(Abstract("int32", (3,)), None, control_before="returned"))
    assert judged.verdict == verdict


def test_another_dtype_or_shape_is_told_apart_from_another_value() -> None:
    expected = _returns("int32", [1, 2])
    assert _judged(expected, _returned("int64", [1, 2])).divergences == ["dtype"]
    assert _judged(expected, _returned("int32", [[1, 2]])).divergences == ["shape"]
    assert _judged(expected, _returned("int64", [[1, 2]])).divergences == ["dtype", "shape"]


def test_a_call_that_is_accepted_against_other_claims_than_those_of_its_clause_names_them() -> None:
    judged = _judged(Raises(), _returned("int32", [1]), replace(OWN, by_rules=("tf.f#index.rank",)))
    assert judged.divergences == ["accepted"]
    assert str(judged.explanation).endswith("; the API's documentation forbids this (tf.f#index.rank)")


def test_what_another_clause_judges_by_the_apis_own_document_is_not_said_to_be_open() -> None:
    observed = Observed("the document does not say which remains")
    assert str(_judged(observed, _returned("int32", [1])).explanation).endswith(
        "(the document does not say which remains)"
    )
    decided = _judged(observed, _returned("int32", [1]), replace(OWN, decided_by="it.behaviour.the-last"))
    assert decided.verdict == "observed"
    assert str(decided.explanation).endswith(
        "(it.behaviour.the-last says what follows, by the API's own documentation)"
    )


def test_a_nan_is_not_taken_for_a_zero_and_its_payload_does_not_count() -> None:
    payload = Tensor("float32", np.array([0x7FC00001], np.uint32).view(np.float32), None)
    assert _judged(_returns("float32", [float("nan")]), _returned("float32", payload)).verdict == "conforms"
    assert _judged(_returns("float32", [float("nan")]), _returned("float32", [0.0])).divergences == ["value"]
    assert _judged(_returns("float32", [0.0]), _returned("float32", [float("nan")])).divergences == ["value"]


def test_the_sign_of_zero_counts_where_data_moves_and_not_in_sums() -> None:
    assert _judged(_returns("float32", [0.0]), _returned("float32", [-0.0])).divergences == ["value"]
    assert _judged(_returns("float32", [0.0], accumulates=True), _returned("float32", [-0.0])).verdict == "conforms"


def test_one_bit_counts_where_every_bit_does_and_not_below_printed_digits() -> None:
    near = float(np.nextafter(np.float32(3.23), np.float32(4)))
    assert _judged(_returns("float32", [3.23]), _returned("float32", [near])).divergences == ["value"]
    assert _judged(_returns("float32", [3.23], digits=4), _returned("float32", [near])).verdict == "conforms"
    assert _judged(_returns("float32", [3.23], digits=4), _returned("float32", [3.2302])).divergences == ["value"]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "complex64"])
def test_every_dtype_can_be_compared(dtype: str) -> None:
    assert _judged(_returns(dtype, [1, 0]), _returned(dtype, [1, 0])).verdict == "conforms"
    assert _judged(_returns(dtype, [1, 0]), _returned(dtype, [1, 1])).divergences == ["value"]


def test_an_empty_or_rank_0_result_can_be_compared() -> None:
    assert _judged(_returns("float32", "zeros([0, 3])"), _returned("float32", "zeros([0, 3])")).verdict == "conforms"
    assert _judged(_returns("float32", 1), _returned("float32", 2)).divergences == ["value"]


def test_an_error_in_place_of_a_result_is_a_rejection() -> None:
    judged = _judged(_returns("int32", [1]), Observation(RAISED))
    assert judged.divergences == ["rejected"]
    assert str(judged.explanation).endswith("raised IndexError: no / more")


def test_a_result_in_place_of_an_error_is_an_acceptance() -> None:
    observation = replace(_returned("int32", [1]), control_before="returned")
    assert _judged(Raises(), observation).divergences == ["accepted"]


def test_an_error_proves_nothing_where_the_valid_control_raises_too() -> None:
    assert _judged(Raises(), Observation(RAISED, control_before="raised", control_after="raised")).verdict == "blocked"


def test_an_error_proves_nothing_where_the_call_has_a_tensor_without_elements_and_its_control_has_none() -> None:
    returned = Observation(RAISED, control_before="returned", control_after="returned")
    case = _case(Raises())
    empty = {name: tensor("float32", "zeros([0, 2])") for name in case.call.arguments if name != "dim"}
    without = case.call.with_arguments(empty)

    def verdict(call: Applied, control: Applied) -> str:
        return judge(replace(case, call=call, control=control), OWN, returned).verdict

    assert verdict(without, case.call) == "observed"
    assert verdict(without, without) == "conforms"
    assert verdict(case.call, case.call) == "conforms"


def test_an_error_that_poisons_the_process_is_a_finding() -> None:
    assert _judged(Raises(), Observation(RAISED, control_before="returned", control_after="raised")).divergences == [
        "contaminated"
    ]


@pytest.mark.parametrize(
    ("subject", "divergences"),
    [(OWN, ["error-type"]), (replace(OWN, error_types=False), [])],
)
def test_a_named_error_binds_only_the_documented_api_where_errors_keep_their_type(
    subject: Subject, divergences: list[str]
) -> None:
    assert (
        _judged(
            Raises("TypeError"), Observation(RAISED, control_before="returned", control_after="returned"), subject
        ).divergences
        == divergences
    )


def test_a_subclass_of_the_named_error_is_that_error() -> None:
    assert (
        _judged(Raises("LookupError"), Observation(RAISED, control_before="returned", control_after="returned")).verdict
        == "conforms"
    )


def test_a_process_that_died_has_not_raised() -> None:
    ended = Observation(SEGFAULT, control_before="returned")
    assert _judged(Raises(), ended).verdict == "died"


def test_where_nobody_says_what_should_happen_nothing_is_judged() -> None:
    assert _judged(Observed("silence"), Observation(RAISED)).verdict == "observed"
    assert _judged(Observed("silence"), _returned("int32", [1])).verdict == "observed"


def test_a_docstring_that_is_silent_is_named_where_it_is_that_of_another_api() -> None:
    silent = Observed("the docstring does not say what follows")
    cases = [case for case in fake_cases() if case.clause.citations]
    case = replace(cases[0], expectation=silent)
    named = case.clause.citations[0].document.id
    own = judge(case, OWN, Observation(RAISED))
    assert str(own.explanation).endswith("(the docstring does not say what follows)")
    other = judge(case, replace(OWN, standing="portability"), Observation(RAISED))
    assert f"(the docstring does not say what follows; the clause is about {named}" in str(other.explanation)


def test_arguments_that_a_framework_cannot_make_block_the_case() -> None:
    observation = Observation(raised(phase="arguments"), control_before="returned", control_after="returned")
    assert _judged(_returns("int32", [1]), observation).verdict == "blocked"
    assert _judged(Raises(), observation).verdict == "blocked"


def test_an_error_of_something_else_than_the_api_proves_nothing() -> None:
    helper = Observation(raised(by="lib.slice"), control_before="returned", control_after="returned")
    for expected in (Raises(), _returns("int32", [1]), Observed("silence")):
        judged = _judged(expected, helper)
        assert (judged.verdict, judged.divergences) == ("blocked", [])
        assert str(judged.explanation).startswith("lib.slice, which is not the API under test, raised ")
    case = _case(_returns("int32", [1]))
    assert judge(about_dtypes_of(case, "input"), OWN, helper).verdict == "unsupported"


def test_an_input_may_change_only_where_the_api_says_so() -> None:
    expected = _returns("int32", [3, 2, 1])
    observation = _returned("int32", [3, 2, 1], changed=("input",))
    assert _judged(expected, observation).divergences == ["input-changed"]
    assert _judged(expected, observation, replace(OWN, in_place="input")).verdict == "conforms"


def test_a_changed_argument_breaks_only_a_promise_that_a_document_makes() -> None:
    expected = _returns("int32", [3, 2, 1])
    observation = _returned("int32", [3, 2, 1], changed=("input",), aliased=("input",))
    assert _judged(expected, observation).breaks_no_promise
    assert not _judged(expected, observation, replace(OWN, keeps=frozenset({"input"}))).breaks_no_promise
    other_kinds = _returned("int64", [3, 2, 1], changed=("input",))
    assert not _judged(expected, other_kinds).breaks_no_promise
    outside = _returned("int32", [3, 2, 1], changed=("input",), outside=(Outside("input", "wrote"),))
    assert not _judged(expected, outside).breaks_no_promise


def test_a_call_that_should_change_its_argument_and_changes_another_breaks_a_promise() -> None:
    observation = _returned("int32", [3, 2, 1], changed=("index",))
    judged = _judged(_returns("int32", [3, 2, 1]), observation, replace(OWN, in_place="input"))
    assert (judged.divergences, judged.breaks_no_promise) == (["input-changed"], False)


def test_a_change_by_design_is_no_divergence_and_not_judged_where_elements_share_memory() -> None:
    by_design = replace(OWN, changes=frozenset({"input"}))
    observation = _returned("int32", [3, 2, 1], changed=("input",), aliased=("input",))
    expected = _returns("int32", [3, 2, 1])
    assert _judged(expected, observation, by_design).verdict == "conforms"
    case = _case(expected)
    row = case.call.arguments["input"]
    assert isinstance(row, Tensor)
    call = case.call.with_arguments({"input": replace(row, view="expanded")})
    judged = judge(replace(case, call=call), by_design, observation)
    assert (judged.verdict, judged.explanation) == (
        "unsupported",
        "the call changes input, whose elements share memory in this view",
    )


def test_an_api_that_should_change_its_input_and_does_not_is_told() -> None:
    judged = _judged(_returns("int32", [3, 2, 1]), _returned("int32", [3, 2, 1]), replace(OWN, in_place="input"))
    assert judged.divergences == ["input-changed"]


def test_sharing_memory_harms_only_where_tensors_can_change() -> None:
    observation = _returned("int32", [3, 2, 1], aliased=("input",))
    assert _judged(_returns("int32", [3, 2, 1]), observation).divergences == ["aliased"]
    assert _judged(_returns("int32", [3, 2, 1]), observation, replace(OWN, immutable=True)).verdict == "conforms"


def test_sharing_memory_is_no_divergence_of_an_operation_whose_result_may_be_a_view() -> None:
    case = _case(_returns("int32", [3, 2, 1]))
    views = replace(case, call=replace(case.call, operation=replace(case.operation, shares=frozenset({"input"}))))
    for aliased, divergences in ((("input",), []), (("input", "index"), ["aliased"])):
        observation = _returned("int32", [3, 2, 1], aliased=aliased)
        assert judge(views, OWN, observation).divergences == divergences


ASSERTION = "iter.ninputs() == traits::arity INTERNAL ASSERT FAILED at Loops.h:351, please report a bug"
OPEN_DTYPE = DtypeTest(("input",))
STATUSES: tuple[Status, ...] = ("returned", "unsupported")


def _in_dtype(expectation: Expectation) -> Case:
    """A call in a dtype that no document promises."""
    case = _case(expectation)
    return replace(case, variation=Written(OPEN_DTYPE))


def test_an_internal_assertion_is_no_question_of_dtypes() -> None:
    case = _in_dtype(_returns("int32", [1]))
    refused = replace(Observation(raised("RuntimeError", "no kernel")), refusal=Refusal(True, None))
    assert judge(case, OWN, refused).verdict == "observed"
    asserted = judge(case, OWN, replace(refused, outcome=raised("RuntimeError", ASSERTION)))
    assert asserted.divergences == ["rejected", "internal"]
    assert asserted.breaks_no_promise
    assert not _judged(_returns("int32", [1]), Observation(raised("RuntimeError", ASSERTION))).breaks_no_promise


def test_an_internal_assertion_is_shown_where_an_error_is_expected_and_where_its_control_is_not_supported() -> None:
    for control in STATUSES:
        observation = Observation(raised("RuntimeError", ASSERTION), control_before=control, control_after=control)
        assert _judged(Raises(), observation).divergences == ["internal"]


def test_an_internal_assertion_that_is_also_of_another_type_or_spoils_later_calls_is_said_to_be_both() -> None:
    worked = Observation(raised("RuntimeError", ASSERTION), control_before="returned", control_after="returned")
    other_type = judge(_case(Raises("IndexError")), OWN, worked)
    assert other_type.divergences == ["internal", "error-type"]
    assert not other_type.breaks_no_promise
    assert "not IndexError" in (other_type.explanation or "")
    spoils = judge(_case(Raises()), OWN, replace(worked, control_after="raised"))
    assert spoils.divergences == ["internal", "contaminated"]


def test_an_internal_assertion_in_a_documented_dtype_breaks_the_claim_about_dtypes() -> None:
    claimed = replace(OWN, dtype_claim=DtypeClaim("mine#dtypes", "yes"))
    refused = replace(Observation(raised("RuntimeError", ASSERTION)), refusal=Refusal(True, None))
    judged = judge(_in_dtype(_returns("int32", [1])), claimed, refused)
    assert (judged.divergences, judged.breaks_dtype_claim) == (["rejected", "internal"], True)


@pytest.mark.parametrize(("positions", "divergences"), [(48096, ["internal"]), (2, [])])
def test_an_error_that_names_a_number_that_is_in_no_argument_is_shown(positions: int, divergences: list[str]) -> None:
    error = raised("InvalidArgumentError", f"indices = 2 is not in [0, {positions})")
    assert _judged(Raises(), Observation(error, control_before="unsupported")).divergences == divergences


@pytest.mark.parametrize(
    "message", ["please file an issue: not implemented yet", "index 5 is out of bounds with size 2"]
)
def test_what_is_only_missing_is_no_internal_fault(message: str) -> None:
    observation = Observation(raised("RuntimeError", message), control_before="returned", control_after="returned")
    assert _judged(Raises(), observation).verdict == "conforms"


def test_a_shape_that_is_refused_in_a_dtype_that_another_shape_is_taken_in_is_rejected() -> None:
    case = _in_dtype(_returns("int32", [1]))
    refused = Observation(RAISED, refusal=Refusal(True, "taken", in_another_shape=True))
    judged = judge(case, OWN, refused)
    assert judged.divergences == ["rejected"]
    assert judged.breaks_no_promise
    assert judge(case, OWN, replace(refused, refusal=Refusal(True, "taken"))).verdict == "observed"
