from __future__ import annotations

from pathlib import Path

import pytest

from conformance.specification.check import check
from conformance.specification.loader import load_specs

HEAD = """
operation: gather_elements
summary: Take elements of a tensor along an axis.
arguments: {input: {tensor: any}, dim: {scalar: integer}, index: {tensor: integer}}
result: {shape: index.shape, dtype: input.dtype}
rules:
  within:
    states: Indices lie inside.
    cite: [fake.gather#example.3]
    require: "within(index, 0, input.shape[dim])"
    keep: {a: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [0]}}}}
    break: {b: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [2]}}, fix: {index: {int64: [1]}}}}
  rank:
    states: Ranks agree.
    cite: [fake.gather#example.3]
    require: "index.rank == input.rank"
    keep: {a: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [0]}}}}
    break: {b: {call: {input: {int32: [1, 2]}, dim: 0, index: {int64: [[1]]}}, fix: {index: {int64: [1]}}}}
"""


def _checked(folder: Path, found: str, replacement: str) -> list[str]:
    assert found in HEAD
    (folder / "documents.yaml").write_text((Path(__file__).parent.parent / "fakes/specs/documents.yaml").read_text())
    (folder / "a.yaml").write_text(HEAD.replace(found, replacement, 1))
    return [str(problem) for problem in check(load_specs(folder))]


def test_the_suites_own_specs_agree_with_themselves() -> None:
    assert check(load_specs()) == []


def test_rules_with_fitting_calls_have_no_problem(tmp_path: Path) -> None:
    assert _checked(tmp_path, "operation", "operation") == []


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ("index: {int64: [0]}", "index: {int64: [5]}", "should keep every rule but breaks within"),
        ("index: {int64: [2]}", "index: {int64: [1]}", "should break within but keeps it"),
        ("index: {int64: [2]}", "index: {int64: [[2]]}", "breaks rank besides"),
        ("fix: {index: {int64: [1]}}", "fix: {index: {int64: [3]}}", "its control, as fixed, should keep every rule"),
        (
            '    require: "index.rank',
            '    implies: [within]\n    require: "index.rank',
            "declares that it implies within",
        ),
    ],
)
def test_a_call_that_does_not_do_what_it_is_there_for_is_told(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    problems = _checked(tmp_path, found, replacement)
    assert any(said in problem and "a.yaml:" in problem for problem in problems), problems
