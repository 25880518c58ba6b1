"""A call that reads from the memory that it writes expects what it does with the same numbers in memory of their own."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.shared_memory import shared_memory_cases
from conformance.cases.variation import SharingMemory
from conformance.data_folders import adapters_folder
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Sharing
from conformance.worker.views import build_shared

REFERENCE = load_reference(adapters_folder() / "reference" / "adapter.py")


def _cases(operation: str) -> dict[str, Case]:
    found = shared_memory_cases(load_specs().operations[operation], REFERENCE)
    return {case.id.rpartition("/")[2]: case for case in found}


def _parts(case: Case) -> tuple[Sharing, Tensor, Tensor]:
    assert isinstance(case.variation, SharingMemory)
    manner = case.variation.manner
    changed, other = (case.call.tensors[name] for name in (manner.changed, manner.other))
    return manner, changed, other


def test_an_index_and_a_source_lie_ahead_behind_and_in_the_same_place() -> None:
    places = ("ahead", "behind", "same")
    assert {f"shared.{name}.{place}" for name in ("index", "source") for place in places} <= _cases("index_copy").keys()
    assert {_parts(case)[0].shift for case in _cases("index_copy").values()} == {-2, 0, 2}


@pytest.mark.parametrize(
    "operation",
    [
        "index_copy",
        "scatter_elements",
        "masked_scatter",
        "advanced_index_set",
        "basic_index_set",
        "dynamic_update_slice",
        "diagonal_scatter",
    ],
)
def test_what_arguments_have_in_common_is_equal_and_the_call_changes_some_of_it(operation: str) -> None:
    cases = _cases(operation)
    assert cases
    for case in cases.values():
        manner, changed, other = _parts(case)
        assert changed.dtype == other.dtype
        buffer = build_shared(changed.array, other.array, manner.shift)
        of_changed, of_other = buffer.parts
        assert np.array_equal(buffer.base[of_changed], changed.array.reshape(-1))
        assert isinstance(case.expectation, Returns)
        after = buffer.base.copy()
        after[of_changed] = case.expectation.value.array.reshape(-1)
        assert not np.array_equal(after[of_other], other.array.reshape(-1)), case.id


def test_an_operation_that_writes_into_no_argument_has_no_such_call() -> None:
    assert not _cases("gather_nd")
    assert not _cases("scatter_nd")


def test_what_is_selected_may_lie_in_the_view_that_it_is_written_into() -> None:
    assert {_parts(case)[0].changed for case in _cases("take_into_view").values()} == {"target"}


def test_only_an_api_that_changes_the_tensor_gets_the_call() -> None:
    manner, *_ = _parts(_cases("index_copy")["shared.index.ahead"])
    assert manner.takes("input")
    assert not manner.takes(None)
    assert not manner.takes("source")
