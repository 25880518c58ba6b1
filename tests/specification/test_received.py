"""What a call receives in a program that is read, against running it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.programs import program_cases
from conformance.data_folders import adapters_folder, specs_folder
from conformance.results.describe import case_record
from conformance.specification.literals import MOST_ELEMENTS, Argument, Tensor, argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Around
from conformance.specification.programs import load_programs
from conformance.specification.received import received, returns_the_result
from tests.findings.naive.received import received_by

OPERATIONS = ("gather_elements", "tensor_scatter_nd_update", "scatter_nd", "index_add", "advanced_index_set")
VIEWS = {"sliced": "offset", "stepped": "strided", "transposed": "transposed", "expanded": "expanded"}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    specs = load_specs().operations
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    return [case for name in OPERATIONS for case in program_cases(specs[name], reference)]


def text_of(case: Case) -> str:
    assert isinstance(case.call.manner, Around)
    return case.call.manner.program


def test_what_is_read_is_what_the_call_gets_when_the_program_runs(cases: list[Case]) -> None:
    programs = set()
    for case in cases:
        text, record = text_of(case), case_record(case)
        ran = received_by(
            {"call": record.call, "program": text, "operation": record.operation}, {*load_specs().operations}
        )
        read = received(text, case.call.arguments)
        name = record.id.split(".")[-2]
        assert (read is None, ran is None) == (name == "from-itself",) * 2, case.id
        if read is None or ran is None:
            continue
        programs.add(name)
        for argument_name, value in read.items():
            other = ran[argument_name]
            if not isinstance(value, Tensor):
                assert value == other
                continue
            assert (value.dtype, value.shape) == (other.dtype, other.shape), case.id
            assert value.array.tobytes() == np.array(other.array).tobytes(), case.id
            if value is not case.call.arguments[argument_name]:
                assert value.view == VIEWS.get(name.rpartition("-")[2]), case.id
    assert len(programs) > 12


def test_the_axes_of_a_record_are_those_of_what_the_call_receives(cases: list[Case]) -> None:
    for case in cases:
        record = case_record(case)
        assert record.axes, case.id
        assert record.points, case.id


def test_only_a_program_that_computes_nothing_of_the_result_returns_it(cases: list[Case]) -> None:
    computing = {
        each.name for each in load_programs(specs_folder() / "programs.yaml") if each.program.result is not None
    }
    for case in cases:
        assert returns_the_result(text_of(case)) != (case.id.split(".")[-2] in computing), case.id


LONG = "x = " + " + ".join(["x"] * 20)


@pytest.mark.parametrize(
    "line",
    [
        "x = __import__('os').system('true')",
        "x = x.data",
        "x = x[0]",
        "x = x[::0]",
        "x = x[::y]",
        "x = y",
        "x = x / 2",
        "x = x + 300",
        "x = x + expand(x, (3, 5))",
        "x = expand(x, (-1, 4))",
        f"x = expand(x, ({MOST_ELEMENTS}, 4))",
        "x = expand(x, x)",
        "x = gather(x) + x",
        "x = lambda: x",
        "x += x",
        "import os",
        "x[:] = x",
        "x = " + "-" * 20_000 + "x",
        "x = " + "(" * 300 + "x" + ")" * 300,
        f"x = expand(x, ({MOST_ELEMENTS // 8}, 4))\n    {LONG}",
        "",
    ],
    ids=lambda line: line[:30],
)
def test_a_text_that_could_do_anything_else_is_not_understood_and_never_run(line: str) -> None:
    given: dict[str, Argument] = {"x": argument({"int8": [1, 2, 3, 4]})}
    call = "    result = f(x=x)\n    return result\n" if line else ""
    assert received(f"def program(x):\n    {line or 'return x'}\n{call}", given) is None


@pytest.mark.parametrize("text", ["", "x = x", "def program(x):", "\0", "def program(x): pass\ndef program(x): pass"])
def test_what_is_no_program_tells_nothing(text: str) -> None:
    assert received(text, {}) is None


def test_numbers_take_part_and_other_arguments_stay() -> None:
    given: dict[str, Any] = {"x": argument({"int8": [1, 2]}), "n": 3, "shape": (2,), "mode": "add"}
    text = "def program(x, n, shape, mode):\n    x = -x * n - 1\n    result = f(x=x, n=n)\n    return result\n"
    found = received(text, given)
    assert found is not None
    [x] = [value for value in found.values() if isinstance(value, Tensor)]
    assert (x.dtype, x.array.tolist(), x.view) == ("int8", [-4, -7], None)
    assert {name: value for name, value in found.items() if name != "x"} == {"n": 3, "shape": (2,), "mode": "add"}
