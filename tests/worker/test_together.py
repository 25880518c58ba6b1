"""The function of several calls that a mode compiles at once, without processes."""

from __future__ import annotations

import linecache
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.adapter import Api, Unsupported
from conformance.worker.adapters import Adapter
from conformance.worker.manner import PLAIN, Manner
from conformance.worker.prepared import PreparedFunctions
from conformance.worker.together import MOST_GROUPS, Groups, Made, Member

INDEX = np.array([2, 0])


def taken(data: Any, dim: int, index: Any) -> Any:
    return np.take(data, index, dim)


def increased(data: Any, by: int) -> Any:
    data += by
    return data


def raising(data: Any, by: int) -> Any:
    raise TypeError(f"cannot be traced with {data.shape} and {by}")


def lacking(data: Any, by: int) -> Any:
    raise Unsupported("no such form")


TAKE = Api("fake.take", "index_select", taken)
INCREASE = Api("fake.increase", "masked_fill", increased, in_place="data")
RAISE = Api("fake.raise", "masked_fill", raising)
LACK = Api("fake.lack", "masked_fill", lacking)


class Compiler:
    """Keeps the functions that it is given; what it returns calls them."""

    def __init__(self, run: Callable[..., Any] = lambda function, tensors: function(**tensors)) -> None:
        self.given: list[Any] = []
        self.called: list[dict[str, Any]] = []
        self._run = run

    def __call__(self, function: Any, mode: str) -> Callable[..., Any]:
        assert mode == "compile"
        self.given.append(function)

        def compiled(**tensors: Any) -> Any:
            self.called.append(tensors)
            return self._run(function, tensors)

        return compiled

    @property
    def source(self) -> list[str]:
        """The lines of the last function."""
        code = self.given[-1].func.__code__
        return [line.strip() for line in linecache.getlines(code.co_filename)]


def groups_of(compiler: Compiler, **namespace: Any) -> Groups:
    adapter = Adapter(
        "fake.py",
        [TAKE, INCREASE, RAISE],
        dict,
        lambda _device, _mode: None,
        lambda array, _dtype: array,
        lambda value: value,
        PreparedFunctions(compiler, "compile"),
        mode="compile",
        namespace=namespace,
    )
    return Groups(adapter)


def take(*, dim: int = 0, rows: int = 3, manner: Manner = PLAIN) -> Member:
    array = np.arange(rows * 3.0).reshape(rows, 3)
    return Member(TAKE, {"data": (array, "float64"), "dim": dim, "index": (INDEX, "int64")}, manner)


def increase(by: object = 1, manner: Manner = PLAIN) -> Member:
    return Member(INCREASE, {"data": (np.zeros(2), "float64"), "by": by}, manner)


def values(made: Made | None) -> Any:
    assert made is not None
    outcome, result = made
    assert outcome["status"] == "returned"
    assert result is not None
    return result[0].tolist()


def test_a_group_is_one_function_with_a_line_for_each_call_that_returns_all_results() -> None:
    compiler = Compiler()
    made, compiled = groups_of(compiler).made([take(dim=1), increase(5)])
    assert compiler.source == [
        "def together(a0_data, a0_index, a1_data):",
        "r0 = f0(data=a0_data, dim=1, index=a0_index)",
        "r1 = f1(data=a1_data, by=5)",
        "return (r0, r1,)",
    ]
    assert [values(one) for one in made] == [[[2, 0], [5, 3], [8, 6]], [5, 5]]
    assert compiled == 2


def test_each_call_has_memory_of_its_own_and_what_it_changes_is_its_own() -> None:
    member = increase()
    made, _ = groups_of(Compiler()).made([member, member])
    assert [values(one) for one in made] == [[1, 1], [1, 1]]
    assert [one[0]["changed"] for one in made if one is not None] == [["data"], ["data"]]
    assert member.arguments["data"][0].tolist() == [0, 0]


def test_constants_are_bound_and_numbers_may_be_arguments() -> None:
    compiler = Compiler()
    manner = Manner(passed={"data": "constant"})
    groups_of(compiler).made([take(manner=manner), increase(3, Manner(passed={"by": "argument"}))])
    assert [*compiler.given[-1].keywords] == ["a0_data"]
    assert {name: str(value) for name, value in compiler.called[-1].items()} == {
        "a0_index": "[2 0]", "a1_data": "[3. 3.]", "a1_by": "3"
    }  # fmt: skip


def test_a_call_whose_line_an_error_names_is_left_out_of_the_group() -> None:
    compiler = Compiler()
    made, compiled = groups_of(compiler).made([take(), Member(RAISE, increase().arguments, PLAIN), increase()])
    assert [one is None for one in made] == [False, True, False]
    assert compiled == 2
    assert len(compiler.given) == 2


def test_many_lines_that_a_compiler_does_not_take_are_found_without_compiling_the_group_for_each_of_them() -> None:
    size = 40
    traced: list[Any] = []

    def counted(data: Any, index: Any) -> Any:
        traced.append(data)
        if data.size % 2:
            raise TypeError("cannot be traced")
        return data[index]

    api = Api("fake.counted", "index_select", counted)
    members = [
        Member(api, {"data": (np.arange(4.0 + number), "float64"), "index": (INDEX, "int64")}, PLAIN)
        for number in range(size)
    ]
    made, compiled = groups_of(Compiler()).made(members)
    assert [values(one) for one in made[::2]] == [[2, 0]] * (size // 2)
    assert made[1::2] == [None] * (size // 2)
    assert compiled == size // 2
    assert len(traced) < 3 * size


def test_lines_that_are_not_taken_only_after_others_were_left_out_are_left_out_too() -> None:
    refused = [np.zeros(5), np.zeros(7), np.zeros(9), np.zeros(3)]

    def late(data: Any, by: int) -> Any:
        return data + by

    def compiled(function: Any, tensors: dict[str, Any]) -> Any:
        for array in refused:  # as of a compiler that names no line before it has read all of them
            names = [name for name, tensor in tensors.items() if tensor.shape == array.shape]
            if names:
                line = int(names[0].partition("_")[0][1:]) + 2
                raise TypeError(f'File "<{function.func.__module__}>", line {line}: not taken')
        return function(**tensors)

    api = Api("fake.late", "masked_fill", late)
    sizes = [3, 4, 5, 6, 7, 8, 9, 10]
    made, number = groups_of(Compiler(compiled)).made(
        [Member(api, {"data": (np.zeros(size), "float64"), "by": 1}, PLAIN) for size in sizes]
    )
    assert [one is None for one in made] == [size in (3, 5, 7, 9) for size in sizes]
    assert [values(one) for one in made if one] == [[1] * size for size in (4, 6, 8, 10)]
    assert number == 4


def test_a_compiler_may_name_the_line_in_words() -> None:
    def run(function: Any, tensors: dict[str, Any]) -> Any:
        file = function.func.__code__.co_filename
        if any("f1(data=a1_data, by=7)" in line for line in linecache.getlines(file)):
            raise RuntimeError("no code") from ValueError(f'File "{file}", line 3, in together')
        return function(**tensors)

    made, _ = groups_of(Compiler(run)).made([take(), increase(7), take()])
    assert [one is None for one in made] == [False, True, False]


def test_an_error_about_values_is_found_on_zeros_for_all_other_calls() -> None:
    def run(function: Any, tensors: dict[str, Any]) -> Any:
        if any(9.0 in tensor for tensor in tensors.values()):
            raise RuntimeError("found while it ran")
        return function(**tensors)

    compiler = Compiler(run)
    made, compiled = groups_of(compiler).made([take(), take(rows=4), increase()])
    assert [one is None for one in made] == [False, True, False]
    assert (compiled, len(compiler.given)) == (3, 1)
    assert values(made[0]) == [[6, 7, 8], [0, 1, 2]]


def test_an_error_that_nothing_explains_is_that_of_the_group() -> None:
    def run(function: Any, tensors: dict[str, Any]) -> Any:
        raise RuntimeError("no code for all of these")

    made, compiled = groups_of(Compiler(run)).made([take(), increase()])
    assert (made, compiled) == ([None, None], 0)


def test_a_call_is_taken_that_returns_without_being_compiled() -> None:
    compiler = Compiler()
    constant = take(manner=Manner(passed={"data": "constant"}))
    members = [take(), Member(RAISE, increase().arguments, PLAIN), constant, Member(LACK, increase().arguments, PLAIN)]
    assert groups_of(compiler).taken(members) == [
        True, False, True, {"status": "unsupported", "reason": "no such form"}
    ]  # fmt: skip
    assert compiler.given == []


def test_an_argument_that_is_no_literal_keeps_a_call_out() -> None:
    made, _ = groups_of(Compiler()).made([take(), increase(slice(1))])
    assert [one is None for one in made] == [False, True]


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -3, 2.5])
def test_any_number_can_be_written(number: float) -> None:
    made, _ = groups_of(Compiler()).made([increase(number)])
    assert np.array_equal(values(made[0]), [number, number], equal_nan=True)


def test_a_derivative_comes_with_the_result_of_the_call_itself() -> None:
    def vjp(function: Any, tensors: dict[str, Any], of: str, cotangent: Any) -> Any:
        return function(**tensors), cotangent + 1

    derivative = take(manner=Manner(transform=(("vjp", "data"),)))
    arguments = {**derivative.arguments, "seed_of_the_transform": (np.ones((2, 3)), "float64")}
    compiler = Compiler()
    made, _ = groups_of(compiler, vjp=vjp).made([Member(TAKE, arguments, derivative.manner), take()])
    assert compiler.source[-1] == "return (r0_0, r0_1, r1,)"
    assert values(made[0]) == [[2, 2, 2], [2, 2, 2]]
    assert made[0] is not None
    assert made[0][0]["forward"]["shape"] == [2, 3]


def test_a_group_is_compiled_once_for_the_same_forms_and_constants() -> None:
    compiler = Compiler()
    groups = groups_of(compiler)
    for _ in range(2):
        groups.made([take(), increase()])
    groups.made([take(rows=4), increase()])
    assert len(compiler.given) == 2


def test_groups_with_other_constants_are_other_groups() -> None:
    groups = groups_of(Compiler())
    manner = Manner(passed={"index": "constant"})
    for chosen in (0, 2):
        arguments = {**take().arguments, "index": (np.array([chosen]), "int64")}
        made, _ = groups.made([Member(TAKE, arguments, manner), increase()])
        assert values(made[0]) == [[chosen * 3.0, chosen * 3.0 + 1, chosen * 3.0 + 2]]


def test_groups_that_were_not_made_for_long_are_forgotten_with_their_modules() -> None:
    compiler = Compiler()
    groups = groups_of(compiler)
    for rows in range(3, 3 + MOST_GROUPS + 1):
        groups.made([take(rows=rows)])
    names = [function.func.__module__ for function in compiler.given]
    assert [name in sys.modules for name in names] == [False, *[True] * MOST_GROUPS]


def test_a_mode_that_does_not_take_a_group_before_it_is_called_makes_no_call_of_it() -> None:
    def refused(function: Any, mode: str) -> Any:
        raise RuntimeError("cannot be exported")

    groups = groups_of(Compiler())
    assert groups.adapter.prepared is not None
    before = {*sys.modules}
    groups.adapter.prepared._prepare_together = refused
    assert groups.made([take(), increase()]) == ([None, None], 0)
    assert {*sys.modules} <= before


def test_more_results_than_calls_are_given_to_none() -> None:
    """As from a mode that returns a tuple among the results as its members."""
    compiler = Compiler(lambda function, tensors: (np.zeros(3), *function(**tensors)))
    assert groups_of(compiler).made([take(), increase()]) == ([None, None], 0)


def test_a_call_takes_its_part_of_the_time_and_not_that_in_which_others_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def run(function: Any, tensors: dict[str, Any]) -> Any:
        now[0] += 4
        return function(**tensors)

    def read(value: Any) -> Any:
        now[0] += 1
        return value

    groups = groups_of(Compiler(run))
    groups = Groups(replace(groups.adapter, to_numpy=read))
    made, _ = groups.made([take(), increase(), increase(2), take(dim=1)])
    assert [one[0]["seconds"] for one in made if one is not None] == [2, 2, 2, 2]
