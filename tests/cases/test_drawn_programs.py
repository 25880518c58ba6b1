"""Drawn programs: which are drawn, what is expected of them, and which smaller ones they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest

from conformance.cases.draws.composition import Composition, Undetermined, composed
from conformance.cases.draws.program_source import ProgramSource, program_case
from conformance.cases.draws.programs import DTYPES, LEAST, MOST, drawable
from conformance.cases.draws.smaller_programs import fewer_statements, form_of_program, simpler, smaller_tensors
from conformance.cases.expectations import Returns
from conformance.cases.model import Case, drawn_clause
from conformance.cases.reference import LoadedReference, load_reference
from conformance.data_folders import adapters_folder
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, Tensor, argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Around, Call
from conformance.specification.programs.language import CalledInPlace, Change, Program, Sliced, Step, UnderTest
from conformance.specification.programs.reading import read_lines, read_program

COUNT = 270


@cache
def reference() -> LoadedReference:
    return load_reference(adapters_folder() / "reference" / "adapter.py")


def source(count: int, seed: int = 0, only: frozenset[str] | None = None) -> ProgramSource:
    return ProgramSource(count, seed, load_specs().operations, only)


def drawn_by(one: ProgramSource) -> list[Case]:
    cases = [case for operation in one.operations.values() for case in one.cases(operation, reference())]
    assert all(isinstance(case, Case) for case in cases)
    return [case for case in cases if isinstance(case, Case)]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return drawn_by(source(COUNT))


def program_of(case: Case) -> Program:
    assert isinstance(case.call.manner, Around)
    return case.call.manner.program


def around(operation: str, text: str, arguments: Mapping[str, object], *, changes: bool = False) -> Case:
    """The case of a program that is written here."""
    specs = load_specs().operations
    program = read_program(text)
    given: dict[str, Argument] = {name: argument(value) for name, value in arguments.items()}
    manner = Around(
        program, "changing" if changes else "returning", specs[operation].main_argument if changes else None
    )
    call = Applied(specs[operation], Call(given, manner))
    return program_case(call, drawable(specs), reference(), 1, accumulates=True)


def run(text: str, arguments: Mapping[str, object]) -> Composition:
    """The values after statements."""
    composition = Composition(load_specs().operations, reference())
    for name, value in arguments.items():
        composition.give(name, argument(value))
    for statement in read_lines(text)[0]:
        composition.run(statement)
    return composition


MATRIX = {"int64": [[1, 2], [3, 4]]}
LONGER = {"int64": [[1, 2], [3, 4], [5, 6]]}


def test_there_are_as_many_as_are_asked_for_over_all_operations(cases: list[Case]) -> None:
    assert COUNT - 5 <= len(cases) <= COUNT
    numbers = Counter(case.operation_name for case in cases)
    assert numbers.keys() == drawable(load_specs().operations).keys()
    assert max(numbers.values()) - min(numbers.values()) <= 5


def test_those_of_one_operation_are_all_around_it() -> None:
    assert {case.operation_name for case in drawn_by(source(5, only=frozenset({"index_copy"})))} == {"index_copy"}


def test_the_same_seed_gives_the_same_programs_and_another_one_others() -> None:
    only = frozenset({"index_add", "take"})
    texts = [[program_of(case).text for case in drawn_by(source(12, seed, only))] for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]


def test_more_programs_begin_with_the_same_ones() -> None:
    only = frozenset({"index_add"})
    few, many = ([program_of(case).text for case in drawn_by(source(count, 0, only))] for count in (4, 8))
    assert many[:4] == few


def test_half_of_them_change_tensors_and_some_of_these_by_the_call_under_test(cases: list[Case]) -> None:
    changing = [case for case in cases if program_of(case).has(Change, CalledInPlace)]
    assert len(cases) / 4 < len(changing) < len(cases) * 3 / 4
    apis = Counter(case.call.manner.apis for case in cases if isinstance(case.call.manner, Around))
    assert apis["changing"] > 10
    assert apis["returning"] > len(cases) / 2


def test_they_have_two_to_five_statements_with_one_call_under_test(cases: list[Case]) -> None:
    for case in cases:
        program = program_of(case)
        assert LEAST <= len(program.statements) <= MOST
        assert sum(isinstance(part, UnderTest) for part in program.parts()) == 1
        assert read_program(program.text) == program


def test_they_have_everything_that_the_language_has(cases: list[Case]) -> None:
    words = {part.function for case in cases for part in program_of(case).parts() if isinstance(part, Step | Change)}
    assert words == {
        "transpose", "expand", "reshape", "view", "flip", "copy", "arange", "total", "fill", "write", "add"
    }  # fmt: skip
    assert sum(program_of(case).has(Sliced) for case in cases) > 20
    dtypes = Counter(next(iter(case.call.data.values())).dtype for case in cases)
    assert dtypes.keys() == {*DTYPES}


def test_every_name_is_returned_and_every_argument_that_is_changed(cases: list[Case]) -> None:
    for case in cases:
        program = program_of(case)
        names = {each.name for each in program.statements if not isinstance(each, Change | CalledInPlace)}
        assert names <= {*program.names_of_results}


def test_what_is_expected_is_what_the_reference_computes_statement_by_statement(cases: list[Case]) -> None:
    operations = load_specs().operations
    for case in cases:
        manner = case.call.manner
        assert isinstance(manner, Around)
        values = composed(manner.program, case.call.arguments, operations, reference(), manner.changes)
        parts = [np.asarray(values.value(result)) for result in manner.program.results]
        assert isinstance(case.expectation, Returns)
        flat = np.concatenate([part.reshape(-1) for part in parts]) if len(parts) > 1 else parts[0]
        assert np.array_equal(case.expectation.value.array, flat), case.id


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("write(view(w[1:]), w[:-1])", "own memory"),
        ("masked_scatter_(x, m, x)", "own memory"),
        ("index_copy_(x, 0, i, y)", "different elements"),
        ("z = x[1:]\nfill(x, 0)\nadd(y, z)", "memory of its own"),
        ("fill(transpose(x), 0)", "memory of its own"),
        ("fill(expand(x[:1], (2, 2)), 0)", "cannot be changed"),
        ("z = index_select(x, 0, i + 7)", "breaks a rule"),
    ],
)
def test_a_program_whose_result_is_not_determined_is_not_drawn(text: str, why: str) -> None:
    arguments = {
        "x": MATRIX,
        "y": MATRIX,
        "m": {"bool": [[True, False], [True, True]]},
        "i": {"int64": [0, 0]},
        "w": LONGER,
    }
    with pytest.raises(Undetermined, match=why):
        run(f"{text}\nreturn x", arguments)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("write(view(x[1:]), x[:-1])", [[1, 2], [1, 2]]),
        ("write(view(w[1:]), copy(w[:-1]))\nwrite(x, w[1:])", [[1, 2], [3, 4]]),
        ("index_copy_(x, 0, i, index_select(x, 0, i) + 1)", [[2, 3], [3, 4]]),
        ("index_add_(x, 0, i, y)", [[5, 8], [3, 4]]),
        ("z = view(transpose(x)[:1])\nfill(z, 0)", [[0, 2], [0, 4]]),
    ],
)
def test_one_whose_result_is_determined_may_be(text: str, left: list[list[int]]) -> None:
    values = run(f"{text}\nreturn x", {"x": MATRIX, "y": MATRIX, "w": LONGER, "i": {"int64": [0, 0]}}).values
    assert np.array_equal(np.asarray(values["x"]), left)


LONG = """def program(input, dim, index, source, t1):
    y0 = input + t1
    y1 = index_copy(input=y0, dim=dim, index=index, source=source)
    add(input, 2)
    y2 = flip(y1)
    return y0, y1, y2, input
"""
LONG_ARGUMENTS = {"input": MATRIX, "dim": 0, "index": {"int64": [1]}, "source": {"int64": [[7, 8]]}, "t1": MATRIX}


def test_a_statement_that_is_left_out_is_replaced_by_what_it_was_made_of() -> None:
    texts = [program_of(each).text for each in fewer_statements(around("index_copy", LONG, LONG_ARGUMENTS))]
    assert texts[0] == (
        "def program(input, dim, index, source):\n"
        "    y1 = index_copy(input=input, dim=dim, index=index, source=source)\n"
        "    return input, y1\n"
    )
    assert len(texts) == 7, "each subset of the other three statements but all of them"


def test_another_call_is_under_test_once_that_of_the_program_is_left_out() -> None:
    text = LONG.replace("add(input, 2)", "put_(input, i, take(input, i) + 1)").replace(", t1)", ", t1, i)")
    case = around("index_copy", text, {**LONG_ARGUMENTS, "i": {"int64": [0, 3]}})
    smaller = [each for each in fewer_statements(case) if each.operation_name == "put"]
    assert program_of(smaller[0]).text == (
        "def program(input, index, source):\n"
        "    y = put(input=input, index=index, source=take(input, index) + 1)\n"
        "    return input\n"
    )
    assert isinstance(smaller[0].call.manner, Around)
    assert smaller[0].call.manner.apis == "changing"
    assert smaller[0].clause is drawn_clause(load_specs().operations["put"])


def test_what_is_simpler_has_one_result_a_fill_for_a_change_and_an_operand_for_an_expression() -> None:
    texts = [program_of(each).text for each in simpler(around("index_copy", LONG, LONG_ARGUMENTS))]
    assert any("fill(input2, 0)" in text for text in texts)
    assert any("y0 = input2\n" in text for text in texts)
    assert any("return y2\n" in text for text in texts)


def test_tensors_become_shorter_with_what_the_program_says_of_their_lengths() -> None:
    text = LONG.replace("flip(y1)", "reshape(y1, (4,))")
    smaller = list(smaller_tensors(around("index_copy", text, LONG_ARGUMENTS)))
    value = smaller[0].call.arguments["input"]
    assert isinstance(value, Tensor)
    assert value.shape == (1, 1)
    assert "reshape(y1, (1,))" in program_of(smaller[0]).text


def test_programs_that_differ_in_names_and_numbers_have_one_form() -> None:
    other = LONG.replace("y0", "kept").replace("add(input, 2)", "add(input, 3)")
    assert form_of_program(around("index_copy", LONG, LONG_ARGUMENTS)) == form_of_program(
        around("index_copy", other, LONG_ARGUMENTS)
    )
    assert form_of_program(around("index_copy", LONG, LONG_ARGUMENTS)) != form_of_program(
        around("index_copy", LONG.replace("add(input, 2)", "fill(input, 2)"), LONG_ARGUMENTS)
    )
