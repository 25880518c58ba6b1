"""A large call means the same as the small call of which its axes are stretched, and is sent by its elements that are not zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from conformance.app import loading
from conformance.cases.expectations import Returns
from conformance.cases.forms import large
from conformance.cases.model import LARGE, Case
from conformance.execution.budget import COPIES, reason_for_memory
from conformance.judging.compare import compare
from conformance.judging.judge import judge
from conformance.judging.subject import Subject
from conformance.outcomes.model import Died, Hung
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import InvalidReply, digest, outcome_and_result
from conformance.specification.literals import LiteralError, Tensor, sparse, tensor
from conformance.specification.model import Catalogue
from conformance.worker import arguments, arrays


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return loading.catalogue(None)


@pytest.fixture(scope="module")
def short(catalogue: Catalogue) -> Iterator[list[Case]]:
    """The large cases of all operations, with axes of a few elements."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "BEYOND_INT32", 23)
        patch.setattr(large, "BEYOND_UINT32", 29)
        patch.setattr(large, "SIDE", 11)
        reference = loading.reference_of(catalogue)
        operations = catalogue.operations.values()
        yield [case for operation in operations for case in large.large_cases(operation, reference)]


@pytest.fixture
def _everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MOST_DENSE", 0)


def _expected(case: Case) -> Returns:
    assert isinstance(case.expectation, Returns)
    return case.expectation


def test_the_reference_returns_what_is_expected_of_a_stretched_call(catalogue: Catalogue, short: list[Case]) -> None:
    reference = loading.reference_of(catalogue)
    for case in short:
        result = reference(case.call)
        assert (result.shape, result.array.tolist()) == (
            _expected(case).value.shape,
            _expected(case).value.array.tolist(),
        ), case.id


def test_most_operations_have_all_kinds_of_large_calls(short: list[Case]) -> None:
    kinds: dict[str, set[str]] = {}
    for case in short:
        kinds.setdefault(case.operation_name, set()).add(case.id.rpartition("/")[2])
    assert kinds["index_select"] == kinds["index_add"] == kinds["gather_nd"] == {
        "large.axis-beyond-int32", "large.axis-beyond-uint32", "large.elements-beyond-int32", "large.taken-beyond-int32",
    }  # fmt: skip
    assert kinds["take"] == {"large.axis-beyond-int32", "large.axis-beyond-uint32"}
    assert len(kinds) >= 15


def test_a_call_reads_the_first_and_the_last_positions_of_a_stretched_axis(short: list[Case]) -> None:
    [case] = [case for case in short if case.id == "gather_elements.rule.result-shape/large.axis-beyond-int32"]
    source = case.call.tensors["input"]
    assert source.shape == (23,)
    assert np.flatnonzero(source.array).tolist() == [0, 20, 21, 22]


def test_a_large_tensor_uses_no_memory_for_its_zeros() -> None:
    made = sparse("int8", (2**33,), [0, 2**33 - 1], [3, 4])
    assert made.array[-1] == 4
    assert made.written == "sparse([8589934592], [0, 8589934591], [3, 4])"


def test_a_spec_may_write_a_sparse_tensor() -> None:
    assert tensor("int8", "sparse([2, 3], [1, 5], [7, 8])").array.tolist() == [[0, 7, 0], [0, 0, 8]]
    with pytest.raises(LiteralError, match="out of bounds"):
        tensor("int8", "sparse([2, 3], [6], [7])")
    with pytest.raises(LiteralError, match="has more than"):
        tensor("int8", "sparse([2147483651], [6], [7])")


@pytest.mark.usefixtures("_everything_is_large")
@pytest.mark.parametrize("dtype", ["int8", "bool", "float32", "int64", "complex128"])
def test_a_large_array_is_sent_by_the_elements_that_have_any_bit(dtype: str) -> None:
    array = np.zeros((5, 7), dtype)
    array[1, 3], array[4, 6] = 1, 1
    if dtype == "float32":
        array[0, 2], array[3, 3] = -0.0, np.nan
    entries, parts = arguments.encode({"x": (array, dtype), "y": (array[:1], dtype)})
    read = arguments.decode(entries, b"".join(parts))
    assert entries[0]["elements"] == (4 if dtype == "float32" else 2)
    assert read["x"][0].tobytes() == array.tobytes()
    assert read["y"][0].tobytes() == array[:1].tobytes()


@pytest.mark.usefixtures("_everything_is_large")
def test_large_arrays_with_other_bits_differ() -> None:
    first = np.zeros(1003, np.int8)
    for place in (0, 500, 1002):
        second = first.copy()
        second[place] = 1
        assert not arrays.same_bits(first, second)
    assert arrays.same_bits(first, first.copy())


def test_large_arrays_are_compared_as_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.zeros((4, 5), np.int8)
    array[0, 1] = array[3, 3] = 5
    got = array.copy()
    got[3, 3], got[2, 2] = 7, 1
    expected = Returns(Tensor("int8", array, None), accumulates=False)
    usual = compare(expected, got)
    monkeypatch.setattr(arrays, "MOST_DENSE", 0)
    assert compare(expected, got) == usual
    assert (usual.count, usual.total, usual.first[0][0]) == (2, 20, (2, 2))


@pytest.mark.usefixtures("_everything_is_large")
def test_large_arrays_with_other_elements_have_other_digests() -> None:
    array = np.zeros((4, 5), np.int8)
    array[3, 3] = 5
    digests = {digest(Tensor("int8", one, None)) for one in (array, array * 2, array[::-1], array.reshape(5, 4))}
    assert len(digests) == 4


@pytest.mark.parametrize(
    ("entry", "body"),
    [
        ({"elements": -1}, b""),
        ({"elements": 1}, np.int64(3).tobytes() + b"\1"),
        ({"elements": 1}, np.int64(-4).tobytes() + b"\1"),
        ({"elements": 1}, np.int64(-1).tobytes() + b"\1"),
        ({"elements": 2}, np.int64(1).tobytes() + b"\1"),
        ({"elements": True}, np.int64(1).tobytes() + b"\1"),
        ({"shape": [2**40], "elements": 0}, b""),
    ],
)
def test_a_reply_with_elements_that_an_array_does_not_have_is_invalid(entry: dict[str, object], body: bytes) -> None:
    result = {"dtype": "int8", "shape": [3], **entry}
    reply = {"type": "outcome", "outcome": {"status": "returned"}, "result": result}
    with pytest.raises(InvalidReply):
        outcome_and_result(reply, body, str)


@pytest.fixture
def gigabytes(short: list[Case]) -> Case:
    expected = replace(_expected(short[0]), value=sparse("int8", (LARGE,), [0], [1]))
    return replace(short[0], expectation=expected)


def test_a_large_call_is_not_made_where_memory_is_short(gigabytes: Case, short: list[Case]) -> None:
    needed = COPIES * gigabytes.size
    reason = reason_for_memory(gigabytes, lambda: needed - 1)
    assert reason == "not run: it may need 3 GiB of memory, and 3 GiB are free"
    assert reason_for_memory(gigabytes, lambda: needed) is None
    assert reason_for_memory(gigabytes, lambda: None) is None
    assert reason_for_memory(short[0], lambda: 1) is None


def test_that_a_large_call_exceeds_the_memory_or_the_time_limit_is_no_finding(
    gigabytes: Case, short: list[Case]
) -> None:
    subject, exceeded = Subject("own", None, immutable=False), Observation(Died(most_memory=2**30))
    assert judge(gigabytes, subject, exceeded).verdict == "blocked"
    assert judge(gigabytes, subject, Observation(Hung(30.0))).verdict == "blocked"
    assert judge(short[0], subject, exceeded).verdict == "died"
    assert judge(short[0], subject, Observation(Hung(30.0))).verdict == "hung"
    assert judge(gigabytes, subject, Observation(Died(signal="SIGSEGV"))).verdict == "died"
