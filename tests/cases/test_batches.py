"""Batches: what the suite expects of them, and of which calls it has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import ReturnsBatch
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.cases.variants.batches import SIZE
from conformance.cases.variation import Batched
from conformance.cases.wire import to_wire
from conformance.data_folders import adapters_folder
from conformance.execution.target import can_run
from conformance.results.describe import case_record
from conformance.results.variations import BatchRecord
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import AsUsual, Batch, Catalogue

SPECS = adapters_folder().parent / "specs"


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(adapters_folder() / "reference" / "adapter.py")


@pytest.fixture(scope="module")
def cases(reference: Reference) -> list[Case]:
    catalogue = load_specs(SPECS)
    one = Catalogue({"index_copy": catalogue.operations["index_copy"]}, catalogue.documents, "")
    return [case for case in build_cases(one, reference) if isinstance(case.call.manner, Batch)]


def batch_of(case: Case) -> Batch:
    assert isinstance(case.call.manner, Batch)
    return case.call.manner


def is_extra(case: Case) -> bool:
    assert isinstance(case.variation, Batched)
    return case.variation.turn.is_extra


def returned(case: Case) -> ReturnsBatch:
    assert isinstance(case.expectation, ReturnsBatch)
    return case.expectation


def singles(case: Case) -> list[Applied]:
    """The calls of a batch, read from its stacks."""
    stacks, axis = batch_of(case).stacks, 0 if batch_of(case).axis == "first" else -1
    plain = case.call.made(AsUsual())
    return [
        plain.with_arguments(
            {name: Tensor(one.dtype, np.array(np.take(one.array, number, axis)), None) for name, one in stacks.items()}
        )
        for number in range(SIZE)
    ]


def test_expected_are_the_results_of_single_calls(cases: list[Case], reference: Reference) -> None:
    plain = [case for case in cases if max(map(len, returned(case).permitted)) == 1]
    for case in plain:
        results = [reference(call).array for call in singles(case)]
        assert np.stack(results).tolist() == returned(case).value.array.tolist()
    assert len(plain) > 60


def test_each_subset_of_the_tensors_is_batched_along_both_axes(cases: list[Case]) -> None:
    names = [
        case.id.partition(".vmap.")[2]
        for case in cases
        if case.id.startswith("index_copy.example.copy-two-columns/as-printed.vmap.")
    ]
    subsets = ("input", "index", "source", "input+index", "input+source", "index+source", "input+index+source")
    assert sorted(names) == sorted([*subsets, *(f"{subset}.last" for subset in subsets)])


def test_the_calls_of_a_batch_have_different_data_and_indices(cases: list[Case]) -> None:
    case = next(
        one for one in cases if one.id == "index_copy.example.copy-two-columns/as-printed.vmap.input+index+source"
    )
    for stack in batch_of(case).stacks.values():
        assert len({row.tobytes() for row in stack.array}) == SIZE
    assert len({row.tobytes() for row in returned(case).value.array}) == SIZE


def test_duplicates_remain_duplicates_and_each_call_has_its_own_permitted_results(cases: list[Case]) -> None:
    open_ones = [case for case in cases if "which-duplicate-remains" in case.id and "index" in batch_of(case).of]
    assert open_ones
    for case in open_ones:
        assert len({len(permitted) for permitted in returned(case).permitted}) == 1
        assert len(returned(case).permitted[0]) > 1


def test_what_is_out_of_bounds_remains_so(cases: list[Case]) -> None:
    found = [case for case in cases if "index_copy.behaviour.index-outside/" in case.id]
    assert found
    for case in found:
        for call in singles(case):
            [geometry] = call.geometries.values()
            assert not geometry.inside.all()


def test_a_sample_has_each_clause_and_each_subset(cases: list[Case]) -> None:
    def kinds(of: Sequence[Case]) -> set[str]:
        return {case.clause.id for case in of} | {batch_of(case).of for case in of}

    sample = [case for case in cases if not is_extra(case)]
    assert kinds(sample) == kinds(cases)
    assert len(sample) < len(cases) / 5


def test_a_target_without_the_hook_has_no_batches_and_records_have_the_stacks(cases: list[Case]) -> None:
    assert not can_run(cases[0], ["vjp", "jvp"])
    assert can_run(cases[0], ["vmap"])
    record = case_record(cases[0]).variation
    assert isinstance(record, BatchRecord)
    assert (record.base, record.axis) == (cases[0].variation.base, batch_of(cases[0]).axis)
    assert list(record.stacks) == list(batch_of(cases[0]).stacks)


def test_a_worker_gets_the_stacks_with_indices_in_the_dtype_that_the_api_takes(cases: list[Case]) -> None:
    case = next(one for one in cases if one.id.endswith(".vmap.input+index"))
    index = case.call.arguments["index"]
    assert isinstance(index, Tensor)
    arguments = to_wire(case.call.with_arguments({"index": index.cast("int16")}))
    assert arguments["index"][1] == "int16"
    assert arguments["index"][0].tolist() == batch_of(case).stacks["index"].array.tolist()
    assert len(arguments["input"][0]) == SIZE
