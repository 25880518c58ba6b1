"""run --draws, as a user types it."""

from __future__ import annotations

from pathlib import Path

from conformance.results.file import read_results
from conformance.results.variations import DrawnRecord
from conformance.specification.loader import load_specs
from tests.cli.command import Done, conformance

REPORT = Path("conformance-report")


def _run(folder: Path, *arguments: str | Path) -> Done:
    return conformance("run", *arguments, "--here", "-q", cwd=folder, CONFORMANCE_HOME=str(folder / "home"))


def test_draws_are_cases_that_the_reference_meets_and_are_kept_for_the_next_run(tmp_path: Path) -> None:
    drawn = ("--draws", "1", "-k", "draw.", "--fail-on", "any")
    done = _run(tmp_path, "reference", *drawn)
    assert done.status == 0, done.out
    results = read_results(tmp_path / REPORT)
    assert {type(case.variation) for case in results.cases.values()} == {DrawnRecord}
    operations = [operation for operation in load_specs().operations.values() if operation.layout is not None]
    assert len({results.cases[result.case].operation for result in results.results}) == len(operations)
    assert {result.verdict for result in results.results} <= {"conforms", "observed"}
    kept = {file: file.stat().st_mtime_ns for file in (tmp_path / "home" / "draws").iterdir()}
    assert len(kept) == len(operations)
    calls = {case.id: (case.call, case.control, case.note) for case in results.cases.values()}
    again = ("gather_nd", "scatter_elements", "segment_reduce")
    assert _run(tmp_path, "reference", *again, *drawn).status == 0
    assert {
        case.id: (case.call, case.control, case.note) for case in read_results(tmp_path / REPORT).cases.values()
    } == {name: call for name, call in calls.items() if name.startswith(tuple(f"{each}." for each in again))}
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "home" / "draws").iterdir()} == kept


def test_draws_are_made_only_for_the_requested_operations(tmp_path: Path) -> None:
    assert _run(tmp_path, "reference", "gather_nd.behaviour.extracts-slices", "--draws", "5").status == 0
    [file] = (tmp_path / "home" / "draws").iterdir()
    assert file.name.startswith("gather_nd.5.0.")
    drawn = [case for case in read_results(tmp_path / REPORT).cases if "/draw." in case]
    assert drawn == [f"gather_nd.behaviour.extracts-slices/draw.{number}" for number in range(1, 6)]


def test_no_draws_are_made_by_default(tmp_path: Path) -> None:
    assert _run(tmp_path, "reference", "gather_nd.example", "-k", "not printed.").status == 0
    assert not (tmp_path / "home" / "draws").exists()
    assert DrawnRecord not in {type(case.variation) for case in read_results(tmp_path / REPORT).cases.values()}
