"""Where no document says which dtype a result has, any that holds its elements is right, and other elements are wrong in each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.expectations import Returns, ReturnsBatch
from conformance.cases.model import Case
from conformance.judging.judge import judge
from conformance.judging.subject import Subject
from conformance.outcomes.observation import Observation
from conformance.specification.literals import tensor
from tests.cli.command import conformance
from tests.execution.harness import fake_cases
from tests.outcomes import abstract, returned_value

OWN = Subject("own", None, immutable=False, error_types=True)
DOCUMENTS = """\
documents:
  mine.count:
    title: A page about a function that does not exist
    official: true
    framework: mine
    describes: [mine.count]
    claims:
      example: The ones, twos and zeros of four numbers are counted.
"""
SPEC = """\
operation: count
summary: Count how often each number occurs.
arguments:
  numbers: {tensor: integer}
  length: {scalar: integer}
result: {shape: "(length,)", dtype: undocumented}
examples:
  of-four:
    states: The ones, twos and zeros of four numbers are counted.
    cite: {mine.count: [example]}
    call: {numbers: {int64: [2, 0, 2, 1]}, length: 3}
    returns: [1, 1, 2]
"""
ADAPTER = """\
import numpy as np
from conformance.adapter import api

def version():
    return "1"

def to_native(array, dtype):
    return array

def to_numpy(array):
    return array

@api("mine.count", operation="count")
def count(numbers, length):
    return np.bincount(numbers, minlength=length).astype("{dtype}"){wrong}
"""


def _case(expectation: Returns | ReturnsBatch) -> Case:
    case = fake_cases()[0]
    operation = replace(case.call.operation, result_dtype=None)
    return replace(case, call=replace(case.call, operation=operation), expectation=expectation)


def _kinds(dtype: str, values: Any) -> list[str]:
    result = tensor(dtype, values)
    expected = Returns(tensor("int64", [1, 300]), accumulates=False)
    return [*judge(_case(expected), OWN, Observation(returned_value(result), result)).divergences]


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint16", "float32", "float64", "complex64"])
def test_the_same_elements_in_any_dtype_that_holds_them_conform(dtype: str) -> None:
    assert _kinds(dtype, [1, 300]) == []


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_other_elements_or_another_shape_are_wrong_in_each_dtype(dtype: str) -> None:
    assert _kinds(dtype, [1, 299]) == ["value"]
    assert _kinds(dtype, [[1, 300]]) == ["shape"]


def test_a_dtype_that_does_not_hold_the_elements_is_wrong() -> None:
    assert _kinds("uint8", [1, 44]) == ["dtype"]
    assert _kinds("bool", [True, True]) == ["dtype"]


def test_a_batch_may_have_any_dtype_too() -> None:
    value, result = tensor("int64", [[1], [2]]), tensor("float32", [[1], [2]])
    each = tuple((tensor("int64", row),) for row in ([1], [2]))
    judgement = judge(_case(ReturnsBatch(value, each)), OWN, Observation(returned_value(result), result))
    assert judgement.verdict == "conforms"


def test_a_mode_without_values_may_say_any_dtype() -> None:
    expected = Returns(tensor("int64", [1, 2]), accumulates=False)
    assert judge(_case(expected), OWN, Observation(abstract("int32", (2,)))).verdict == "conforms"


@pytest.mark.parametrize(("dtype", "wrong"), [("float32", ""), ("int32", ""), ("int32", " + 1")])
def test_a_run_of_such_a_spec_blames_values_and_no_dtype(tmp_path: Path, dtype: str, wrong: str) -> None:
    folder = tmp_path / "count"
    folder.mkdir()
    (folder / "documents.yaml").write_text(DOCUMENTS)
    (folder / "count.yaml").write_text(SPEC)
    (tmp_path / "adapter.py").write_text(ADAPTER.replace("{dtype}", dtype).replace("{wrong}", wrong))
    done = conformance("run", "./adapter.py", "--here", "--specs", "count", cwd=tmp_path)
    assert ("returns other values (3 results)" in done.out) == bool(wrong), done.out + done.err
    assert "3 results in" in done.out
