"""``conformance check`` over specs whose published cases change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.app import loading
from conformance.cases.store.listing import FILE_NAME
from conformance.cli.check import _check_epoch
from conformance.data_folders import PROGRAMS, VARIABLE, adapters_folder, specs_folder
from conformance.specification.epoch import EPOCH
from conformance.specification.loader import load_specs
from conformance.specification.problems import Problem
from tests.cli.command import Done, conformance, conformance_process
from tests.specification.small import SPEC, changed, write_specs

TARGET = (adapters_folder() / "reference" / "target.toml").read_bytes()
ADAPTER = """
import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "reference", "version": "1"}


def to_native(array, dtype):
    import ml_dtypes

    return array.view(ml_dtypes.bfloat16) if dtype == "bfloat16" else array


def to_numpy(value):
    return (value.view(np.uint16), "bfloat16") if value.dtype.name == "bfloat16" else value


@api("reference.gather", operation="gather_elements")
def gather(input, dim, index):
    return np.take_along_axis(input, index, dim)
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the data of a suite with one spec, whose cases are published."""
    (tmp_path / "adapters" / "reference").mkdir(parents=True)
    (tmp_path / "adapters" / "reference" / "adapter.py").write_text(ADAPTER)
    (tmp_path / "adapters" / "reference" / "target.toml").write_bytes(TARGET)
    programs = (specs_folder() / PROGRAMS).read_bytes()
    write_specs(tmp_path / "specs")
    (tmp_path / "specs" / PROGRAMS).write_bytes(programs)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    assert publish() == "epoch 1: 4 new cases"
    return tmp_path


def publish() -> str:
    return _check_epoch(load_specs(), [], update=True)


def check(suite: Path, *options: str) -> Done:
    """In a process of its own, since one knows one suite."""
    return conformance_process("check", *options, cwd=suite)


def test_a_changed_expectation_is_refused_until_the_epoch_is_raised(suite: Path) -> None:
    write_specs(suite / "specs", spec=changed(SPEC, "[30, 20, 10, 10]", "[30, 20, 10, 20]").replace("0, 0]}", "0, 1]}"))
    done = check(suite)
    assert done.status == 4
    assert f"specs/{EPOCH}:1: not the published cases of epoch 1 (other call or expectation:" in done.err
    assert "gather_elements.example.backwards/as-printed" in done.err
    assert publish() == "epoch 2: other call or expectation: gather_elements.example.backwards/as-printed; 0 new cases"
    problems: list[Problem] = []
    assert _check_epoch(load_specs(), problems, update=False) == "epoch 2, 4 published cases"
    assert problems == []


def test_the_epoch_of_specs_with_another_problem_is_not_written(suite: Path) -> None:
    before = (suite / "specs" / EPOCH).read_bytes()
    write_specs(suite / "specs", spec=changed(SPEC, "[30, 20, 10, 10]", "[30, 20, 10]"))
    done = check(suite, "--update-epoch")
    assert (done.status, "example.backwards" in done.err) == (4, True)
    assert (suite / "specs" / EPOCH).read_bytes() == before


def test_a_users_specs_have_no_epoch_to_update(tmp_path: Path) -> None:
    done = conformance("check", "--update-epoch", write_specs(tmp_path / "own"), cwd=tmp_path)
    assert done.status == 4
    assert "--update-epoch is about the suite's own specs" in done.err


def test_what_is_stored_of_specs_is_not_used_after_their_epoch_was_raised(suite: Path) -> None:
    assert loading.suite().catalogue.epoch == 1
    file = suite / "specs" / EPOCH
    file.write_text(file.read_text().replace("epoch 1", "epoch 7"))
    assert load_specs().epoch == loading.suite().catalogue.epoch == 7


def test_a_check_writes_the_listing_of_the_suites_cases_and_takes_it_as_a_proof(suite: Path) -> None:
    done = check(suite, "--update-listing")
    assert done.status == 0, done.err
    assert "ok: specs/listing.json, " in done.out
    assert "passed before" not in done.out
    shutil.rmtree(suite / "home")
    again = check(suite)
    assert "the calls of 1 operation passed before and have not changed" in again.out


def test_the_listing_of_specs_with_a_problem_is_not_written(suite: Path) -> None:
    write_specs(suite / "specs", spec=changed(SPEC, "[30, 20, 10, 10]", "[30, 20, 10]"))
    assert check(suite, "--update-listing").status == 4
    assert not (suite / "specs" / FILE_NAME).exists()
