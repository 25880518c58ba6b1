from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformance.reports.write import write_reports
from conformance.results.file import FILE_NAME, Results, ResultsWriter, read_results
from conformance.results.records import Record
from tests.cli.command import conformance
from tests.reports.sample import sample


def write(results: Results, path: Path) -> Path:
    with ResultsWriter(path) as writer:
        parts: list[Record] = [results.run, *results.targets, *results.clauses.values(), *results.cases.values()]
        for record in [*parts, *results.mappings, *results.results]:
            writer.write(record)
        if results.end:
            writer.end(complete=results.end.complete, reason=results.end.reason)
    return path


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write(sample(), tmp_path / FILE_NAME)


def test_the_reports_are_made_beside_the_results(results: Path) -> None:
    done = conformance("report", results, cwd=results.parent)
    assert done.status == 0
    assert "Breaks its own documentation: 3 causes, 3 findings" in done.out
    assert str(results.parent / "index.html") in done.out
    assert "<h1>" in (results.parent / "index.html").read_text(encoding="utf-8")
    assert (results.parent / "junit.xml").exists()
    assert (results.parent / "summary.md").exists()


def test_a_folder_of_results_may_be_named_and_another_folder_written(results: Path, tmp_path: Path) -> None:
    done = conformance("report", results.parent, "--output", tmp_path / "new" / "er", cwd=tmp_path)
    assert done.status == 0
    files = {path.name for path in (tmp_path / "new" / "er").iterdir() if path.is_file()}
    assert files == {"badge.json", "behaviours.json", "conclusions.json", "index.html", "junit.xml", "summary.md"}


def test_every_report_can_be_made_again_from_the_results_byte_for_byte(results: Path, tmp_path: Path) -> None:
    write_reports(read_results(results), results.parent)
    conformance("report", results, "--output", tmp_path / "again", cwd=tmp_path)
    written = [path.relative_to(results.parent) for path in results.parent.rglob("*") if path.is_file()]
    written.remove(results.relative_to(results.parent))
    written = [path for path in written if path.parts[0] != "again"]
    assert {"conclusions.json", "index.html", "junit.xml", "summary.md"} <= {*map(str, written)}
    for name in written:
        assert (tmp_path / "again" / name).read_bytes() == (results.parent / name).read_bytes(), name


def test_a_second_report_says_what_it_replaced(results: Path) -> None:
    conformance("report", results, cwd=results.parent)
    done = conformance("report", results, cwd=results.parent)
    assert done.status == 0
    assert "replaced conclusions.json, junit.xml, summary.md, behaviours.json, badge.json, index.html" in done.err


def test_every_character_of_a_message_survives_the_file(results: Path) -> None:
    conformance("report", results, cwd=results.parent)
    assert "#x85 #x2028line #x202Egnol ?" in (results.parent / "junit.xml").read_text(encoding="utf-8")


def test_the_report_of_an_incomplete_file_says_so_everywhere(tmp_path: Path) -> None:
    path = write(sample(complete=False), tmp_path / FILE_NAME)
    with path.open("a") as file:
        file.write('{"kind":"result","case":"cut o')
    done = conformance("report", path, cwd=tmp_path)
    assert done.status == 0
    assert "failed: incomplete run: the results file is truncated" in done.out
    for name in ("index.html", "junit.xml", "summary.md"):
        assert "incomplete run: the results file is truncated" in (tmp_path / name).read_text(encoding="utf-8").lower()


def test_no_file_is_an_error_that_says_what_to_name(tmp_path: Path) -> None:
    done = conformance("report", tmp_path / "none", cwd=tmp_path)
    assert done.status == 4
    assert "none: file not found; expected a results.jsonl or its folder" in done.err


@pytest.mark.parametrize("text", ["", "hello\nworld\n", '{"kind":"end","complete":true,"counts":{}}\n', "\xff"])
def test_a_file_of_something_else_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.txt"
    path.write_text(text, encoding="latin-1")
    done = conformance("report", path, cwd=tmp_path)
    assert done.status == 4
    assert "other.txt" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.txt"]


def test_an_output_that_is_a_file_is_an_error(results: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    done = conformance("report", results, "--output", "file", cwd=tmp_path)
    assert done.status == 4
    assert "--output file: is a file" in done.err
    assert (tmp_path / "file").read_text() == "mine"


def test_an_output_beside_the_results_of_another_run_is_an_error(results: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write(sample(), other / FILE_NAME)
    done = conformance("report", results, "--output", other, cwd=tmp_path)
    assert done.status == 4
    assert "already contains results of another run" in done.err
    assert sorted(path.name for path in other.iterdir()) == [FILE_NAME]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_an_output_that_cannot_be_written_is_an_error(results: Path, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    done = conformance("report", results, "--output", folder, cwd=tmp_path)
    assert done.status == 4
    assert "cannot be written" in done.err


def test_an_output_below_a_file_is_an_error(results: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    done = conformance("report", results, "--output", Path("file") / "below", cwd=tmp_path)
    assert done.status == 4
    assert "cannot be written" in done.err
