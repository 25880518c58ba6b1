"""What a worker makes of a program's text: its functions, and its results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.adapter import Unsupported
from conformance.specification.programs import language
from conformance.worker import calls, programs
from conformance.worker.adapters import Adapter, load
from conformance.worker.manner import Manner
from conformance.worker.prepared import PreparedFunctions

ADAPTER = """
import numpy as np
from conformance.adapter import api

@api("fake.set_", operation="set", in_place="x")
def set_(x, y):
    x[...] = y
    return x

@api("fake.take", operation="take")
def take(x):
    return x + 1

def copy(x):
    return x.copy()

def fill(x, number):
    x[...] = number

def write(x, y):
    x[...] = y
"""


@pytest.fixture
def adapter(tmp_path: Path) -> Adapter:
    (tmp_path / "adapter.py").write_text(ADAPTER)
    return load(str(tmp_path / "adapter.py"))


def run(adapter: Adapter, api: tuple[str, str], *lines: str) -> tuple[calls.Outcome, object]:
    text = "\n    ".join(["def program(x, y):", *lines]) + "\n"
    arguments = {name: (np.array(array, np.int32), "int32") for name, array in (("x", [1, 2]), ("y", [[3], [4]]))}
    outcome, result = calls.run(adapter, adapter.api(*api), arguments, Manner(program=text))
    return outcome, None if result is None else (result[0].tolist(), result[1])


def test_several_results_are_joined_and_described_by_what_the_program_returns(adapter: Adapter) -> None:
    outcome, result = run(adapter, ("fake.take", "take"), "result = take(x=x)", "return result, y - 1, take(x)")
    assert result == ([2, 3, 2, 3, 2, 3], "int32")
    assert outcome["parts"] == [
        {"name": "result", "dtype": "int32", "shape": [2]},
        {"name": "y - 1", "dtype": "int32", "shape": [2, 1]},
        {"name": "take(x)", "dtype": "int32", "shape": [2]},
    ]


def test_one_result_is_not_described_apart(adapter: Adapter) -> None:
    outcome, result = run(adapter, ("fake.take", "take"), "result = take(x=x)", "return result")
    assert result == ([2, 3], "int32")
    assert "parts" not in outcome


def test_an_argument_that_a_program_changes_is_said_to_be_changed(adapter: Adapter) -> None:
    outcome, result = run(adapter, ("fake.take", "take"), "result = take(x=x)", "fill(x, 0)", "return result")
    assert result == ([2, 3], "int32")
    assert outcome["changed"] == ["x"]


def test_only_the_api_under_test_changes_its_argument(adapter: Adapter) -> None:
    _, result = run(adapter, ("fake.take", "take"), "result = take(x=x)", "other = set(x, 9)", "return other, x")
    assert result == ([9, 9, 1, 2], "int32")
    _, result = run(adapter, ("fake.set_", "set"), "result = set(x=x, y=7)", "again = set(x, 9)", "return again, x")
    assert result == ([9, 9, 9, 9], "int32")


def test_another_operation_changes_its_first_argument_by_an_api_that_does_or_by_writing_what_one_returns(
    adapter: Adapter,
) -> None:
    _, result = run(adapter, ("fake.take", "take"), "result = take(x=x)", "set_(x, 9)", "take_(x)", "return result, x")
    assert result == ([2, 3, 10, 10], "int32")


def test_what_is_compiled_changes_no_argument_by_a_function_that_is_written_here(adapter: Adapter) -> None:
    compiled = replace(adapter, prepared=PreparedFunctions(lambda function, _: function, "compile"))
    text = "def program(x):\n    result = take(x=x)\n    {}_(x, 9)\n    return result\n"
    compiled.around(adapter.api("fake.take", "take"), text.format("set"))
    with pytest.raises(Unsupported, match="the target has no take_ for the program"):
        compiled.around(adapter.api("fake.take", "take"), text.format("take"))


def test_a_framework_without_a_function_for_a_change_has_no_such_program(adapter: Adapter) -> None:
    text = "def program(x):\n    result = take(x=x)\n    add(x, 1)\n    return result\n"
    with pytest.raises(Unsupported, match="the target has no add for the program"):
        adapter.around(adapter.api("fake.take", "take"), text)


def test_the_functions_of_the_language_are_those_that_adapters_may_define() -> None:
    assert {*programs.STEPS} == language.STEPS.keys()
    assert {*programs.CHANGES} == language.CHANGES.keys()
    assert programs.NAME == language.FUNCTION
