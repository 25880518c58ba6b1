"""Programs of claims may use helpers, whose definitions stand above those that use them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cli.check_frameworks import run_checks
from conformance.specification.helpers import HELPERS, with_helpers
from conformance.specification.in_framework import framework_checks
from conformance.specification.loader import load_specs
from tests.specification.small import DOCUMENTS, changed, write_specs


def defined(name: str) -> Any:
    """The helper, as a program has it."""
    names: dict[str, Any] = {}
    exec(HELPERS[name], names)
    return names[name]


def failing() -> None:
    raise KeyError("k")


@pytest.mark.parametrize(
    ("error", "does"), [(KeyError, True), (LookupError, True), ((TypeError, KeyError), True)], ids=str
)
def test_a_call_is_refused_with_an_error_or_with_one_of_several(error: Any, does: bool) -> None:
    assert defined("refuses")(error, failing) is does


def test_a_call_that_returns_is_not_refused() -> None:
    assert defined("refuses")(Exception, lambda: None) is False


def test_another_error_than_the_named_one_is_raised() -> None:
    with pytest.raises(KeyError):
        defined("refuses")(TypeError, failing)


@dataclass
class OfTensorFlow:
    array: Any

    def numpy(self) -> Any:
        return self.array


@dataclass
class OfMindSpore:
    array: Any

    def asnumpy(self) -> Any:
        return self.array


@pytest.mark.parametrize("kind", [OfTensorFlow, OfMindSpore, lambda array: array])
def test_tensors_and_lists_with_the_same_elements_are_the_same(kind: Any) -> None:
    same, tensor = defined("same"), kind(np.array([[1.0, 2.0]]))
    assert same(tensor, [[1.0, 2.0]])
    assert same(tensor, tensor, [[1, 2]])
    assert not same(tensor, [1.0, 2.0])
    assert not same(tensor, tensor, [[1.0, 3.0]])
    assert not same([[1.0, 3.0]], tensor)


def test_a_program_gets_the_helpers_that_it_uses_and_no_other() -> None:
    assert with_helpers("assert True") == "assert True"
    text = with_helpers("assert refuses(TypeError, lambda: len(1))")
    assert text == HELPERS["refuses"] + "\nassert refuses(TypeError, lambda: len(1))"
    exec(text, {})


def _with_program(folder: Path, program: str) -> list[str]:
    claim = "program: |\n" + "".join(f"          {line}\n" for line in program.splitlines())
    documents = changed(
        DOCUMENTS,
        "{says: A picture shows it., untestable: It was lost.}",
        f"\n        says: It is so.\n        {claim}",
    )
    catalogue = load_specs(write_specs(folder, documents=documents))
    return [str(problem) for problem in run_checks(sys.executable, framework_checks(catalogue), {})]


def test_a_program_that_uses_helpers_is_run_with_them(tmp_path: Path) -> None:
    program = "assert refuses(ValueError, lambda: json.loads('{'))\nassert same(json.loads('[5]'), [5])"
    assert _with_program(tmp_path, program) == []


def test_the_line_of_the_program_that_another_error_comes_from_is_reported(tmp_path: Path) -> None:
    [problem] = _with_program(tmp_path, "assert refuses(TypeError, lambda: json.loads('{'))")
    assert "json.page#figure: \"assert refuses(TypeError, lambda: json.loads('{'))\" raises JSONDecodeError" in problem
