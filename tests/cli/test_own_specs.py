"""Specs of a user's own, beside those of the suite."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.data_folders import specs_folder
from conformance.results.file import read_results
from tests.cli.command import conformance


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a copy of one of the suite's specs, one of whose relations calls another operation."""
    (tmp_path / "mine").mkdir()
    shutil.copy(specs_folder() / "gather_nd.yaml", tmp_path / "mine")
    return tmp_path


def test_the_relations_of_a_copied_spec_call_operations_of_the_suite(folder: Path) -> None:
    run = ("run", "reference", "--here", "--specs", "mine", "gather_nd.relation.inverse")
    done = conformance(*run, cwd=folder)
    assert done.status == 0, done.err
    results = read_results(folder / "conformance-report").results
    assert {result.verdict for result in results} == {"conforms"}


def test_ids_of_the_suite_select_its_cases_beside_ones_own(folder: Path) -> None:
    example = "scatter_nd.example.insert-four-scalars/as-printed"
    own = "gather_nd.relation.inverse/scalars"
    done = conformance("run", "reference", "--here", "--specs", "mine", example, own, cwd=folder)
    assert done.status == 0, done.err
    clauses = {result.clause for result in read_results(folder / "conformance-report").results}
    assert clauses == {"scatter_nd.example.insert-four-scalars", "gather_nd.relation.inverse"}


def test_without_a_selection_only_ones_own_cases_are_run(folder: Path) -> None:
    done = conformance("run", "reference", "--here", "--specs", "mine", "-k", "example", cwd=folder)
    assert done.status == 0, done.err
    results = read_results(folder / "conformance-report")
    assert {case.operation for case in results.cases.values()} == {"gather_nd"}
