"""A result that a function that does nothing could return proves nothing, and no call expects one that could expect another."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.cases.build import build_sound_cases
from conformance.cases.expectations import Returning, Returns, ReturnsBatch
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.cases.vacuous import is_constant, vacuous
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Around, Batch, Call, Catalogue
from tests.cases.one_spec import copy_spec


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_specs()


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(adapters_folder() / "reference" / "adapter.py")


@pytest.fixture(scope="module")
def cases(catalogue: Catalogue, reference: Reference) -> list[Case]:
    cases, problems = build_sound_cases(catalogue, reference)
    assert problems == []
    return cases


def why(catalogue: Catalogue, reference: Reference, operation: str, **arguments: Argument) -> str | None:
    call = Applied(catalogue.operations[operation], Call(arguments))
    return vacuous(call, Returns(reference(call), accumulates=False))


ROWS = tensor("float32", [[1, 2], [3, 4]])
FLAGS = tensor("bool", [True, False, True])


@pytest.mark.parametrize(
    ("index", "reason"),
    [([0, 1], "it equals input"), ([1, 0], None), ([1], None), ([], None)],
)
def test_rows_in_their_order_are_the_input(
    catalogue: Catalogue, reference: Reference, index: list[int], reason: str | None
) -> None:
    made = why(catalogue, reference, "index_select", input=ROWS, dim=0, index=tensor("int64", index))
    assert made == reason


@pytest.mark.parametrize(("index", "reason"), [([0, 2], "all its elements are True"), ([0, 1], None), ([0], None)])
def test_several_equal_elements_are_one_constant(
    catalogue: Catalogue, reference: Reference, index: list[int], reason: str | None
) -> None:
    made = why(catalogue, reference, "index_select", input=FLAGS, dim=0, index=tensor("int64", index))
    assert made == reason


def test_where_nothing_is_written_the_input_is_all_that_can_come_back(
    catalogue: Catalogue, reference: Reference
) -> None:
    nothing = {"index": tensor("int64", "zeros([0])"), "source": tensor("float32", "zeros([0, 2])")}
    assert why(catalogue, reference, "index_copy", input=ROWS, dim=0, **nothing) is None


def test_no_case_of_the_suite_is_vacuous_but_for_what_documents_print(catalogue: Catalogue, cases: list[Case]) -> None:
    # The same call passed in another way proves what its original proves; a program may gather again what it scattered. A derivative
    # is no result.
    written = [case for case in cases if not case.call.manner.needs]
    judged = [case for case in written if isinstance(case.expectation, Returning)]
    found = [case for case in judged if vacuous(case.call, case.expectation)]  # type: ignore[arg-type]
    assert len(judged) > 2000
    assert [case.id for case in found] == ["index_add.example.take-them-away-again/as-printed"]


def test_a_program_or_a_batch_has_no_constant_result_but_for_what_is_filled_or_where_nothing_is_written(
    cases: list[Case],
) -> None:
    found = [
        case.id
        for case in cases
        if isinstance(case.expectation, Returning)
        and isinstance(case.call.manner, Around | Batch)
        and is_constant(case.expectation.value)
        and not case.call.lacks_elements
        and not _has_one_element(case)
    ]
    assert [name for name in found if not name.startswith("index_fill.")] == []
    assert 0 < len(found) < 5


def _has_one_element(case: Case) -> bool:
    """Whether the result of each call of a batch has one element."""
    expectation = case.expectation
    return isinstance(expectation, ReturnsBatch) and all(first.array.size == 1 for first, *_ in expectation.permitted)


def test_data_that_prove_nothing_as_bool_are_replaced_by_other_bools(cases: list[Case]) -> None:
    by_id = {case.id: case for case in cases}
    case = by_id["tensor_scatter_nd_add.example.four-scalars-onto-ones/as-printed.bool"]
    assert isinstance(case.expectation, Returning)
    assert 0 < case.expectation.value.array.sum() < case.expectation.value.array.size


def test_a_written_call_that_proves_nothing_is_refused_with_the_reason(tmp_path: Path, reference: Reference) -> None:
    file = copy_spec("index_select", tmp_path / "specs")
    text = file.read_text()
    file.write_text(re.sub(r"\[1, 2\]\}\}\n        returns: \[2, 3\]", "[0, 1, 2]}}\n        returns: [1, 2, 3]", text))
    assert file.read_text() != text
    _, problems = build_sound_cases(load_specs(file.parent), reference, sources=(written_cases,))
    [problem] = problems
    assert (
        "index_select.behaviour.new-tensor/the-end-of-a-vector: its expected result proves nothing, since it equals input"
        in str(problem)
    )
