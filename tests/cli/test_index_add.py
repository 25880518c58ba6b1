"""A user's spec of an operation whose index selects slices along one axis, written from the docs alone."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from conformance.execution.repeat import PROCESSES
from conformance.findings.conditions import conditions_of
from conformance.reports.site.pictures import picture
from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord
from tests.cli.command import Done, conformance

DOCUMENTS = """\
documents:
  torch.index_add:
    title: "PyTorch API documentation: torch.index_add"
    official: true
    framework: torch
    describes: [torch.index_add]
    claims:
      adds: Slices of source, times alpha, are added to the slices of input that index selects along dim.
      duplicates: What goes to one slice is added up.
      index.rank: Index has one axis.
      index.range: An index is at least 0 and less than the length of input along dim.
      source.shape: Source has the shape of input, but along dim as many slices as index has elements.
"""
SPEC = """\
operation: index_add
summary: Copy a tensor and add the slices of a source to those that an index selects along one axis.

arguments:
  input: {tensor: any}
  dim: {scalar: integer}
  index: {tensor: integer, into: input, along: dim, selects: slices}
  source: {tensor: any}
  alpha: {scalar: number, optional: true}

result: {shape: input.shape, dtype: input.dtype, accumulates: "True"}

examples:
  rows:
    states: Two rows are added to rows of a matrix of ones.
    cite: {torch.index_add: [adds]}
    call: {input: {float32: "ones([4, 2])"}, dim: 0, index: {int64: [2, 0]}, source: {float32: [[1, 2], [4, 5]]}}
    returns: [[5, 6], [1, 1], [2, 3], [1, 1]]

rules:
  index-rank:
    states: Index has one axis.
    cite: {torch.index_add: [index.rank]}
    require: "index.rank == 1"
    keep:
      of-a-vector:
        call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [1, 0, 1]}, source: {int32: [1, 2, 4]}}
        returns: [12, 25]
    break:
      two-axes:
        call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [[1, 0]]}, source: {int32: [[1, 2]]}}
        fix: {index: {int64: [1, 0]}, source: {int32: [1, 2]}}
  index-range:
    states: An index is at least 0 and less than the length of input along dim.
    cite: {torch.index_add: [index.range]}
    require: "within(index, 0, input.shape[dim])"
    keep:
      first-and-last:
        call: {input: {int32: [10, 20, 30]}, dim: 0, index: {int64: [2, 0]}, source: {int32: [1, 2]}}
        returns: [12, 20, 31]
    break:
      minus-one:
        call:
          input: {int32: [[10, 20, 30], [40, 50, 60]]}
          dim: 1
          index: {int64: [1, -1, 0]}
          source: {int32: [[1, 2, 4], [5, 6, 7]]}
        fix: {index: {int64: [1, 2, 0]}}
  source-shape:
    states: Source has the shape of input, but along dim as many slices as index has elements.
    cite: {torch.index_add: [source.shape]}
    require: "source.shape == input.shape[:dim % input.rank] + index.shape + input.shape[dim % input.rank + 1:]"
    keep:
      dim-from-the-end:
        call:
          input: {int32: [[10, 20, 30], [40, 50, 60]]}
          dim: -1
          index: {int64: [2, 0]}
          source: {int32: [[1, 2], [3, 4]]}
        returns: [[12, 20, 31], [44, 50, 63]]
    break:
      one-row-for-two:
        call: {input: {int32: "ones([3, 2])"}, dim: 0, index: {int64: [2, 0]}, source: {int32: [[1, 2]]}}
        fix: {source: {int32: [[1, 2], [3, 4]]}}

behaviours:
  adds-up:
    states: What goes to one slice is added up, each slice of source times alpha.
    cite: {torch.index_add: [duplicates, adds]}
    cases:
      columns:
        call:
          input: {int32: [[10, 20, 30], [40, 50, 60]]}
          dim: 1
          index: {int64: [2, 0, 2]}
          source: {int32: [[1, 2, 4], [100, 200, 400]]}
        returns: [[12, 20, 35], [240, 50, 560]]
      times-alpha:
        call: {input: {int32: [10, 20, 30]}, dim: 0, index: {int64: [1, 1]}, source: {int32: [1, 4]}, alpha: 3}
        returns: [10, 35, 30]
"""
LAYOUT = """
axes: {before: 0..2, along: 1, after: 0..2, picked: 1}
layout:
  input: "before... along... after..."
  dim: rank(before)
  index: "picked..."
  source: "before... picked... after..."
drawn: adds-up
"""
REFERENCE = """\
import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "reference"}


@api("reference.index_add", operation="index_add", follows="torch.index_add")
def index_add(input, dim, index, source, alpha=1):
    axis = range(input.ndim)[dim]
    result = input.copy()
    for number, position in enumerate(index):
        if not 0 <= position < input.shape[axis]:
            raise IndexError(f"index {position}")
        result[(slice(None),) * axis + (position,)] += np.take(source, number, axis) * np.asarray(alpha, input.dtype)
    return result
"""
MINE = """\
import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "mine", "version": "1.0"}


@api("mine.index_add", operation="index_add", follows="torch.index_add")
def index_add(input, dim, index, source, alpha=1):
    axis = dim % input.ndim
    if index.ndim != 1 or source.shape != input.shape[:axis] + index.shape + input.shape[axis + 1 :]:
        raise ValueError("source has a slice for each element of index")
    if ((index < 0) | (index >= input.shape[axis])).any():
        raise IndexError("an index outside")
    result = input.copy()
    slices = np.moveaxis(result, axis, 0)
    np.add.at(slices, index, np.moveaxis(source, axis, 0) * np.asarray(alpha, input.dtype))
    return result
"""
ADDS_UP = "index_add.behaviour.adds-up"
COLUMNS = f"{ADDS_UP}/columns"


def _run(folder: Path, *options: str, layout: bool = True, adapter: str = MINE) -> Done:
    specs = folder / "specs"
    specs.mkdir()
    (specs / "documents.yaml").write_text(DOCUMENTS)
    (specs / "index_add.yaml").write_text(SPEC + LAYOUT * layout)
    (specs / "reference.py").write_text(REFERENCE)
    (folder / "mine.py").write_text(adapter)
    arguments = ("run", "./mine.py", "--here", "--specs", "specs", "-q", *options)
    return conformance(*arguments, cwd=folder, CONFORMANCE_HOME=str(folder / "home"))


def _read(folder: Path) -> Results:
    return read_results(folder / "conformance-report")


def _diverging(folder: Path) -> dict[str, ResultRecord]:
    return {result.case: result for result in _read(folder).results if result.verdict == "diverges"}


@pytest.fixture(scope="module", params=[True, False], ids=["with-a-layout", "without"])
def right(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[bool, Path, Done]:
    """Whether there is a layout, and a run of an adapter that is right."""
    folder = tmp_path_factory.mktemp("right")
    return request.param, folder, _run(folder, "--draws", "50", layout=request.param)


def test_a_right_adapter_conforms_and_there_are_all_four_reports(right: tuple[bool, Path, Done]) -> None:
    layout, folder, done = right
    assert done.status == 0, done.out + done.err
    results = _read(folder)
    assert results.complete
    # NumPy has neither bfloat16 nor float8, and the adapter does not convert their bits.
    others = {"bfloat16", "float8_e4m3fn", "float8_e5m2"}
    in_numpy = [one for one in results.results if others.isdisjoint(results.cases[one.case].dtypes.values())]
    assert {result.verdict for result in in_numpy} <= {"conforms", "observed"}
    assert sum("/draw." in result.case for result in results.results) == 200 * layout
    report = folder / "conformance-report"
    assert COLUMNS in results.cases
    assert "</html>" in (report / "index.html").read_text()
    tests = {(result.target, result.api, result.clause) for result in results.results}
    assert len(list(ElementTree.parse(report / "junit.xml").getroot().iter("testcase"))) == len(tests)
    assert "mine.py" in (report / "summary.md").read_text()


def test_the_spec_has_no_problems(right: tuple[bool, Path, Done]) -> None:
    _, folder, _ = right
    checked = conformance("check", "specs", "./mine.py", cwd=folder, CONFORMANCE_HOME=str(folder / "home"))
    assert checked.status == 0, checked.err


def test_calls_whose_index_selects_one_slice_twice_are_made_repeatedly(right: tuple[bool, Path, Done]) -> None:
    _, folder, _ = right
    results = {result.case: result for result in _read(folder).results}
    for case in (COLUMNS, f"{ADDS_UP}/times-alpha", "index_add.rule.index-rank/keep.of-a-vector"):
        determinism = results[case].determinism
        assert determinism is not None, case
        assert (determinism.repeats, determinism.permitted) == (1 + PROCESSES, True)
    assert results["index_add.example.rows/as-printed"].determinism is None


def test_what_index_selects_is_in_the_drawing_and_in_the_conditions(right: tuple[bool, Path, Done]) -> None:
    layout, folder, _ = right
    case = _read(folder).cases[COLUMNS]
    drawn = picture(case)
    assert drawn is not None
    if not layout:
        assert drawn["moves"] == []
        return
    assert drawn["moves"] == [[[0], [2, 5], [0, 3]], [[1], [0, 3], [1, 4]], [[2], [2, 5], [2, 5]]]
    axes = {part["name"]: [label for label, _ in part["axes"]] for part in drawn["parts"]}
    assert axes == {"index": ["picked"], "input": ["before", "along"], "source": ["before", "picked"]}
    assert {"every index in range", "duplicate indices", "along the last axis"} <= conditions_of(case, None, {}).keys()


DEFECTS = {
    "the-last-of-duplicates-counts": ("np.add.at(slices, index, ", "slices[index] += (", COLUMNS, "value"),
    "alpha-is-ignored": ("np.asarray(alpha, input.dtype)", "np.asarray(1, input.dtype)", f"{ADDS_UP}/times-alpha", "value"),
    "another-axis-for-a-dim-below-zero": (
        "axis = dim % input.ndim",
        "axis = max(dim, 0)",
        "index_add.rule.source-shape/keep.dim-from-the-end",
        "rejected",
    ),
    "an-index-below-zero-is-counted-from-the-end": (
        "((index < 0) | (index >= input.shape[axis])).any()",
        "(index >= input.shape[axis]).any()",
        "index_add.rule.index-range/break.minus-one",
        "accepted",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "wrong", "case", "kind"), DEFECTS.values(), ids=DEFECTS)
def test_a_defect_in_the_adapter_is_found(tmp_path: Path, text: str, wrong: str, case: str, kind: str) -> None:
    assert MINE.count(text) == 1
    assert _run(tmp_path, layout=False, adapter=MINE.replace(text, wrong)).status == 1
    result = _diverging(tmp_path)[case]
    assert (result.divergence, result.standing) == ([kind], "own")
    assert result.behaviour == ("wraps-negative" if kind == "accepted" else None)


def test_a_defect_is_found_by_draws_alone(tmp_path: Path) -> None:
    text, wrong, *_ = DEFECTS["the-last-of-duplicates-counts"]
    done = _run(tmp_path, "-k", "draw.", "--draws", "10", adapter=MINE.replace(text, wrong))
    assert done.status == 1
    assert {result.clause for result in _diverging(tmp_path).values()} == {ADDS_UP}
