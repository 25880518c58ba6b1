"""A program around a call in a script, which calls what an adapter defines."""

from __future__ import annotations

import pytest

from conformance.repro.errors import NoScript
from conformance.repro.programs import in_framework
from conformance.repro.source import AdapterSource
from conformance.results.records import MappingRecord
from conformance.specification.programs.reading import read_program

SOURCE = """
def set_rows(input, index, source):
    input[index] = source
    return input

def rows(input, index):
    return input[index]

def add_rows(source, input):
    input += source

def fill_rows(input, index, number):
    input[index] = number

def copy(tensor):
    return tensor.copy()
"""
PROGRAM = """\
def program(input, index, source):
    kept = copy(input)
    result = index_copy(input=kept, index=index, source=index_select(input, index))
    again = index_copy(kept, index, index_add(source, input))
    return changed(kept, result), again
"""


def mapping(operation: str, name: str, in_place: str | None = None) -> MappingRecord:
    source = next(text for text in SOURCE.strip().split("\n\n") if text.startswith(f"def {name}("))
    return MappingRecord("fake", f"fake.{name}", operation, False, source, in_place)


OTHERS = [mapping("index_select", "rows"), mapping("index_add", "add_rows", "input")]


def test_a_program_calls_the_functions_of_the_adapter_and_changes_only_what_the_api_under_test_does() -> None:
    own = mapping("index_copy", "set_rows", "input")
    written = in_framework(read_program(PROGRAM), own, [own, *OTHERS], AdapterSource(SOURCE))
    assert written.text.splitlines()[1:] == [
        "    kept = copy(input)",
        "    result = set_rows(input=kept, index=index, source=rows(input, index))",
        "    again = set_rows(kept, index, add_rows(source, copy(input)))",
        "    return kept, again",
    ]


def test_another_operation_changes_its_first_argument_by_the_api_that_a_worker_takes() -> None:
    program = "def program(input, index):\n    result = index_copy(input=input)\n    index_fill_(input, index, 3)\n    return result\n"
    own = mapping("index_copy", "set_rows")
    mappings = [own, mapping("index_fill", "rows"), mapping("index_fill", "fill_rows", "input")]
    written = in_framework(read_program(program), own, mappings, AdapterSource(SOURCE))
    assert written.text.splitlines()[2] == "    _ = fill_rows(input, index, 3)"
    with pytest.raises(NoScript, match="no API for index_fill that changes its first argument"):
        in_framework(read_program(program), own, mappings[:2], AdapterSource(SOURCE))


def test_an_api_that_changes_another_argument_than_its_first_is_none_of_them() -> None:
    program = "def program(input, source):\n    result = index_copy(input=input)\n    index_add_(source, input)\n    return result\n"
    own = mapping("index_copy", "set_rows")
    with pytest.raises(NoScript, match="no API for index_add that changes its first argument"):
        in_framework(read_program(program), own, [own, *OTHERS], AdapterSource(SOURCE))


def test_a_new_tensor_comes_from_an_api_that_changes_nothing_if_there_is_one() -> None:
    program = "def program(input, index):\n    result = index_copy(input=input)\n    more = index_fill(input, index)\n    return result, more\n"
    own = mapping("index_copy", "set_rows")
    mappings = [own, mapping("index_fill", "fill_rows", "input"), mapping("index_fill", "rows")]
    written = in_framework(read_program(program), own, mappings, AdapterSource(SOURCE))
    assert written.text.splitlines()[2] == "    more = rows(input, index)"


def test_for_an_api_that_returns_a_new_tensor_the_result_is_what_changed() -> None:
    own = mapping("index_copy", "set_rows")
    written = in_framework(read_program(PROGRAM), own, [own, *OTHERS], AdapterSource(SOURCE))
    assert written.text.splitlines()[-1] == "    return result, again"


def test_there_is_no_script_for_a_program_that_calls_an_operation_which_the_target_lacks() -> None:
    own = mapping("index_copy", "set_rows")
    with pytest.raises(NoScript, match="no API for index_add"):
        in_framework(read_program(PROGRAM), own, [own, OTHERS[0]], AdapterSource(SOURCE))
