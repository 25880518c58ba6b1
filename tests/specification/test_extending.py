"""A call may say of itself only what sets it apart from another one of its clause."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.specification.loader import load_specs
from conformance.specification.model import Behaves, Observed, Raises, WrittenCall
from conformance.specification.problems import SpecError
from tests.specification.small import SPEC, write_specs

CASES = """\
behaviours:
  outside:
    states: An index outside is an error.
    cite: {json.page: [example.2]}
    cases:
      at-the-size:
        call: {input: {int32: [10, 20, 30]}, dim: 0, index: {int64: [0, 3]}}
        raises: IndexError
        fix: {index: {int64: [0, 2]}}
        note: the first one
"""


def _written_calls(folder: Path, *cases: str) -> dict[str, WrittenCall]:
    spec = SPEC.replace("index: {tensor: integer}", "index: {tensor: integer, into: input, along: dim}")
    text = spec + CASES + "".join(f"      {case}\n" for case in cases)
    operation = load_specs(write_specs(folder, spec=text)).operations["gather_elements"]
    [clause] = [clause for clause in operation.clauses if clause.family == "behaviour"]
    return {written_call.name: written_call for written_call in clause.written_calls}


def test_a_call_has_what_it_does_not_say_from_the_one_that_it_is_like(tmp_path: Path) -> None:
    written_calls = _written_calls(tmp_path, "past: {extends: at-the-size, call: {index: {int64: [0, 4]}}}")
    first, second = written_calls["at-the-size"], written_calls["past"]
    assert second.call.arguments["index"].array.tolist() == [0, 4]  # type: ignore[union-attr] # a tensor
    assert second.call.arguments["dim"] == 0
    assert (second.expected, second.fixed is not None) == (Raises("IndexError"), True)
    assert (first.note, second.note) == ("the first one", None)


def test_what_comes_of_a_call_is_taken_over_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    written_calls = _written_calls(
        tmp_path,
        "open: {extends: at-the-size, call: {index: {int64: [0, -1]}}, observed: nobody says}",
        "told: {extends: at-the-size, call: {}, on: {cpu: {raises: true}, gpu: {behaviour: fills}}}",
    )
    assert written_calls["open"].expected == Observed("nobody says")
    assert written_calls["told.cpu"].expected == Raises()
    assert written_calls["told.gpu"].expected == Behaves("fills")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (
            "past: {extends: at-the-sice, call: {}}",
            "'at-the-sice' is not a call of this clause; did you mean 'at-the-size'?",
        ),
        ("past: {extends: past, call: {}}", "'past' itself extends another call"),
    ],
)
def test_a_call_that_is_like_none_is_told(tmp_path: Path, case: str, said: str) -> None:
    with pytest.raises(SpecError) as raised:
        _written_calls(tmp_path, case)
    assert said in str(raised.value)


def test_indices_that_point_into_no_argument_are_told(tmp_path: Path) -> None:
    text = SPEC.replace("index: {tensor: integer}", "index: {tensor: integer, into: inputs}")
    with pytest.raises(SpecError, match=r"undefined argument 'inputs'; did you mean 'input'\?"):
        load_specs(write_specs(tmp_path, spec=text))
