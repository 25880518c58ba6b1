"""``report --stable``: a results file without anything that differs between equal runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from conformance.results.order import STARTED
from tests.cli.command import conformance
from tests.execution.harness import FAKES

RUN = ("run", "reference", "--specs", FAKES / "specs", "--here", "-q")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two equal runs, each in a folder of its own, and what is stable of both."""
    folder = tmp_path_factory.mktemp("stable")
    for name in ("one", "two"):
        (folder / name).mkdir()
        assert conformance(*RUN, "--output", "out", cwd=folder / name).status == 0
        done = conformance("report", "out", "--stable", "--output", "kept", cwd=folder / name)
        assert (done.status, done.out) == (0, "kept/results.jsonl\n")
    return folder


def _results(folder: Path) -> Results:
    return read_results(folder)


def test_equal_runs_give_equal_files_that_have_no_times(folder: Path) -> None:
    first, second = ((folder / name / "kept" / "results.jsonl").read_bytes() for name in ("one", "two"))
    assert first == second
    assert (folder / "one" / "out" / "results.jsonl").read_bytes() != (
        folder / "two" / "out" / "results.jsonl"
    ).read_bytes()
    kept = _results(folder / "one" / "kept")
    assert kept.run.started == STARTED
    assert {(one.seconds, one.memory, one.imports, one.forks) for one in kept.targets} == {(None, None, None, None)}
    assert {one.seconds for one in kept.results} == {0.0}


def test_nothing_else_is_lost_and_reports_are_made_of_it(folder: Path) -> None:
    whole, kept = _results(folder / "one" / "out"), _results(folder / "one" / "kept")
    assert kept.complete
    assert [(one.case, one.verdict, one.outcome) for one in kept.results] == [
        (one.case, one.verdict, one.outcome) for one in whole.results
    ]
    done = conformance("report", "one/kept", "--output", "again", cwd=folder)
    assert done.status == 0, done.err
    assert (folder / "again" / "index.html").exists()
    assert "Nothing changed." in conformance("diff", "one/out", "two/kept", cwd=folder).out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("out",), "--stable needs one results file, and --output DIR"),
        (("out", "kept", "--output", "both"), "--stable needs one results file"),
        (("out", "--output", "out"), "contains the results that are read"),
    ],
)
def test_the_results_that_are_read_are_never_replaced(folder: Path, words: tuple[str, ...], says: str) -> None:
    before = (folder / "one" / "out" / "results.jsonl").read_bytes()
    done = conformance("report", *words, "--stable", cwd=folder / "one")
    assert done.status == 4
    assert says in done.err
    assert (folder / "one" / "out" / "results.jsonl").read_bytes() == before


def test_listed_cases_are_whole_in_json() -> None:
    done = conformance("list", "cases", "gather_elements.example.along-dim-0", "--json", cwd=Path.cwd())
    cases = {case["id"]: case for case in json.loads(done.out)}
    shown = cases["gather_elements.example.along-dim-0/as-printed"]
    assert shown["call"]["dim"] == 0
    assert shown["expectation"]["returns"]["source"] == "printed"
    listed = conformance("list", "cases", "gather_elements.example.along-dim-0", cwd=Path.cwd()).out.split()
    assert [*cases] == listed
