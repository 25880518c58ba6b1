"""Derived cases that the spec's own rules, or the dtype itself, make impossible are left out; others that fail are errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from conformance.cases.build import build_sound_cases
from conformance.cases.reference import ReferenceFailed
from conformance.cases.variants.dtypes import dtype_cases
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from tests.specification.small import changed, write_specs

SPEC = """\
operation: index_add
summary: Copy a tensor and add scaled rows.
arguments:
  input: {tensor: any}
  dim: {scalar: integer}
  index: {tensor: integer}
  source: {tensor: any}
  alpha: {scalar: number, optional: true}
result: {shape: input.shape, dtype: input.dtype, accumulates: true}
examples:
  subtract:
    states: Two rows are subtracted.
    cite: {json.page: [example.1]}
    call: {input: {float32: [5, 5, 5]}, dim: -1, index: {int64: [0, 2]}, source: {float32: [1, 2]}, alpha: -1}
    returns: [4, 5, 3]
rules:
  index-dtype:
    states: An index is int32 or int64.
    cite: {json.page: [rank]}
    require: "index.dtype in ['int32', 'int64']"
    keep: {int32: {call: {input: {float32: [5]}, dim: 0, index: {int32: [0]}, source: {float32: [1]}}}}
    break:
      int8:
        call: {input: {float32: [5]}, dim: 0, index: {int8: [0]}, source: {float32: [1]}}
        fix: {index: {int32: [0]}}
"""
EXAMPLE = "index_add.example.subtract/as-printed."


def reference(call: Applied) -> Tensor:
    """index_add of one axis that takes the dtypes that the spec says."""
    given, index, source = (call.arguments[name] for name in ("input", "index", "source"))
    assert isinstance(given, Tensor)
    assert isinstance(index, Tensor)
    assert isinstance(source, Tensor)
    if index.dtype not in ("int32", "int64"):
        raise ReferenceFailed("the reference raised TypeError: an index is int32 or int64")
    alpha = call.arguments.get("alpha", 1)
    if given.dtype.startswith("uint") and alpha == -1:
        raise ReferenceFailed("the reference raised OverflowError: -1")
    result = given.array.copy()
    np.add.at(result, index.array, (np.asarray(alpha).astype(result.dtype) * source.array).astype(result.dtype))
    return Tensor(given.dtype, result, None)


def _refuses_int16(call: Applied) -> Tensor:
    if any(isinstance(value, Tensor) and value.dtype == "int16" for value in call.arguments.values()):
        raise ReferenceFailed("the reference raised ValueError: int16")
    return reference(call)


def test_dtypes_that_a_rule_refuses_or_that_cannot_hold_a_number_are_left_out(tmp_path: Path) -> None:
    catalogue = load_specs(write_specs(tmp_path / "specs", spec=SPEC))
    cases, problems = build_sound_cases(catalogue, reference, sources=[dtype_cases])
    assert problems == []
    names = {case.id.removeprefix(EXAMPLE) for case in cases if case.id.startswith(EXAMPLE)}
    assert {"int8", "int64", "float64", "index-int32"} <= names
    assert not names & {"uint8", "uint64", "bool", "index-int8", "index-uint8"}


def test_a_number_that_is_no_data_does_not_restrict_the_dtypes(tmp_path: Path) -> None:
    spec = changed(changed(SPEC, ", alpha: -1", ""), "returns: [4, 5, 3]", "returns: [6, 5, 7]")
    cases, _ = build_sound_cases(load_specs(write_specs(tmp_path, spec=spec)), reference, sources=[dtype_cases])
    assert EXAMPLE + "uint8" in {case.id for case in cases}, "dim is -1 there too"


def test_a_reference_that_fails_on_a_derived_call_that_keeps_every_rule_is_a_problem(tmp_path: Path) -> None:
    catalogue = load_specs(write_specs(tmp_path, spec=SPEC))
    _, problems = build_sound_cases(catalogue, _refuses_int16, sources=[dtype_cases])
    assert [(problem.case, problem.message) for problem in problems if problem.case == EXAMPLE[:-1]] == [
        (EXAMPLE[:-1], f"{EXAMPLE}int16: the reference raised ValueError: int16")
    ]


def test_a_rule_on_the_dtypes_of_data_that_the_reference_holds_to_is_no_problem(tmp_path: Path) -> None:
    """Whether sums are exact is asked of the reference in float64, which it refuses here too."""

    def only_narrow(call: Applied) -> Tensor:
        if call.broken_rules:
            raise ReferenceFailed("the reference raised TypeError")
        return reference(call)

    spec = changed(
        SPEC,
        "index.dtype in ['int32', 'int64']",
        "input.dtype in ['float32', 'int32'] and index.dtype in ['int32', 'int64']",
    )
    spec = changed(spec, "{float32: [5]}, dim: 0, index: {int8: [0]}", "{int16: [5]}, dim: 0, index: {int32: [0]}")
    spec = changed(spec, "fix: {index: {int32: [0]}}", "fix: {input: {int32: [5]}}")
    _, problems = build_sound_cases(load_specs(write_specs(tmp_path, spec=spec)), only_narrow, sources=[dtype_cases])
    assert problems == []
