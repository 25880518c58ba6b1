"""What a transform computes is held to the documentation that ships with the transform."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.documentation.words import hash_of
from conformance.results.records import ResultRecord
from conformance.specification.loader import load_specs
from tests.execution.harness import run_adapters
from tests.specification.small import DOCUMENTS, SPEC, changed, write_specs

SENTENCE = "It returns the product of the cotangent and the derivative"
TRANSFORMS = """\
  json.vjp:
    title: The documentation of a derivative
    official: true
    framework: json
    describes: [json.vjp]
    claims:
      product:
        says: It returns the product.
        transform: vjp
"""
RESTS = [f"json.vjp claims product json.vjp {hash_of(SENTENCE)}"]
ADAPTER = """\
import os

import numpy as np

from conformance.adapter import api, hook


class json:
    vjp = property(doc={documentation!r})


def describe():
    return {{"framework": "json", "version": "1.0"}}


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    return {gather}


{decorated}def vjp(function, tensors, of, cotangent):
    result = function(**tensors)
    {does}
"""
OUTSIDE = """
  range:
    states: An index is at least 0 and less than the length of the axis.
    cite: {json.page: [rank]}
    require: "within(index, 0, input.shape[dim])"
    keep: {inside: {call: {input: {float32: [10, 20]}, dim: 0, index: {int64: [1]}}}}
    break:
      minus-one:
        call: {input: {float32: [10, 20, 30]}, dim: 0, index: {int64: [1, -1]}}
        fix: {index: {int64: [1, 2]}}
"""
HOOK = '@hook("json.vjp")\n'
RIGHT = "derivative = np.zeros_like(tensors[of])\n    np.add.at(derivative, tensors['index'], cotangent)\n"
WRONG = "return result, np.full_like(tensors[of], 7)"


def derivative(
    folder: Path,
    does: str,
    *,
    decorated: str = HOOK,
    documentation: str = f"{SENTENCE}.",
    of: str = "gather_elements.example.backwards/as-printed",
    gather: str = "np.take_along_axis(input, index, dim)",
) -> ResultRecord:
    """The result of the only derivative of a call."""
    spec = changed(SPEC, "{int32: [10, 20, 30]}", "{float32: [10, 20, 30]}") + OUTSIDE
    spec = changed(spec, "index: {tensor: integer}", "index: {tensor: integer, into: input, along: dim}")
    specs = load_specs(write_specs(folder / "specs", documents=DOCUMENTS + TRANSFORMS, spec=spec, rests=RESTS))
    cases = build_cases(specs, load_reference(adapters_folder() / "reference" / "adapter.py"))
    [case] = [case for case in cases if case.id == f"{of}.vjp.input"]
    adapter = folder / "json.py"
    adapter.write_text(ADAPTER.format(does=does, decorated=decorated, documentation=documentation, gather=gather))
    [result] = run_adapters(folder, [adapter], cases=[case], documents=specs.documents).results
    return result


def test_a_wrong_derivative_breaks_the_documentation_of_the_transform(tmp_path: Path) -> None:
    result = derivative(tmp_path, WRONG)
    assert (result.verdict, result.divergence, result.standing) == ("diverges", ["value"], "own")
    assert str(result.explanation).endswith("json.vjp#product says what it computes")


def test_a_right_derivative_conforms_to_it(tmp_path: Path) -> None:
    result = derivative(tmp_path, f"{RIGHT}    return result, derivative")
    assert (result.verdict, result.standing) == ("conforms", "own")


def test_that_a_transform_takes_no_such_call_does_not_break_it(tmp_path: Path) -> None:
    result = derivative(tmp_path, "raise NotImplementedError('no derivative')")
    assert (result.divergence, result.standing) == (["rejected"], "portability")


@pytest.mark.parametrize(
    ("decorated", "documentation"), [("", f"{SENTENCE}."), (HOOK, "It returns something."), (HOOK, "")]
)
def test_without_the_sentence_it_is_a_matter_of_portability(tmp_path: Path, decorated: str, documentation: str) -> None:
    result = derivative(tmp_path, WRONG, decorated=decorated, documentation=documentation)
    assert (result.divergence, result.standing) == (["value"], "portability")
    assert "json.vjp" not in str(result.explanation)


def test_a_transform_promises_nothing_of_a_call_that_no_document_lets_return(tmp_path: Path) -> None:
    outside = "gather_elements.rule.range/break.minus-one"
    result = derivative(tmp_path, WRONG, of=outside)
    assert (result.verdict, result.standing) == ("diverges", "portability")
    assert "json.vjp" not in str(result.explanation)


def test_a_result_that_is_wrong_only_under_the_transform_is_shown(tmp_path: Path) -> None:
    result = derivative(tmp_path, f"{RIGHT}    return result + 1, derivative")
    assert (result.verdict, result.divergence) == ("diverges", ["value"])
    shown = "which is no permitted result, so that its derivative shows nothing"
    assert f"{shown}; without the transform, the call itself is right" in str(result.explanation)


def test_a_result_that_is_wrong_without_the_transform_too_is_shown_by_the_case_without_it(tmp_path: Path) -> None:
    result = derivative(
        tmp_path, f"{RIGHT}    return result, derivative", gather="np.take_along_axis(input, index, dim) + 1"
    )
    assert (result.verdict, result.divergence) == ("blocked", [])


DIES = "os.kill(os.getpid(), 11)"


def test_a_derivative_of_a_call_that_ends_the_process_by_itself_shows_nothing(tmp_path: Path) -> None:
    result = derivative(tmp_path, f"{RIGHT}    return result, derivative", gather=DIES)
    assert result.verdict == "blocked"
    assert "the call itself does so without the transform too" in str(result.explanation)


def test_a_derivative_that_ends_the_process_where_the_call_returns_died(tmp_path: Path) -> None:
    assert derivative(tmp_path, DIES).verdict == "died"
