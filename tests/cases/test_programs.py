"""Programs around calls: what they compute, and what the suite expects of them."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from conformance.adapter import Api, Unsupported
from conformance.cases.expectations import Returning, Returns
from conformance.cases.model import Case
from conformance.cases.variants.programs import program_cases
from conformance.cases.variation import InProgram
from conformance.execution.budget import left_out
from conformance.execution.target import can_run
from conformance.results.describe import case_record
from conformance.results.variations import InProgramRecord
from conformance.specification.literals import Tensor
from conformance.specification.model import Around
from conformance.specification.problems import SpecError
from conformance.specification.programs.file import load_programs
from conformance.worker.adapters import load
from conformance.worker.programs import within
from tests.cases.draws import CATALOGUE, REFERENCE


@cache
def made(operation: str) -> dict[str, Case]:
    cases = program_cases(CATALOGUE.operations[operation], REFERENCE)
    return {case.id.partition("program.")[2]: case for case in cases}


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return made("tensor_scatter_nd_update")


def array(case: Case, name: str) -> np.ndarray:
    value = case.call.arguments[name]
    assert isinstance(value, Tensor)
    return value.array


def text_of(case: Case) -> str:
    """The text of its program."""
    assert isinstance(case.call.manner, Around)
    return case.call.manner.program.text


def expected(case: Case) -> np.ndarray:
    assert isinstance(case.expectation, Returning)
    return case.expectation.value.array


def written(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    result = tensor.copy()
    result[tuple(np.moveaxis(indices, -1, 0))] = updates
    return result


@pytest.mark.parametrize("operation", ["gather_nd", "tensor_scatter_nd_update", "tensor_scatter_nd_add", "index_copy"])
def test_an_expensive_mode_runs_each_program_in_one_dtype_by_turns(operation: str) -> None:
    cases = made(operation)
    skipped = {case.id for case in left_out(cases.values(), cost=1.0)["forms"]}
    ran = [name.split(".") for name, case in cases.items() if case.id not in skipped]
    assert max(Counter(program for program, _ in ran).values()) == 1
    assert Counter(dtype for _, dtype in ran).keys() == {name.split(".")[1] for name in cases}


def test_a_view_is_taken_inside_of_what_is_compiled(cases: dict[str, Case]) -> None:
    sliced = cases["data-sliced.float32"]
    assert "tensor = tensor[1:-1, 1:-1]" in text_of(sliced)
    tensor, updates = (array(sliced, name)[1:-1, 1:-1] for name in ("tensor", "updates"))
    assert np.array_equal(expected(sliced), written(tensor, array(sliced, "indices"), updates))


def test_what_surrounds_an_element_of_a_view_is_none_of_its_elements(cases: dict[str, Case]) -> None:
    stepped = cases["index-stepped.int64"]
    indices = array(stepped, "indices")
    assert (indices[1::2] == 85).all()
    assert np.array_equal(
        expected(stepped), written(array(stepped, "tensor"), indices[::2, ::2], array(stepped, "updates"))
    )


def test_what_is_changed_in_place_is_not_expanded(cases: dict[str, Case]) -> None:
    program = text_of(cases["data-expanded.float32"])
    assert "updates = expand(updates, " in program
    assert "tensor = expand" not in program


def test_what_was_scattered_is_gathered_again(cases: dict[str, Case]) -> None:
    again = cases["gathered-again.int64"]
    assert np.array_equal(expected(again), array(again, "updates"))


def test_what_is_written_may_come_from_the_target(cases: dict[str, Case]) -> None:
    itself = cases["from-itself.float32"]
    tensor, indices = array(itself, "tensor"), array(itself, "indices")
    updates = tensor[tuple(np.moveaxis(indices, -1, 0))] + array(itself, "updates")
    assert np.array_equal(expected(itself), written(tensor, indices, updates))


def test_what_a_number_is_written_into_is_a_target_too() -> None:
    fills = made("index_fill")
    assert {"target-read-after.float32", "copy-read-after.int64", "gathered-again.int64"} <= set(fills)
    assert not [name for name in made("index_select") if "read-after" in name]


def test_what_slices_are_written_into_is_a_target_and_its_values_are_written() -> None:
    slices = made("basic_index_set")
    itself = slices["from-itself.float32"]
    data, values = array(itself, "input").copy(), array(itself, "values")
    assert itself.call.arguments["key"] == "1:"
    data[1:] += values
    assert np.array_equal(expected(itself), data)


@pytest.mark.parametrize("operation", ["dynamic_update_slice", "diagonal_scatter", "take_into_view"])
def test_a_spec_without_a_layout_has_programs_around_the_calls_of_its_first_behaviour(operation: str) -> None:
    assert CATALOGUE.operations[operation].layout is None
    programs = made(operation)
    assert {"computed-around.int64", "copied-over.float32", "target-read-after.float32"} <= programs.keys()
    assert {case.clause.family for case in programs.values()} == {"behaviour"}
    assert all(value.size for case in programs.values() for value in case.call.tensors.values())


def test_an_api_may_refuse_a_program_in_a_dtype_that_no_call_of_the_spec_has() -> None:
    variations = (made("split_reduce")[f"computed-around.{dtype}"].variation for dtype in ("float32", "int64"))
    assert [isinstance(one, InProgram) and one.is_open for one in variations] == [False, True]


def test_lengths_beside_a_power_of_two_take_turns(cases: dict[str, Case]) -> None:
    lengths = {expected(case).shape[-1] for name, case in cases.items() if name.startswith("computed")}
    assert {127, 128, 129} <= lengths


def test_sums_in_a_narrow_dtype_have_no_programs() -> None:
    assert not [name for name in made("index_add") if name.endswith("bfloat16")]


def test_only_modes_that_run_programs_get_them_and_records_have_their_text(cases: dict[str, Case]) -> None:
    case = cases["computed-after.float32"]
    assert not can_run(case, ["constants", "numbers"])
    assert can_run(case, ["programs"])
    assert case_record(case).variation == InProgramRecord(text_of(case))


def parts(case: Case) -> dict[str, np.ndarray]:
    """Its expected results by name."""
    assert isinstance(case.expectation, Returns)
    ends = np.cumsum([np.prod(part.shape, dtype=int) for part in case.expectation.parts])
    flat = np.split(case.expectation.value.array, ends[:-1])
    return {part.name: one.reshape(part.shape) for part, one in zip(case.expectation.parts, flat, strict=True)}


def test_what_is_returned_before_a_change_stays_as_it_was_if_the_api_returns_a_new_tensor(
    cases: dict[str, Case],
) -> None:
    filled = cases["target-filled-after.int64"]
    tensor, indices, updates = (array(filled, name) for name in ("tensor", "indices", "updates"))
    found = parts(filled)
    assert np.array_equal(found["result"], written(tensor, indices, updates))
    assert (found["tensor"] == 5).all()
    assert np.array_equal(expected(cases["zeroed-after.float32"]), written_by(cases["zeroed-after.float32"]))


def written_by(case: Case) -> np.ndarray:
    return written(*(array(case, name) for name in ("tensor", "indices", "updates")))


def test_what_is_copied_over_the_target_and_changed_is_told_from_the_result(cases: dict[str, Case]) -> None:
    case = cases["copied-over-flipped.float32"]
    result = written_by(case)
    found = parts(case)
    assert np.array_equal(found["result"], result + 1)
    assert np.array_equal(found["tensor"], result[::-1] + result + 1)


def test_a_program_about_changes_in_place_expects_what_the_target_becomes(cases: dict[str, Case]) -> None:
    changed = parts(cases["part-changed-after.float32"])
    result = written_by(cases["part-changed-after.float32"])
    result[1:] += 1
    assert np.array_equal(changed["tensor"], result)
    assert np.array_equal(changed["part"], result[1:])


def test_what_is_read_again_after_a_change_in_place_is_what_the_target_has_become(cases: dict[str, Case]) -> None:
    twice = cases["computed-twice.float32"]
    found = parts(twice)
    assert np.array_equal(found["before"], array(twice, "tensor") + 1)
    assert np.array_equal(found["after"], written_by(twice) + 1)
    part = cases["part-read-after.float32"]
    assert np.array_equal(expected(part), written_by(part)[1:] + 1)


def test_an_index_that_the_program_computes_has_the_dtype_of_the_one_in_its_place_and_repeats() -> None:
    flat = made("index_copy")["flat-view-from-itself.int64"]
    size = array(flat, "input").size
    assert f"places = arange({size}, index) % 2" in text_of(flat)
    result = array(flat, "input").copy().reshape(-1)
    result[:2] += 1
    assert np.array_equal(expected(flat).reshape(-1), result)


def test_several_returned_tensors_are_expected_by_name_and_one_is_none_of_several(cases: dict[str, Case]) -> None:
    assert [*parts(cases["every-name.float32"])] == ["result", "turned", "more"]
    assert isinstance(cases["zeroed-after.float32"].expectation, Returns)
    assert cases["zeroed-after.float32"].expectation.parts == ()
    record = case_record(cases["every-name.float32"]).expectation["returns"]
    assert [part["name"] for part in record["parts"]] == ["result", "turned", "more"]


def test_only_apis_that_a_program_is_about_get_it(cases: dict[str, Case]) -> None:
    def takes(name: str, in_place: str | None) -> bool:
        manner = cases[name].call.manner
        assert isinstance(manner, Around)
        return manner.takes(in_place)

    assert [takes("zeroed-after.float32", each) for each in (None, "tensor")] == [True, False]
    assert [takes("zeroed-after-change.float32", each) for each in (None, "tensor", "updates")] == [False, True, False]
    assert [takes("computed-after.float32", each) for each in (None, "tensor")] == [True, True]


def test_a_program_with_a_constant_needs_a_mode_that_compiles_constants(cases: dict[str, Case]) -> None:
    case = cases["constant-index-added-up.float32"]
    assert not can_run(case, ["programs"])
    assert can_run(case, ["constants", "programs"])
    assert case.call.call.constants == {"indices"}
    assert case_record(case).variation == InProgramRecord(text_of(case), arguments={"indices": "constant"})


@pytest.mark.parametrize("operation", ["index_reduce", "unsorted_segment_reduce", "segment_reduce", "scatter_elements"])
def test_sums_are_not_rounded_so_that_their_order_does_not_matter(operation: str) -> None:
    case = made(operation)["added-up.float32"]
    wide = {name: value.cast("float64") for name, value in case.call.data.items()}
    assert np.array_equal(REFERENCE(case.call.with_arguments(wide)).array, expected(case))
    assert "added-up.bfloat16" not in made(operation)


def returned(value: int) -> int:
    return value + 1


def test_a_program_runs_around_the_function_of_an_api() -> None:
    text = "def program(value):\n    value = value + value\n    result = take(value=value)\n    return result + value\n"
    api = Api("fake.take", "take", returned)
    around = within(api, [api], {}, text)
    assert around.function(value=2) == 9
    assert around.name != api.name


def test_the_target_is_read_after_an_api_that_changes_it_and_otherwise_the_result() -> None:
    text = "def program(value):\n    result = take(value=value)\n    return changed(value, result)\n"
    for in_place, value in ((None, 3), ("value", 2)):
        api = Api("fake.take", "take", returned, in_place=in_place)
        assert within(api, [api], {}, text).function(value=2) == value


def test_a_program_that_calls_an_operation_without_an_api_is_not_supported() -> None:
    text = "def program(value):\n    return gather_nd(take(value=value), value)\n"
    api = Api("fake.take", "take", returned)
    with pytest.raises(Unsupported, match="gather_nd"):
        within(api, [api], {}, text)
    other = Api("fake.gather", "gather_nd", lambda x, y: x * y, composed=True)
    assert within(api, [api, other], {}, text).function(value=2) == 6


ON_A_DEVICE = """
from conformance.adapter import api

@api("fake.take", operation="take")
def take(value):
    return value + 1

@api("fake.gather", operation="gather_nd", devices=("ascend",))
def gather(x, y):
    raise RuntimeError("no kernel")

@api("fake.other", operation="gather_nd")
def other(x, y):
    return x * y
"""


def test_a_program_calls_no_api_that_has_no_kernel_for_the_device(tmp_path: Path) -> None:
    (tmp_path / "adapter.py").write_text(ON_A_DEVICE)
    adapter = load(str(tmp_path / "adapter.py"))
    text = "def program(value):\n    return gather_nd(take(value=value), value)\n"
    assert adapter.around(adapter.api("fake.take", "take"), text).function(value=2) == 6
    with pytest.raises(RuntimeError, match="no kernel"):
        adapter.on("ascend").around(adapter.api("fake.take", "take"), text).function(value=3)


@pytest.mark.parametrize(
    "line",
    ["y = data.shape", "y = __import__('os')", "y = data[0]", "y = f(data, y=1)", "y = data +", "y = [data]", "y = 'x'", "del data",
     "result = call()", "fill(data)"],
)  # fmt: skip
def test_a_program_is_data_that_can_do_nothing_but_compute(tmp_path: Path, line: str) -> None:
    file = tmp_path / "programs.yaml"
    lines = ["result = call()", line, "return result"]
    text = "".join(f"\n      {each}" for each in lines)
    file.write_text(f"programs:\n  wrong:\n    states: Something.\n    text: |{text}\n")
    with pytest.raises(SpecError, match="wrong"):
        load_programs(file)
