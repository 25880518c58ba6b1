"""Scripts for every cause of a run, stored in its results and shown on its page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES, WRONG_ADAPTERS

SPECS = FAKES / "specs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    adapters = [WRONG_ADAPTERS / "misbehaving.py", WRONG_ADAPTERS / "in_company.py"]
    words = ("--here", "--specs", SPECS, "-q", "--timeout", "1", "-k", "not as-printed.")
    conformance("run", *adapters, *words, "--output", "out", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def done(folder: Path) -> Done:
    return repro_all(folder)


def repro_all(folder: Path, *words: str) -> Done:
    given = ("--all", "--results", "out", "--here", "--specs", SPECS, "--timeout", "1")
    return conformance("repro", *given, *words, cwd=folder)


@pytest.fixture(scope="module")
def results(folder: Path, done: Done) -> Results:
    assert done.status == 0, done.err
    return read_results(folder / "out")


def test_each_own_divergence_death_and_hang_has_a_script_that_was_run(results: Results) -> None:
    scripts = {one.api for one in results.results if one.script is not None}
    assert scripts >= {"fake.mutate", "fake.segfault", "fake.exit", "fake.hang", "fake.steady"}
    assert "fake.alias" not in scripts, "a portability divergence without a counterexample is none"


def test_a_script_stands_alone(results: Results, tmp_path: Path) -> None:
    [one] = [one for one in results.results if one.api == "fake.segfault" and one.script is not None]
    path = tmp_path / "alone.py"
    path.write_text(str(one.script))
    assert "conformance" not in str(one.script)
    alone = subprocess.run([sys.executable, "-I", path], capture_output=True, text=True, check=False, timeout=60)
    assert alone.returncode == -11
    assert "documented" in alone.stdout


def test_there_is_one_for_each_cause_and_why_another_has_none_is_said(results: Results, done: Done) -> None:
    steady = [one for one in results.results if one.api == "fake.steady" and one.verdict == "diverges"]
    assert len(steady) > 2
    assert sum(one.script is not None for one in steady) < len(steady)
    assert "scripts written" in done.err
    assert "fake.close gather_elements.example.unlucky/as-printed: no script: " in done.err


def test_nothing_else_of_the_results_changes_and_the_page_is_made_again(folder: Path, results: Results) -> None:
    assert results.complete
    assert (folder / "out" / "index.html").stat().st_mtime >= (folder / "out" / "results.jsonl").stat().st_mtime
    again = repro_all(folder, "--target", "misbehaving")
    assert again.status == 0, again.err
    assert read_results(folder / "out").results == results.results


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--all",), "--all needs --results DIR"),
        (("gather_nd", "--all", "--results", "out"), "takes no CASE"),
        ((), "name a CASE and its --target"),
        (("--all", "--results", "nowhere"), "no such file"),
        (("--all", "--results", "out", "--target", "mis-behaving"), "is not in these results"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, words: tuple[str, ...], said: str) -> None:
    done = conformance("repro", *words, "--specs", SPECS, cwd=folder)
    assert done.status == 4
    assert said in done.err
