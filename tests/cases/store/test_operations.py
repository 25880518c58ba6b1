"""The cases of an operation are stored and read again as they were, unless anything that they depend on has changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.store.codec import Codec
from conformance.cases.store.operations import cases_file, read_cases, write_cases
from conformance.cases.variation import DtypeTest
from conformance.data_folders import adapters_folder
from conformance.results.describe import case_record
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Operation, Transform
from tests.execution.harness import FAKES

REFERENCE = adapters_folder() / "reference" / "adapter.py"
DIGEST = b"digest"


@pytest.fixture(scope="module")
def operation() -> Operation:
    return load_specs(FAKES / "specs").operations["gather_elements"]


@pytest.fixture(scope="module")
def original(operation: Operation) -> Sequence[Case]:
    return build_cases(load_specs(FAKES / "specs").only(["gather_elements"]), load_reference(REFERENCE))


@pytest.fixture
def stored(tmp_path: Path, operation: Operation, original: Sequence[Case]) -> Sequence[Case]:
    write_cases(tmp_path, DIGEST, original[0].operation, original)
    read = read_cases(tmp_path, DIGEST, operation)
    assert read is not None
    return read


def test_the_cases_are_the_same(original: Sequence[Case], stored: Sequence[Case]) -> None:
    assert [case_record(case) for case in stored] == [case_record(case) for case in original] != []
    assert [case.facts for case in stored] == [case.facts for case in original]
    assert [case.variation.is_left_out(1.0, 2) for case in stored] == [
        case.variation.is_left_out(1.0, 2) for case in original
    ]


def test_expressions_of_the_specs_are_evaluated_on_stored_calls(stored: Sequence[Case]) -> None:
    shapes = [
        (case.call.result_shape, case.expectation.value.shape)
        for case in stored
        if isinstance(case.expectation, Returning) and not isinstance(case.call.manner, Transform)
    ]
    assert shapes
    assert all(computed == expected for computed, expected in shapes)


def test_the_cases_refer_to_the_operation_and_the_clauses_that_they_are_read_with(
    operation: Operation, stored: Sequence[Case]
) -> None:
    assert all(case.operation is operation for case in stored)
    assert all(any(case.clause is clause for clause in operation.clauses) for case in stored)


def test_cases_in_the_same_dtype_know_each_other(stored: Sequence[Case]) -> None:
    tests = [case.variation.dtype_test for case in stored if case.variation.kind == "dtype"]
    assert tests
    ids = {case.id for case in stored}
    for test in tests:
        assert test is not None
        assert test.alike
        assert {other.id for other in test.alike} <= ids


def test_the_elements_of_a_stored_case_cannot_be_changed(stored: Sequence[Case]) -> None:
    tensors = [value for case in stored for value in case.call.arguments.values() if isinstance(value, Tensor)]
    tensors += [case.expectation.value for case in stored if isinstance(case.expectation, Returning)]
    assert tensors
    assert not any(tensor.array.flags.writeable for tensor in tensors)


@pytest.mark.usefixtures("stored")
def test_what_was_stored_with_another_digest_is_not_used(tmp_path: Path, operation: Operation) -> None:
    assert read_cases(tmp_path, b"other.", operation) is None
    assert read_cases(tmp_path / "nothing", DIGEST, operation) is None


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("place", [3, 20, 60, 1000, -100])
def test_a_file_with_a_damaged_byte_is_as_if_it_were_not_there(
    tmp_path: Path, operation: Operation, place: int
) -> None:
    file = cases_file(tmp_path, operation.name)
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)
    assert read_cases(tmp_path, DIGEST, operation) is None
    file.write_bytes(data[:-100])
    assert read_cases(tmp_path, DIGEST, operation) is None


def test_a_file_that_is_sound_but_holds_something_else_is_as_if_it_were_not_there(
    tmp_path: Path, operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Codec([DtypeTest])
    monkeypatch.setattr("conformance.cases.store.operations._CODEC", other)
    write_cases(tmp_path, DIGEST, operation, [DtypeTest(("a",), None, ())])  # type: ignore[list-item] # on purpose
    monkeypatch.undo()
    assert read_cases(tmp_path, DIGEST, operation) is None
