"""Each way of judging that has been seen to go wrong, beside the suite's: the naive one is a few lines of the test.

The naive judgement blames a right implementation or passes a wrong one; the suite's does neither.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.draws.generate import draw_many
from conformance.cases.duplicates import duplicates_of
from conformance.cases.expectations import Compared, Returning, Returns, ReturnsAnyWritten, Within, Writes
from conformance.cases.reference import load_reference
from conformance.cases.variation import DtypeTest, Written
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.judging.compare import compare
from conformance.judging.dtype_claims import DtypeClaim
from conformance.judging.judge import judge
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.outcomes.model import Raised, Returned, error_of
from conformance.outcomes.observation import Observation, Refusal
from conformance.outcomes.reply import outcome_of
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor, frozen, tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Call, Observed, Raises
from conformance.worker import adapters, calls
from tests.execution.harness import fake_cases
from tests.outcomes import ABORT, raised, returned_value

OWN = Subject("own", None, immutable=False, error_types=True)
REFERENCE = load_reference(adapters_folder() / "reference" / "adapter.py")
ABOUT_INPUT = Written(DtypeTest(("input",)))
Array = np.ndarray[Any, Any]


def _raised(kind: type[Exception], **control: Any) -> Observation:
    bases = [base.__name__ for base in kind.__mro__[1:] if base is not object]
    return Observation(raised(kind.__name__, bases=bases), **control)


def _returned(value: Tensor, **more: Any) -> Observation:
    return Observation(returned_value(value, **more), value)


def _judged(
    expectation: Compared | Raises | Observed, observation: Observation, subject: Subject = OWN, **more: Any
) -> Judgement:
    return judge(replace(fake_cases()[0], expectation=expectation, **more), subject, observation)


def _bits(dtype: str, *bits: int) -> Tensor:
    """A tensor by the bits of its elements."""
    array = np.array(bits, {2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize])
    return Tensor(dtype, frozen(array.view(dtype)), None)


def _expected(value: Tensor, *, accumulates: bool = False) -> Returns:
    return Returns(value, accumulates)


# An error proves nothing by itself.


def _naive_raises(observation: Observation) -> bool:
    return observation.outcome.status == "raised"


def test_a_missing_kernel_is_no_check_of_the_rule() -> None:
    no_kernel = _raised(NotImplementedError, control_before="raised", control_after="raised")
    assert _naive_raises(no_kernel)
    assert _judged(Raises(), no_kernel).verdict == "blocked"


def test_an_error_that_ends_all_later_calls_is_no_good_error() -> None:
    poisons = _raised(ValueError, control_before="returned", control_after="raised")
    assert _naive_raises(poisons)
    assert _judged(Raises(), poisons).divergences == ["contaminated"]


def test_a_process_that_ends_has_not_raised() -> None:
    def naive(observation: Observation) -> bool:
        return observation.outcome.status != "returned"

    died = Observation(ABORT, control_before="returned")
    assert naive(died)
    assert _judged(Raises(), died).verdict == "died"


def test_the_name_of_an_error_binds_the_documented_api_alone_and_its_subclasses_are_it() -> None:
    def naive(expected: Raises, observation: Observation) -> bool:
        error = error_of(observation.outcome)
        return error is not None and error.type == expected.error

    class ShapeError(ValueError): ...

    more_exact = _raised(ShapeError, control_before="returned", control_after="returned")
    assert not naive(Raises("ValueError"), more_exact)
    assert _judged(Raises("ValueError"), more_exact).verdict == "conforms"
    other = _raised(RuntimeError, control_before="returned", control_after="returned")
    assert not naive(Raises("ValueError"), other)
    assert _judged(Raises("ValueError"), other, replace(OWN, error_types=False)).verdict == "conforms"
    assert _judged(Raises("ValueError"), other).divergences == ["error-type"]
    assert "raised an error, as documented, but not ValueError" in str(_judged(Raises("ValueError"), other).explanation)


# Data that is moved keeps every bit.


def _naive_close(wanted: Tensor, got: Tensor) -> bool:
    return np.allclose(wanted.array.astype(np.float64), got.array.astype(np.float64))


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        (tensor("int64", [2**53 + 1]), tensor("int64", [2**53])),
        (tensor("uint64", [2**64 - 1]), tensor("uint64", [2**64 - 2])),
        (tensor("float32", [1.0]), _bits("float32", 0x3F800001)),
        (tensor("float64", [1e-9]), tensor("float64", [0.0])),
        (tensor("float32", [0.0]), tensor("float32", [-0.0])),
    ],
    ids=["int64", "uint64", "last-bit", "small", "sign-of-zero"],
)
def test_what_is_close_is_not_the_same_where_elements_are_moved(wanted: Tensor, got: Tensor) -> None:
    assert _naive_close(wanted, got)
    assert _judged(_expected(wanted), _returned(got)).divergences == ["value"]


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_what_broadcasts_has_not_the_same_shape(dtype: str) -> None:
    wanted, got = tensor(dtype, [5, 5, 5]), tensor(dtype, [[5]])
    assert _naive_close(wanted, got)
    assert _judged(_expected(wanted), _returned(got)).divergences == ["shape"]


def test_numbers_that_are_equal_need_not_have_the_same_dtype() -> None:
    wanted, got = tensor("float32", [1, 2]), tensor("float64", [1, 2])
    assert bool((wanted.array == got.array).all())
    assert _judged(_expected(wanted), _returned(got)).divergences == ["dtype"]


def test_a_nan_is_a_nan_whatever_its_payload_and_no_other_number_is() -> None:
    wanted, other_payload, zero = _bits("float32", 0x7FC00000), _bits("float32", 0xFFC00001), tensor("float32", [0])
    assert not (wanted.array == other_payload.array).all()
    assert wanted.array.tobytes() != other_payload.array.tobytes()
    assert _judged(_expected(wanted), _returned(other_payload)).verdict == "conforms"
    assert _judged(_expected(wanted), _returned(zero)).divergences == ["value"]


# In sums the order is free.


def _naive_bytes(wanted: Tensor, got: Tensor) -> bool:
    return wanted.array.tobytes() == got.array.tobytes()


def test_in_sums_the_sign_of_zero_says_nothing() -> None:
    wanted, got = tensor("float32", [0.0]), tensor("float32", [-0.0])
    assert not _naive_bytes(wanted, got)
    assert _judged(_expected(wanted, accumulates=True), _returned(got)).verdict == "conforms"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_in_sums_flushed_subnormal_numbers_are_shown_and_not_judged(dtype: str) -> None:
    below = float(ml_dtypes.finfo(dtype).smallest_normal) / 2  # type: ignore[no-untyped-call]
    wanted, got = tensor(dtype, [below, 1, 2]), tensor(dtype, [0, 1, 2])
    assert not _naive_bytes(wanted, got)
    judged = _judged(_expected(wanted, accumulates=True), _returned(got))
    assert judged.verdict == "observed"
    assert judged.explanation == "1 of 3 elements are zero instead of subnormal"
    assert _judged(_expected(wanted), _returned(got)).divergences == ["value"]
    wrong = _returned(tensor(dtype, [0, 1, 3]))
    assert _judged(_expected(wanted, accumulates=True), wrong).divergences == ["value"]


def _backwards(call: Applied) -> Applied:
    """The same updates in the opposite order, which a right implementation may add in just as well."""
    changed = {}
    for name, axes in (("indices", 1), ("updates", 0)):
        value = call.arguments[name]
        assert isinstance(value, Tensor)
        batch = call.arguments["indices"].array.ndim - 1  # type: ignore[union-attr]
        turned = value.array[(slice(None, None, -1),) * batch]
        assert value.array.ndim >= batch + axes
        changed[name] = replace(value, array=frozen(np.ascontiguousarray(turned)))
    return call.with_arguments(changed)


def test_drawn_sums_are_the_same_in_every_order_where_random_ones_are_not() -> None:
    generator = np.random.default_rng(0)
    numbers = generator.standard_normal(50).astype(np.float32)
    assert np.add.reduce(numbers) != sum(numbers[::-1], np.float32(0))
    operation = load_specs().operations["tensor_scatter_nd_add"]
    with_duplicates = 0
    for call in (kept.drawn.call for kept in draw_many(operation, None, count=60, seed="naive")):
        one, other = REFERENCE(call), REFERENCE(_backwards(call))
        assert one.array.tobytes() == other.array.tobytes()
        with_duplicates += duplicates_of(call, REFERENCE) is not None
    assert with_duplicates > 5


def test_what_rounds_has_a_bound_that_no_lost_update_keeps() -> None:
    updates = np.array([0.1, 0.7] * 500, np.float32)
    exact = np.add.reduce(updates.astype(np.float64))
    right, lost = (sum(some, np.float32(0)) for some in (updates[::-1], updates[1:]))
    wanted = Returns(Tensor("float32", np.array([exact], np.float32), None), True, "spec", Within(0.05))
    assert not _naive_bytes(wanted.value, tensor("float32", [float(right)]))
    assert np.allclose(exact, lost, rtol=1e-3)
    assert _judged(wanted, _returned(tensor("float32", [float(right)]))).verdict == "conforms"
    assert _judged(wanted, _returned(tensor("float32", [float(lost)]))).divergences == ["value"]


def test_a_sum_that_rounds_may_depend_on_its_order() -> None:
    one_after_the_other = np.cumsum(np.ones(4096, np.float16), dtype=np.float16)[-1]
    in_pairs = np.ones(4096, np.float16).sum(dtype=np.float16)
    assert (one_after_the_other, in_pairs) == (2048, 4096)
    expected = Returns(tensor("float16", [4096]), True, tolerance=Within(4096 * 2.0**-11 * 4096))
    for right in (one_after_the_other, in_pairs):
        assert _judged(expected, _returned(tensor("float16", [float(right)]))).verdict == "conforms"


def test_where_the_winner_is_open_the_last_is_one_of_several() -> None:
    arguments = Call({
        "tensor": tensor("float32", [10, 11, 12]),
        "indices": tensor("int32", [[1], [1], [1]]),
        "updates": tensor("float32", [1, 2, 3]),
    })  # fmt: skip
    open_ = duplicates_of(Applied(load_specs().operations["tensor_scatter_nd_update"], arguments), REFERENCE)
    assert open_ is not None
    first_wins, mixed = tensor("float32", [10, 1, 12]), tensor("float32", [10, 6, 12])
    assert not _naive_bytes(open_.value, first_wins)
    assert _judged(open_, _returned(first_wins)).verdict == "conforms"
    assert _judged(open_, _returned(mixed)).divergences == ["value"]


@pytest.mark.parametrize(
    ("got", "is_allowed"),
    [
        ([[1, 0, 4], [0, 0, 0]], True),
        ([[2, 0, 3], [0, 0, 0]], True),
        ([[3, 0, 4], [0, 0, 0]], False),  # written, but to another position
        ([[1, 1, 4], [0, 0, 0]], False),  # nothing is written there
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_where_any_value_may_remain_it_is_one_that_is_written_to_its_position(
    got: list[list[int]], is_allowed: bool, order: Any
) -> None:
    expected = ReturnsAnyWritten(
        tensor("int32", [[2, 0, 4], [0, 0, 0]]), Writes(np.array([0, 2, 0, 2]), np.array([1, 3, 2, 4], np.int32))
    )
    assert (compare(expected, np.array(got, np.int32, order=order)).count == 0) is is_allowed


# Memory.


HEAD = "import numpy as np\n\nfrom conformance.adapter import api\n\n\n"
GATHER = HEAD + '@api("mine.gather", operation="gather_elements")\ndef gather(input, dim, index):\n'


def _adapter(folder: Path, text: str) -> adapters.Adapter:
    path = folder / "mine.py"
    path.write_text(text)
    return adapters.load(str(path))


def _ask(adapter: adapters.Adapter, **changed: Array) -> tuple[calls.Outcome, Array | None]:
    arguments = {"input": (np.array([1, 2, 3]), "int64"), "dim": 0, "index": (np.array([2, 1, 0]), "int64")}
    arguments |= {name: (array, array.dtype.name) for name, array in changed.items()}
    outcome, result = calls.run(adapter, adapter.apis[0], arguments)
    return outcome, None if result is None else result[0]


def _naive_memory(observation: Observation) -> bool:
    """Looks at arguments only where the call returned what is expected."""
    return isinstance(observation.outcome, Returned) and bool(observation.outcome.changed)


def test_an_input_may_be_overwritten_before_an_error(tmp_path: Path) -> None:
    body = "    input[0] = 9\n    raise ValueError('after it has begun')\n"
    reply, _ = _ask(_adapter(tmp_path, GATHER + body))
    observation = Observation(outcome_of(reply, None), control_before="returned", control_after="returned")
    assert not _naive_memory(observation)
    judgement = _judged(Raises(), observation)
    assert (judgement.verdict, judgement.divergences) == ("diverges", ["input-changed"])
    assert judgement.explanation == "the call changed its argument input before it failed"


def test_an_input_may_be_overwritten_where_no_document_says_what_follows() -> None:
    overwrites = _returned(tensor("int32", [1]), changed=("index",))
    judgement = _judged(Observed("nobody says"), overwrites)
    assert (judgement.verdict, judgement.divergences) == ("diverges", ["input-changed"])


def test_a_call_that_is_accepted_and_overwrites_an_argument_has_two_faults() -> None:
    overwrites = replace(_returned(tensor("int32", [1]), changed=("index",)), control_before="returned")
    assert _judged(Raises(), overwrites).divergences == ["accepted", "input-changed"]


def test_what_an_in_place_call_leaves_behind_after_an_error_is_recorded_and_no_fault(tmp_path: Path) -> None:
    in_place = GATHER.replace('operation="gather_elements"', 'operation="gather_elements", in_place="input"')
    for body, left in (("    input[0] = 9\n", "written"), ("", "unchanged")):
        reply, _ = _ask(_adapter(tmp_path, in_place + body + "    raise ValueError('no')\n"))
        outcome = outcome_of(reply, None)
        assert isinstance(outcome, Raised)
        assert (outcome.in_place, outcome.changed) == (left, ())


# A dtype may be open, a result never.


def test_a_wrong_result_is_wrong_in_a_dtype_that_no_document_promises() -> None:
    def naive(subject: Subject) -> bool:
        return subject.promises_dtype

    wrong = _returned(tensor("float16", [1.0]))
    judgement = _judged(_expected(tensor("float16", [2.0])), wrong, variation=ABOUT_INPUT)
    assert not naive(OWN)
    assert (judgement.verdict, judgement.divergences) == ("diverges", ["value"])


@pytest.mark.parametrize(
    ("refusal", "verdict", "kinds"),
    [
        (None, "observed", []),
        (Refusal(True, None), "observed", []),
        (Refusal(True, "taken"), "observed", []),
        (Refusal(True, "refused"), "unsupported", []),
        (Refusal(False, "refused"), "unsupported", []),
        (Refusal(False, None), "blocked", []),
        (Refusal(False, "taken"), "diverges", ["rejected"]),
    ],
)
def test_whether_an_api_takes_a_dtype_is_one_open_question_and_not_one_for_each_call(
    refusal: Refusal | None, verdict: str, kinds: list[str]
) -> None:
    refused = replace(_raised(TypeError), refusal=refusal)
    judgement = _judged(_expected(tensor("float16", [2.0])), refused, variation=ABOUT_INPUT)
    assert (judgement.verdict, judgement.divergences) == (verdict, kinds)


def test_a_refusal_in_a_dtype_beside_those_of_the_document_is_no_broken_promise() -> None:
    others = replace(OWN, dtype_claim=DtypeClaim("it#dtypes", "others"))
    refused = replace(_raised(TypeError), refusal=Refusal(False, "taken"))
    judgement = _judged(_expected(tensor("float16", [2.0])), refused, others, variation=ABOUT_INPUT)
    assert (judgement.verdict, judgement.divergences) == ("blocked", [])


def test_what_a_helper_of_the_adapter_checks_says_nothing_about_the_api() -> None:
    accepted = replace(_returned(tensor("int32", [1])), control_before="returned")
    refused = _raised(TypeError, control_before="returned", control_after="returned")
    helped = replace(OWN, helper="torch.zeros")
    assert _judged(Raises(), accepted).divergences == ["accepted"]
    for observation in (accepted, refused):
        judgement = _judged(Raises(), observation, helped)
        assert judgement.verdict == "unsupported"
        assert str(judgement.explanation).startswith("torch.zeros, which the adapter calls")


def test_a_result_may_share_memory_with_what_nobody_can_change() -> None:
    shared = _returned(tensor("int32", [1]), aliased=("input",))
    assert isinstance(shared.outcome, Returned)
    assert shared.outcome.aliased
    assert _judged(_expected(tensor("int32", [1])), shared, replace(OWN, immutable=True)).verdict == "conforms"
    assert _judged(_expected(tensor("int32", [1])), shared).divergences == ["aliased"]


def test_what_a_call_does_to_its_arguments_reaches_no_other_call(tmp_path: Path) -> None:
    body = "    result = np.take_along_axis(input, index, dim)\n    input[:] = 0\n    return result\n"
    adapter = _adapter(tmp_path, GATHER + body)
    given = np.array([1, 2, 3])
    first, second = (_ask(adapter, input=given) for _ in range(2))
    assert np.array_equal(given, [1, 2, 3])
    assert first[1] is not None
    assert second[1] is not None
    assert first[1].tolist() == second[1].tolist() == [3, 2, 1]
    assert first[0]["changed"] == ["input"]


def test_arguments_with_the_same_numbers_are_arrays_of_their_own(tmp_path: Path) -> None:
    """Given twice in one buffer, what is written to one would be seen in the other."""
    body = "    result = input[index]\n    input += 1\n    return result + (index - index)\n"
    same = np.array([0, 1, 2])
    outcome, result = _ask(_adapter(tmp_path, GATHER + body), input=same, index=same)
    assert outcome["changed"] == ["input"]
    assert result is not None
    assert result.tolist() == [0, 1, 2]


# Frameworks that are late, and documents that are silent.


def test_an_error_that_shows_when_the_value_is_read_is_one_of_that_call(tmp_path: Path) -> None:
    text = HEAD + (
        "class Later:\n    pass\n\n\n"
        "def to_numpy(value):\n"
        "    if isinstance(value, Later):\n        raise IndexError('found out late')\n    return value\n\n\n"
        '@api("mine.gather", operation="gather_elements")\n'
        "def gather(input, dim, index):\n    return Later()\n"
    )
    adapter = _adapter(tmp_path, text)

    def naive() -> str:
        adapter.apis[0].function(None, 0, None)
        return "returned"

    assert naive() == "returned"
    outcome, _ = _ask(adapter)
    assert (outcome["status"], outcome["error"]["phase"]) == ("raised", "result")


def test_a_dtype_that_no_document_speaks_of_is_nobodys_bug() -> None:
    refused = _raised(TypeError)
    expected = _expected(tensor("float16", [1]))
    case = replace(fake_cases()[0], expectation=expected)
    about_dtype = replace(case, variation=ABOUT_INPUT)
    assert refused.outcome.status != "returned"
    silent = judge(about_dtype, OWN, refused)
    assert (silent.verdict, silent.divergences) == ("observed", [])
    claimed = replace(OWN, dtype_claim=DtypeClaim("mine#dtypes", "yes"))
    assert judge(about_dtype, claimed, refused).divergences == ["rejected"]


def test_a_tensor_without_axes_is_expected_to_be_taken_only_by_apis_whose_documentation_says_so() -> None:
    cases = build_cases(load_specs(), REFERENCE, sources=[written_cases])
    without = [case for case in cases if any(_is_without_axes(value) for value in case.call.arguments.values())]
    assert len(without) > 2
    # A key says which index has no axes, and what is written to one element has none: that is what these operations are about.
    # ResourceGather documents an index of any rank.
    others = {"basic_index_get", "basic_index_set", "typed_gather"}
    taken = [case for case in without if isinstance(case.expectation, Returning) and case.operation.name not in others]
    assert [case.id for case in taken if not case.clause.only_documented] == []


def _is_without_axes(value: object) -> bool:
    return isinstance(value, Tensor) and not value.rank
