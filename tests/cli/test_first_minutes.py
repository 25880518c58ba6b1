"""What a newcomer sees first: a quick run, portability in a few lines, and the script that the run offers."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from conformance.results.file import read_results
from conformance.results.variations import WrittenRecord, is_meant_to_break
from tests.cli.command import Done, conformance

ADAPTER = """\
import numpy as np

from conformance.adapter import api


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], np.clip(index, 0, input.shape[dim] - 1), dim)


@api("mine.scatter", operation="scatter_nd", composed=True)
def scatter(indices, updates, shape):
    result = np.zeros(tuple(int(length) for length in shape), updates.dtype)
    np.add.at(result, tuple(np.moveaxis(indices, -1, 0)), updates)
    return result
"""
REPORT = "conformance-report"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first")
    (folder / "mine.py").write_text(ADAPTER)
    return folder


@pytest.fixture(scope="module")
def quick(folder: Path) -> Done:
    return conformance("run", "./mine.py", "--here", "--quick", "--output", "quick", cwd=folder)


def test_a_quick_run_makes_only_the_calls_that_documents_print(quick: Done, folder: Path) -> None:
    assert quick.status == 0, quick.err
    results = read_results(folder / "quick")
    assert {results.clauses[result.clause].family for result in results.results} == {"example"}
    assert {type(case.variation) for case in results.cases.values()} == {WrittenRecord}
    assert all(result.determinism is None for result in results.results)


def test_portability_is_said_by_what_it_means(quick: Done) -> None:
    assert "./mine.py@cpu: clamps an index out of bounds (1 result)" in quick.out


def test_the_command_that_the_run_offers_prints_a_script_of_the_finding(quick: Done, folder: Path) -> None:
    *_, command = quick.out.splitlines()
    program, *words = shlex.split(command)
    assert (program, words[0]) == ("conformance", "repro")
    done = conformance(*words, cwd=folder)
    assert done.status == 0, done.err
    assert "expected RuntimeError, but the index was clamped" in done.out


def test_every_divergence_is_listed_with_verbose(quick: Done, folder: Path) -> None:
    done = conformance("report", "-v", "quick", cwd=folder)
    assert "gather_elements.example.index-past-the-end: accepted in 1 of 1 case" in done.out
    assert "accepted in" not in quick.out


def test_a_rule_about_the_shape_is_not_held_against_a_composed_api(folder: Path) -> None:
    run = ("run", "./mine.py", "--here", "-q", "scatter_nd.rule.shape-tuple", "--fail-on", "any")
    assert conformance(*run, cwd=folder).status == 0
    results = read_results(folder / REPORT)
    breaking = {case.id for case in results.cases.values() if is_meant_to_break(case.variation)}
    broken = {result.verdict for result in results.results if result.case in breaking}
    assert broken == {"unsupported"}
