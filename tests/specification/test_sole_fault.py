"""A call that should raise is wrong in one way only, whichever way an implementation reads its arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.specification.check import check
from conformance.specification.loader import load_specs
from tests.specification.small import DOCUMENTS, changed

SPEC = """\
operation: scatter_nd
summary: Add updates into zeros.
arguments: {indices: {tensor: integer, into: shape}, updates: {tensor: any}, shape: {vector: integer}}
result: {shape: shape, dtype: updates.dtype, accumulates: true}
rules:
  integer:
    states: Indices are integers.
    cite: {json.page: [rank]}
    require: "indices.kind == 'integer'"
    keep: {int32: {call: {indices: {int32: [[1]]}, updates: {float32: [5]}, shape: [2]}}}
    break:
      bool:
        call: {indices: {bool: [[true], [true]]}, updates: {float32: [5, 7]}, shape: [2]}
        fix: {indices: {int32: [[1], [0]]}}
  tuple:
    states: The shape is a tuple.
    cite: {json.page: [rank]}
    require: "is_tuple(shape)"
    keep: {tuple: {call: {indices: {int32: [[1]]}, updates: {float32: [5]}, shape: [2]}}}
    break:
      tensor:
        call: {indices: {int64: [[1]]}, updates: {float32: [5]}, shape: {int64: [2]}}
        fix: {shape: [2]}
"""
ELEMENTS = """\
operation: gather_elements
summary: Collect elements.
arguments: {input: {tensor: any}, dim: {scalar: integer}, index: {tensor: integer, into: input, along: dim}}
result: {shape: index.shape, dtype: input.dtype}
rules:
  integer:
    states: Indices are integers.
    cite: {json.page: [rank]}
    require: "index.kind == 'integer'"
    keep: {int64: {call: {input: {float32: [5, 6]}, dim: 0, index: {int64: [1]}}}}
    break:
      bool:
        call: {input: {float32: [5, 6]}, dim: 0, index: {bool: [true, false]}}
        fix: {index: {int64: [1, 0]}}
"""


def _checked(folder: Path, spec: str) -> list[str]:
    (folder / "documents.yaml").write_text(DOCUMENTS)
    (folder / "operation.yaml").write_text(spec)
    return [str(problem) for problem in check(load_specs(folder))]


@pytest.mark.parametrize("spec", [SPEC, ELEMENTS])
def test_a_mask_of_the_right_shape_has_no_problem(tmp_path: Path, spec: str) -> None:
    assert _checked(tmp_path, spec) == []


@pytest.mark.parametrize(
    ("spec", "found", "replacement", "said"),
    [
        (SPEC, "7]}, shape: [2]", "7]}, shape: [4]", "needs one of shape [4, 1]"),
        (SPEC, "[true], [true]", "[true], [false]", "a mask selects as many positions as there are data if all are true"),
        (SPEC, "fix: {indices: {int32: [[1], [0]]}}", "fix: {indices: {int32: [[1]]}, updates: {float32: [5]}}",
         "indices is bool with shape [2, 1], but fix changes the shape too"),
        (SPEC, "int64: [[1]]", "int32: [[1]]", "shape is a tensor of int64, but indices has dtype int32"),
        (ELEMENTS, "call: {input: {float32: [5, 6]}, dim: 0, index: {bool", "call: {input: {float32: [5, 6, 7]}, dim: 0, index: {bool",
         "needs one of shape [3]"),
    ],
)  # fmt: skip
def test_what_an_implementation_may_reject_for_another_reason_is_reported(
    tmp_path: Path, spec: str, found: str, replacement: str, said: str
) -> None:
    [problem] = _checked(tmp_path, changed(spec, found, replacement))
    assert said in problem
