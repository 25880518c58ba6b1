"""matrix, and runs in parts, as a user types them: adapters of two versions, in the interpreter that runs the tests."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from conformance.results.file import FILE_NAME, read_results
from tests.cli.command import Done, conformance

SOURCE = """\
import numpy as np

from conformance.adapter import api


def describe():
    return {{"framework": "mine", "version": "{version}"}}


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    if index.size and (index.min() < {least} or index.max() >= input.shape[dim]):
        raise IndexError("outside")
    return np.take_along_axis(input, index, dim)
"""
CASES = ("-k", "gather_elements.rule.index-range and break and not minus-one.")
FEW = ("-k", "gather_elements.rule.index-range")
QUIET = ("--here", "--fail-on", "never")


def adapter(cwd: Path, version: str, least: str) -> str:
    """An adapter of this version that takes indices from ``least`` on."""
    file = cwd / f"v{version}" / "mine.py"
    file.parent.mkdir()
    file.write_text(SOURCE.format(version=version, least=least))
    return f"./{file.relative_to(cwd)}"


def both(cwd: Path) -> list[str]:
    return [adapter(cwd, "1.0", "0"), adapter(cwd, "2.0", "-input.shape[dim]")]


@pytest.fixture
def versions(tmp_path: Path) -> list[str]:
    return both(tmp_path)


def matrix(cwd: Path, *words: str) -> Done:
    return conformance("matrix", *words, *QUIET, cwd=cwd)


def started(done: Done) -> int:
    """How many targets the command ran itself."""
    return done.err.count("started, ")


@dataclass(frozen=True)
class FirstMatrix:
    """A matrix of both versions, and the folder in which it was made."""

    folder: Path
    versions: list[str]
    done: Done


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> FirstMatrix:
    folder = tmp_path_factory.mktemp("matrix")
    versions = both(folder)
    return FirstMatrix(folder, versions, matrix(folder, *versions, *CASES))


@pytest.fixture
def copied(first: FirstMatrix, tmp_path: Path) -> FirstMatrix:
    """The same in a folder that a test may change."""
    shutil.copytree(first.folder, tmp_path, dirs_exist_ok=True)
    return replace(first, folder=tmp_path)


def test_two_versions_are_run_and_merged_and_the_changes_are_printed(first: FirstMatrix) -> None:
    assert first.done.status == 0, first.done.err
    assert "mine, eager, cpu: 1.0, 2.0" in first.done.out
    assert "mine.gather: raises IndexError -> wraps-negative" in first.done.out
    whole = read_results(first.folder / "conformance-matrix")
    assert [target.version for target in whole.targets] == ["1.0", "2.0"]
    assert (first.folder / "conformance-matrix" / "index.html").exists()
    assert {path.parent.name for path in first.folder.glob(f"conformance-matrix/*/{FILE_NAME}")} == {
        "v1.0-mine.py",
        "v2.0-mine.py",
    }


def test_existing_results_are_reused_unless_the_request_differs(copied: FirstMatrix) -> None:
    assert started(copied.done) == 2
    again = matrix(copied.folder, *copied.versions, *CASES)
    assert again.err.count("reusing the results in conformance-matrix/") == 2
    assert started(again) == 0
    other = matrix(copied.folder, *copied.versions, *FEW)
    assert "reusing" not in other.err
    assert started(other) == 2


def test_results_of_several_jobs_give_the_same_matrix(copied: FirstMatrix) -> None:
    for number, version in enumerate(copied.versions):
        conformance("run", version, *CASES, *QUIET, "-q", "--output", f"jobs/job{number}", cwd=copied.folder)
    jobs = matrix(copied.folder, "jobs", "--output", "merged")
    assert jobs.status == 0, jobs.err
    assert jobs.out.replace("merged/", "conformance-matrix/") == copied.done.out


def test_programs_get_the_timelines(copied: FirstMatrix) -> None:
    [timeline] = json.loads(matrix(copied.folder, *copied.versions, *CASES, "--json").out)
    assert [version["version"] for version in timeline["versions"]] == ["1.0", "2.0"]
    [step] = timeline["steps"]
    assert {(change["was"], change["now"]) for change in step["changes"]} >= {("raises IndexError", "wraps-negative")}
    assert all(change["cases"] for change in step["changes"])


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("torch", "jax", "--versions", "1,2"), "--versions needs exactly one target, got torch, jax"),
        (("torch==2.13.0", "--versions", "2.1.2"), "torch==2.13.0 already has a version"),
        (
            ("torch", "--versions", "2.1.2,new"),
            "invalid version 'new'; expected a list, such as 2.1.2,2.13.0, or a range",
        ),
        (("torch", "--versions", ">=2.1,new"), "invalid range; expected one such as '>=2.1,<2.16'"),
        (("torch", "--versions", ","), "no versions given"),
        (("nowhere/",), "nowhere"),
    ],
)
def test_an_invalid_matrix_is_an_error_before_anything_runs(
    tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    done = matrix(tmp_path, *words)
    assert done.status == 4
    assert reason in done.err


def test_report_merges_shards(tmp_path: Path, versions: list[str]) -> None:
    parts = [("--output", f"part{number}", "--shard", f"{number}/2", "-q") for number in (1, 2)]
    for part in parts:
        assert conformance("run", versions[0], *FEW, *QUIET, *part, cwd=tmp_path).status == 0
    done = conformance("report", "part1", "part2", "--output", "whole", cwd=tmp_path)
    assert done.status == 0, done.err
    assert read_results(tmp_path / "whole").complete
    assert conformance("report", "part1", "part2", cwd=tmp_path).status == 4
    assert conformance("report", "part1", "part2", "--output", "part1", cwd=tmp_path).status == 4


def test_runs_with_different_seeds_are_not_merged(tmp_path: Path, versions: list[str]) -> None:
    for number, version in enumerate(versions):
        seeded = ("--seed", str(number), "-q", "--output", f"seed{number}")
        conformance("run", version, *FEW, *QUIET, *seeded, cwd=tmp_path)
    done = conformance("report", "seed0", "seed1", "--output", "whole", cwd=tmp_path)
    assert done.status == 4
    assert "seed0 and seed1 differ in the seed (0 and 1)" in done.err
    assert not (tmp_path / "whole").exists()


def test_an_interrupted_run_is_resumed(tmp_path: Path, versions: list[str]) -> None:
    run = ("run", versions[0], *FEW, "--here", "-q")
    conformance(*run, "--fail-on", "never", "--output", "out", cwd=tmp_path)
    file = tmp_path / "out" / FILE_NAME
    complete = len(read_results(file).results)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-20]) + '{"case":"torn')
    done = conformance(*run, "--fail-on", "never", "--resume", "out", cwd=tmp_path)
    assert done.status == 0, done.err
    assert read_results(file).complete
    assert len(read_results(file).results) == complete
    again = conformance(*run, "--fail-on", "never", "--resume", "out", cwd=tmp_path)
    assert "this run is already complete" in again.err
    other = conformance(*run, "--seed", "1", "--resume", "out", cwd=tmp_path)
    assert other.status == 4
    assert "the interrupted run has seed 0, this command has 1" in other.err
    assert conformance(*run, "--resume", "nowhere", cwd=tmp_path).status == 4
    assert conformance(*run, "--resume", "out", "--output", "elsewhere", cwd=tmp_path).status == 4


def test_an_invalid_shard_is_a_usage_error(tmp_path: Path) -> None:
    done = conformance("run", "reference", "--here", "--shard", "3/2", cwd=tmp_path)
    assert done.status == 4
    assert "K must be between 1 and 2" in done.err
