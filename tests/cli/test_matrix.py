"""matrix, and runs in parts, as a user types them: adapters of two versions, in the interpreter that runs the tests."""

from __future__ import annotations

import json
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
CASES = ("-k", "gather_elements and (range or example)")
QUIET = ("--here", "--fail-on", "never")


def adapter(cwd: Path, version: str, least: str) -> str:
    """An adapter of this version that takes indices from ``least`` on."""
    file = cwd / f"v{version}" / "mine.py"
    file.parent.mkdir()
    file.write_text(SOURCE.format(version=version, least=least))
    return f"./{file.relative_to(cwd)}"


@pytest.fixture
def versions(tmp_path: Path) -> list[str]:
    return [adapter(tmp_path, "1.0", "0"), adapter(tmp_path, "2.0", "-input.shape[dim]")]


def matrix(cwd: Path, *words: str) -> Done:
    return conformance("matrix", *words, *QUIET, cwd=cwd)


def test_two_versions_are_run_put_together_and_what_changed_is_told(tmp_path: Path, versions: list[str]) -> None:
    done = matrix(tmp_path, *versions, *CASES)
    assert done.status == 0, done.err
    assert "mine, eager, cpu: 1.0, 2.0" in done.out
    assert "mine.gather: raises IndexError -> wraps-negative" in done.out
    whole = read_results(tmp_path / "conformance-matrix")
    assert [target.version for target in whole.targets] == ["1.0", "2.0"]
    assert (tmp_path / "conformance-matrix" / "index.html").exists()
    assert {path.parent.name for path in tmp_path.glob(f"conformance-matrix/*/{FILE_NAME}")} == {
        "v1.0-mine.py",
        "v2.0-mine.py",
    }


def test_results_that_are_there_are_not_run_again_unless_something_else_is_asked(
    tmp_path: Path, versions: list[str]
) -> None:
    matrix(tmp_path, *versions, *CASES)
    again = matrix(tmp_path, *versions, *CASES)
    assert again.err.count("its results are in conformance-matrix/") == 2
    assert "started" not in again.err
    other = matrix(tmp_path, *versions, "-k", "gather_elements and example")
    assert "already" not in other.err
    assert other.err.count("started, ") == 2


def test_results_of_several_jobs_give_the_same_matrix(tmp_path: Path, versions: list[str]) -> None:
    for number, version in enumerate(versions):
        conformance("run", version, *CASES, *QUIET, "-q", "--output", f"jobs/job{number}", cwd=tmp_path)
    one = matrix(tmp_path, *versions, *CASES, "--output", "one")
    other = matrix(tmp_path, "jobs", "--output", "other")
    assert other.status == 0, other.err
    assert other.out.replace("other/", "one/") == one.out


def test_programs_get_the_timelines(tmp_path: Path, versions: list[str]) -> None:
    [told] = json.loads(matrix(tmp_path, *versions, *CASES, "--json").out)
    assert [one["version"] for one in told["versions"]] == ["1.0", "2.0"]
    [step] = told["steps"]
    assert {(one["was"], one["now"]) for one in step["changes"]} >= {("raises IndexError", "wraps-negative")}
    assert all(len(row["cells"]) == 2 for row in told["rows"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("torch", "jax", "--versions", "1,2"), "--versions needs exactly one target, got torch, jax"),
        (("torch==2.13.0", "--versions", "2.1.2"), "torch==2.13.0 already has a version"),
        (("torch", "--versions", "2.1.2,new"), "invalid version 'new'"),
        (("torch", "--versions", ","), "no versions given"),
        (("nowhere/",), "nowhere"),
    ],
)
def test_what_cannot_be_a_matrix_is_told_before_anything_is_run(
    tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    done = matrix(tmp_path, *words)
    assert done.status == 4
    assert why in done.err


def test_shards_are_put_together_by_report(tmp_path: Path, versions: list[str]) -> None:
    parts = [("--output", f"part{number}", "--shard", f"{number}/2", "-q") for number in (1, 2)]
    for part in parts:
        assert conformance("run", versions[0], *CASES, *QUIET, *part, cwd=tmp_path).status == 0
    done = conformance("report", "part1", "part2", "--output", "whole", cwd=tmp_path)
    assert done.status == 0, done.err
    assert read_results(tmp_path / "whole").complete
    assert conformance("report", "part1", "part2", cwd=tmp_path).status == 4
    assert conformance("report", "part1", "part2", "--output", "part1", cwd=tmp_path).status == 4


def test_runs_of_different_seeds_are_not_put_together(tmp_path: Path, versions: list[str]) -> None:
    for number, one in enumerate(versions):
        seeded = ("--seed", str(number), "-q", "--output", f"seed{number}")
        conformance("run", one, *CASES, *QUIET, *seeded, cwd=tmp_path)
    done = conformance("report", "seed0", "seed1", "--output", "whole", cwd=tmp_path)
    assert done.status == 4
    assert "seed0 and seed1 have different seeds (0 and 1)" in done.err
    assert not (tmp_path / "whole").exists()


def test_an_interrupted_run_is_finished_where_it_stands(tmp_path: Path, versions: list[str]) -> None:
    run = ("run", versions[0], *CASES, "--here", "-q")
    conformance(*run, "--fail-on", "never", "--output", "out", cwd=tmp_path)
    file = tmp_path / "out" / FILE_NAME
    complete = len(read_results(file).results)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-20]) + '{"case":"torn')
    done = conformance(*run, "--fail-on", "never", "--resume", "out", cwd=tmp_path)
    assert done.status == 0, done.err
    assert read_results(file).complete
    assert len(read_results(file).results) == complete
    again = conformance(*run, "--fail-on", "never", "--resume", "out", cwd=tmp_path)
    assert "nothing is left to be run" in again.err
    other = conformance(*run, "--seed", "1", "--resume", "out", cwd=tmp_path)
    assert other.status == 4
    assert "the seed of the run there is 0, where this command has 1" in other.err
    assert conformance(*run, "--resume", "nowhere", cwd=tmp_path).status == 4
    assert conformance(*run, "--resume", "out", "--output", "elsewhere", cwd=tmp_path).status == 4


def test_what_is_no_shard_is_a_usage_error(tmp_path: Path) -> None:
    done = conformance("run", "reference", "--here", "--shard", "3/2", cwd=tmp_path)
    assert done.status == 4
    assert "the shards are 1 to 2" in done.err
