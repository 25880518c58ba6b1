"""Functions that an adapter prepared: compiled once for each API and what its call binds."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.adapter import Api, naming_lines
from conformance.worker.prepared import MAX_FUNCTIONS, PreparedFunctions

API = Api("fake.take", "gather_elements", lambda params, dim, index: (params, dim, index))


TENSORS = {"params": (np.ones(2), "float64"), "index": (np.array([1]), "int64")}


class Compiler:
    """Counts what it is given to compile."""

    def __init__(self) -> None:
        self.given: list[dict[str, Any]] = []

    def __call__(self, function: Any, mode: str) -> Callable[..., Any]:
        self.given.append(function.keywords)
        return lambda **tensors: (mode, sorted(tensors), function(**tensors))


def call(functions: PreparedFunctions, dim: object) -> Any:
    return functions.call(API, {"params": "a", "dim": dim, "index": "b"}, TENSORS, {})


def test_what_is_no_tensor_is_bound_before_it_is_compiled() -> None:
    compiler = Compiler()
    assert call(PreparedFunctions(compiler, "jit"), 1) == ("jit", ["index", "params"], ("a", 1, "b"))
    assert compiler.given == [{"dim": 1}]


def test_one_compiled_function_serves_all_calls_that_bind_the_same() -> None:
    compiler = Compiler()
    functions = PreparedFunctions(compiler, "jit")
    for dim in (1, 1, 1.0, True, 1):
        call(functions, dim)
    assert [repr(one["dim"]) for one in compiler.given] == ["1", "1.0", "True"]


def test_a_call_may_bind_a_tensor_and_leave_a_number_to_what_is_compiled() -> None:
    compiler = Compiler()
    functions = PreparedFunctions(compiler, "jit")
    arguments = {"params": "a", "dim": 1, "index": "b"}
    result = functions.call(API, arguments, TENSORS, {"index": "constant", "dim": "argument"})
    assert result == ("jit", ["dim", "params"], ("a", 1, "b"))
    assert compiler.given == [{"index": "b"}]


def test_a_function_with_a_constant_serves_the_calls_with_equal_elements() -> None:
    compiler = Compiler()
    functions = PreparedFunctions(compiler, "jit")
    for element in (1, 2, 1):
        tensors = {**TENSORS, "index": (np.array([element]), "int64")}
        functions.call(API, {"params": "a", "dim": 1, "index": element}, tensors, {"index": "constant"})
    assert [one["index"] for one in compiler.given] == [1, 2]


def test_a_mode_may_make_something_of_constants_alone() -> None:
    def prepare(function: Any, mode: str) -> Any:
        return (lambda **_: mode) if "index" in function.keywords else function

    functions = PreparedFunctions(prepare, "static")
    arguments = {"params": "a", "dim": 1, "index": "b"}
    for _ in range(2):
        assert functions.call(API, arguments, TENSORS, {}) == ("a", 1, "b")
        assert functions.call(API, arguments, TENSORS, {"index": "constant"}) == "static"


def test_the_functions_that_are_kept_are_bounded_and_the_last_used_stay() -> None:
    compiler = Compiler()
    functions = PreparedFunctions(compiler, "jit")
    for dim in range(MAX_FUNCTIONS):
        call(functions, dim)
    call(functions, 0)
    call(functions, MAX_FUNCTIONS)
    assert len(compiler.given) == MAX_FUNCTIONS + 1
    call(functions, 0)
    assert len(compiler.given) == MAX_FUNCTIONS + 1
    call(functions, 1)
    assert len(compiler.given) == MAX_FUNCTIONS + 2


def test_a_mode_that_compiles_nothing_is_asked_once_and_called_as_it_stands() -> None:
    asked = []

    def prepare(function: Any, mode: str) -> Any:
        asked.append(mode)
        return function

    functions = PreparedFunctions(prepare, "eager")
    assert [call(functions, dim) for dim in (0, 1)] == [("a", 0, "b"), ("a", 1, "b")]
    assert asked == ["eager"]
    assert not functions.recompile()


def test_what_is_forgotten_is_compiled_anew() -> None:
    compiler = Compiler()
    functions = PreparedFunctions(compiler, "jit")
    assert not functions.recompile()
    call(functions, 1)
    assert functions.recompile()
    call(functions, 1)
    assert len(compiler.given) == 2


@pytest.mark.parametrize(
    ("text", "caused_by", "line"),
    [
        ("In file <group>:3, 4~9", None, 3),
        ("not converted", "as said in file, In file <group>:12", 12),
        ("In file <another>:3", None, None),
        ("In file <group>", "File <group>:3", None),
    ],
)
def test_an_error_that_names_a_line_in_words_of_a_compiler_names_it_as_python_does(
    text: str, caused_by: str | None, line: int | None
) -> None:
    def compiled(**_: Any) -> None:
        raise ValueError(text) from (None if caused_by is None else RuntimeError(caused_by))

    names: dict[str, Any] = {}
    exec(compile("def together(): ...", "<group>", "exec"), names)
    function = functools.partial(names["together"])
    with pytest.raises(ValueError, match=text) as caught:
        naming_lines(compiled, function, "In file {file}:{line}")()
    told = "".join(traceback.format_exception(caught.value))
    assert str(caught.value) == text
    assert ('File "<group>", line' in told) == (line is not None)
    assert line is None or f'File "<group>", line {line}' in told
