"""Programs as data: their text, which is read and never run, and what they say of the call and of memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.programs import program_cases
from conformance.data_folders import adapters_folder
from conformance.results.describe import case_record
from conformance.specification.literals import MOST_ELEMENTS, Argument, Tensor, argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Around
from conformance.specification.programs.language import Program
from conformance.specification.programs.meaning import changed_by, received
from conformance.specification.programs.reading import NotAProgram, read_expression, read_program
from tests.findings.naive.received import received_by

OPERATIONS = ("gather_elements", "tensor_scatter_nd_update", "scatter_nd", "index_add", "advanced_index_set")
COMPUTED_BY_OTHERS = {
    "from-itself", "repeats-from-itself", "flat-from-itself", "flat-view-from-itself", "written-from-itself-reversed"
}  # fmt: skip
"""Programs in which other operations compute what the call receives."""
VIEWS = {"sliced": "offset", "stepped": "strided", "transposed": "transposed", "expanded": "expanded"}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    specs = load_specs().operations
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    return [case for name in OPERATIONS for case in program_cases(specs[name], reference)]


def program_of(case: Case) -> Program:
    assert isinstance(case.call.manner, Around)
    return case.call.manner.program


def test_what_is_read_is_what_the_call_gets_when_the_program_runs(cases: list[Case]) -> None:
    programs = set()
    for case in cases:
        program, record = program_of(case), case_record(case)
        ran = received_by(
            {"call": record.call, "program": program.text, "operation": record.operation}, {*load_specs().operations}
        )
        read = received(program, case.call.arguments)
        name = record.id.split(".")[-2]
        assert (read is None, ran is None) == (name in COMPUTED_BY_OTHERS,) * 2, case.id
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
    assert len(programs) > 25


def test_the_axes_of_a_record_are_those_of_what_the_call_receives(cases: list[Case]) -> None:
    for case in cases:
        record = case_record(case)
        assert record.axes, case.id
        assert record.points, case.id


def test_a_program_is_what_is_read_from_its_text(cases: list[Case]) -> None:
    for case in cases:
        program = program_of(case)
        assert read_program(program.text) == program, case.id


@pytest.mark.parametrize(
    "value",
    [
        "a - (a - a)",
        "a - a - a",
        "(a + 1) * -a",
        "-(a + a)",
        "(-1) % a",
        "a[1:, :-1][::2]",
        "(a + a)[::-1]",
        "f(a, 2) // 2",
    ],
)
def test_the_text_of_an_expression_has_the_brackets_that_it_needs(value: str) -> None:
    read = read_expression(value)
    assert read_expression(str(read)) == read
    numbers = {"a": np.array([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]), "f": lambda x, y: x * y}
    assert np.array_equal(eval(str(read), dict(numbers)), eval(value, dict(numbers)))


@pytest.mark.parametrize("name", ["computed-after", "every-name", "zeroed-after", "target-read-after"])
def test_a_program_that_computes_or_changes_something_after_the_call_does_not_return_its_result(
    cases: list[Case], name: str
) -> None:
    programs = [program_of(case) for case in cases if f"/program.{name}." in case.id]
    assert programs
    assert not any(program.returns_the_result for program in programs)
    assert all(program_of(case).returns_the_result for case in cases if "/program.data-sliced." in case.id)


CHANGING = """\
def program(x, y, z, n):
    part = view(x[1:])
    other = copy(y)
    result = set(input=part, value=n)
    {}
    return result
"""


@pytest.mark.parametrize(
    ("line", "by_itself", "in_place"),
    [
        ("more = part + 1", set(), {"x"}),
        ("fill(x, 0)", {"x"}, {"x"}),
        ("fill(part, 0)", {"x"}, {"x"}),
        ("fill(view(transpose(part)), 0)", {"x"}, {"x"}),
        ("fill(result, 0)", set(), {"x"}),
        ("add(other, y)", set(), {"x"}),
        ("write(y, z)", {"y"}, {"x", "y"}),
        ("again = set(z, n)", set(), {"x", "z"}),
        ("again = get(z, n)", set(), {"x"}),
    ],
)
def test_what_a_program_changes_is_known_from_its_text(line: str, by_itself: set[str], in_place: set[str]) -> None:
    program = read_program(CHANGING.format(line))
    assert changed_by(program, None) == by_itself
    assert changed_by(program, "input") == in_place


def what_is_received(text: str, given: dict[str, Argument]) -> dict[str, Argument] | None:
    """As ``received``, of a text from anywhere."""
    try:
        return received(read_program(text), given)
    except NotAProgram:
        return None


def test_what_a_program_changes_before_the_call_is_what_the_call_receives() -> None:
    given: dict[str, Argument] = {"x": argument({"int8": [1, 2, 3, 4]}), "i": argument({"int64": [[0, 0], [0, 0]]})}
    lines = [
        "add(view(x[1:]), copy(x[:-1]))",
        "fill(view(x[:1]), -5)",
        "i = reshape(arange(4, i), (2, 2)) // 2 % 2",
        "result = f(x=flip(x), i=i)",
    ]
    text = "\n    ".join(["def program(x, i):", *lines, "return result\n"])
    found = what_is_received(text, given)
    assert found is not None
    assert [(value.dtype, value.array.tolist()) for value in found.values() if isinstance(value, Tensor)] == [
        ("int8", [7, 5, 3, -5]),
        ("int64", [[0, 0], [1, 1]]),
    ]
    assert isinstance(given["x"], Tensor)
    assert given["x"].array.tolist() == [1, 2, 3, 4]


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
        "fill(x, x.data)",
        "fill(n, 0)",
        "write(x, arange(200_000_000, x))",
        "x = flip(x, 1)",
        "x = reshape(x, (3,))",
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
    assert what_is_received(f"def program(x):\n    {line or 'return x'}\n{call}", given) is None


@pytest.mark.parametrize("text", ["", "x = x", "def program(x):", "\0", "def program(x): pass\ndef program(x): pass"])
def test_what_is_no_program_tells_nothing(text: str) -> None:
    assert what_is_received(text, {}) is None


def test_numbers_take_part_and_other_arguments_stay() -> None:
    given: dict[str, Any] = {"x": argument({"int8": [1, 2]}), "n": 3, "shape": (2,), "mode": "add"}
    call = "result = f(x=x, n=n, shape=shape, mode=mode)"
    text = f"def program(x, n, shape, mode):\n    x = -x * n - 1\n    {call}\n    return result\n"
    found = what_is_received(text, given)
    assert found is not None
    [x] = [value for value in found.values() if isinstance(value, Tensor)]
    assert (x.dtype, x.array.tolist(), x.view) == ("int8", [-4, -7], None)
    assert {name: value for name, value in found.items() if name != "x"} == {"n": 3, "shape": (2,), "mode": "add"}
