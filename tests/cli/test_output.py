"""A run replaces the results of an earlier one once its own are whole, and by default keeps both."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformance.app.output import open_output
from conformance.results.file import read_results
from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES

WORKS = """\
import os
import signal
import time

import numpy as np

from conformance.adapter import api


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    return np.take_along_axis(input, index, dim)
"""
FAILS_TO_START = "import nothing_of_this_name\n"


def run(folder: Path, source: str, *more: str) -> Done:
    (folder / "mine.py").write_text(source)
    few = ("--specs", FAKES / "specs", "-k", "lucky and not printed.")
    return conformance("run", "./mine.py", "--here", *few, *more, cwd=folder)


def interrupts(source: str) -> str:
    """An adapter that interrupts the run at its first call."""
    call = f"os.kill({os.getpid()}, signal.SIGINT) or time.sleep(600)"
    return source.replace("return np", f"{call}\n    return np")


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A folder with a whole run in ``out``."""
    assert run(tmp_path, WORKS, "-q", "--output", "out").status == 0
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_run_that_cannot_start_leaves_the_earlier_results(whole: Path) -> None:
    before = files(whole / "out")
    done = run(whole, FAILS_TO_START, "--output", "out")
    assert done.status == 6
    assert files(whole / "out") == before
    assert "out still has the results of 20" in done.err
    assert "those of this run are in out/unfinished" in done.err


def test_an_interrupted_run_leaves_them_and_replaces_them_once_it_is_resumed(whole: Path) -> None:
    before = files(whole / "out")
    interrupted = run(whole, interrupts(WORKS), "--output", "out")
    assert interrupted.status == 2
    assert files(whole / "out") == before
    assert "--resume out/unfinished\n" in interrupted.out
    resumed = run(whole, WORKS, "--resume", "out")
    assert resumed.status == 0
    assert read_results(whole / "out").complete
    assert files(whole / "out")["results.jsonl"] != before["results.jsonl"]
    assert not (whole / "out" / "unfinished").exists()
    assert "  out/index.html\n" in resumed.out


def test_a_whole_run_replaces_all_that_an_earlier_one_wrote(whole: Path) -> None:
    (whole / "out" / "counterexamples").mkdir()
    (whole / "out" / "counterexamples" / "old.yaml").write_text("old")
    (whole / "out" / "notes.txt").write_text("mine")
    assert run(whole, WORKS, "-q", "--gzip", "--output", "out").status == 0
    names = {
        "results.jsonl.gz",
        "conclusions.json",
        "index.html",
        "junit.xml",
        "summary.md",
        "behaviours.json",
        "badge.json",
        "notes.txt",
    }
    assert {path.name for path in (whole / "out").iterdir() if path.is_file()} == names


def test_an_output_folder_is_cleared_of_every_report_of_the_run_before(tmp_path: Path) -> None:
    run(tmp_path, WORKS, "-q", "--output", "out")
    (tmp_path / "out" / "api" / "gone").mkdir(parents=True)
    (tmp_path / "out" / "api" / "gone" / "index.html").write_text("<!doctype html>\n<!-- conformance -->")
    (tmp_path / "out" / "counterexamples").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    open_output(tmp_path / "out", quiet=True)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"results.jsonl", "notes.txt"}


def test_without_output_each_run_has_a_folder_and_a_link_points_to_the_last_whole_one(tmp_path: Path) -> None:
    run(tmp_path, WORKS, "-q")
    first = (tmp_path / "conformance-report").resolve()
    run(tmp_path, WORKS, "-q")
    second = (tmp_path / "conformance-report").resolve()
    failed = run(tmp_path, FAILS_TO_START)
    assert {first, second} < {*(tmp_path / "conformance-results").iterdir()}
    assert read_results(first).complete
    assert (tmp_path / "conformance-report").resolve() == second
    assert "conformance-report still has the results of 20" in failed.err


def test_no_link_points_to_a_first_run_that_is_interrupted_until_it_was_resumed(tmp_path: Path) -> None:
    interrupted = run(tmp_path, interrupts(WORKS))
    assert interrupted.status == 2
    assert "still has the results of" not in interrupted.err
    assert not (tmp_path / "conformance-report").is_symlink()
    [folder] = (tmp_path / "conformance-results").iterdir()
    assert f"--resume conformance-results/{folder.name}\n" in interrupted.out
    resumed = run(tmp_path, WORKS, "--resume", f"conformance-results/{folder.name}")
    assert resumed.status == 0
    assert (tmp_path / "conformance-report").resolve() == folder
    assert read_results(tmp_path / "conformance-report").complete


def test_a_first_run_whose_target_does_not_start_leaves_no_link(tmp_path: Path) -> None:
    failed = run(tmp_path, FAILS_TO_START)
    assert "still has the results of" not in failed.err
    assert not (tmp_path / "conformance-report").is_symlink()


def test_results_in_a_folder_of_the_default_name_that_is_no_link_are_replaced_there(tmp_path: Path) -> None:
    assert run(tmp_path, WORKS, "-q", "--output", "conformance-report").status == 0
    assert run(tmp_path, WORKS, "-q").status == 0
    assert not (tmp_path / "conformance-report").is_symlink()
    assert not (tmp_path / "conformance-results").exists()
