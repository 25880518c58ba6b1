from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES, WRONG_ADAPTERS

INSERT = "scatter_nd.example.insert-four-scalars"
ONE = f"{INSERT} and not printed."


def run(cwd: Path, output: str, *words: str | Path) -> None:
    conformance("run", *words, "--here", "-q", "--fail-on", "never", "--output", output, cwd=cwd)


def diff(cwd: Path, *words: str) -> Done:
    return conformance("diff", *words, cwd=cwd)


def adapter(cwd: Path, more: str) -> Path:
    path = cwd / "mine.py"
    path.write_text(
        "import numpy as np\n\nfrom conformance.adapter import api\n\n\n"
        '@api("mine.scatter_nd", operation="scatter_nd", follows="tf.raw_ops.ScatterNd")\n'
        "def scatter_nd(indices, updates, shape):\n"
        "    result = np.zeros(shape, updates.dtype)\n"
        "    np.add.at(result, tuple(np.moveaxis(indices, -1, 0)), updates)\n"
        f"    return result{more}\n"
    )
    return path


@pytest.fixture(scope="module")
def same(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of the same thing: a and b."""
    folder = tmp_path_factory.mktemp("same")
    for output in ("a", "b"):
        run(folder, output, "reference", "-k", INSERT)
    return folder


@pytest.fixture(scope="module")
def worse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that conforms, a, and one that does not, b."""
    folder = tmp_path_factory.mktemp("worse")
    for output, more in (("a", ""), ("b", " + 1")):
        run(folder, output, adapter(folder, more), "-k", ONE)
    return folder


def test_two_runs_of_the_same_thing_differ_in_nothing(same: Path) -> None:
    done = diff(same, "a", "b/results.jsonl")
    assert (done.status, done.err) == (0, "")
    assert "Nothing changed." in done.out


def test_a_regression_exits_1_as_far_as_it_is_asked_for(worse: Path) -> None:
    done = diff(worse, "a", "b")
    assert done.status == 1
    assert "Conformed, now breaks its own documentation" in done.out
    assert diff(worse, "a", "b", "--fail-on", "never").status == 0
    better = diff(worse, "b", "a")
    assert better.status == 0
    assert "Conforms now" in better.out


def test_programs_get_one_object(worse: Path) -> None:
    done = diff(worse, "a", "b", "--json")
    told = json.loads(done.out)
    assert done.status == 1
    change = told["changes"][0]
    assert change["second"]["case"].startswith(INSERT)
    assert (change["first"]["verdict"], change["second"]["verdict"]) == ("conforms", "diverges")
    assert (change["was"], change["now"]) == ("conforms", "diverges (own: value)")
    assert change["regression"] == "own"
    assert told["first"]["complete"]


def test_new_and_removed_cases_are_listed_separately_from_behaviour(tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    shutil.copytree(FAKES / "specs", specs)
    run(tmp_path, "a", WRONG_ADAPTERS / "order_dependent.py", "--specs", specs, "-k", "not as-printed.")
    spec = specs / "gather_elements.yaml"
    text = spec.read_text()
    spec.write_text(text.replace("  lucky-again:", "  lucky-too:").replace("[13, 2, 3]}", "[13, 2, 4]}"))
    run(tmp_path, "b", WRONG_ADAPTERS / "order_dependent.py", "--specs", specs, "-k", "not as-printed.")
    done = diff(tmp_path, "a", "b")
    assert "Specs: 1 new case, 1 removed, 1 edited" in done.out
    assert "removed gather_elements.example.lucky-again/as-printed" in done.out
    assert "Behaviour: the same in" in done.out


def test_cases_outside_a_selection_are_not_listed_as_removed(same: Path, tmp_path: Path) -> None:
    run(tmp_path, "more", "reference", "-k", f"{INSERT} or gather_nd.rule.result-dtype")
    done = diff(tmp_path, "more", str(same / "b"))
    assert done.status == 0
    assert "Specs: no case edited" in done.out
    assert f"Selection: -k {INSERT}" in done.out


def test_an_incomplete_file_is_reported_as_incomplete(same: Path, tmp_path: Path) -> None:
    whole = (same / "a" / "results.jsonl").read_text().splitlines()
    (tmp_path / "cut.jsonl").write_text("\n".join(whole[:-4]) + "\n")
    done = diff(tmp_path, str(same / "a"), "cut.jsonl")
    assert done.status == 2
    assert "Incomplete run" in done.out
    assert "results exist in only one of the files" in done.out


def test_shards_without_a_common_case_exit_5(tmp_path: Path) -> None:
    few = ("-k", "scatter_nd.example and not tensor and not printed.")
    for number in (1, 2):
        run(tmp_path, f"{number}", "reference", *few, "--shard", f"{number}/2")
    done = diff(tmp_path, "1", "2")
    assert done.status == 5
    assert "Nothing could be compared, since no case on an API is in both files (exit status 5)." in done.out
    assert "Nothing changed." not in done.out


def test_an_invalid_results_file_exits_4(tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("hello\n")
    for words, message in (
        (("nowhere", "odd"), "file not found"),
        (("odd", "odd"), "odd:1: not a valid results record"),
    ):
        done = diff(tmp_path, *words)
        assert (done.status, done.out) == (4, "")
        assert message in done.err
