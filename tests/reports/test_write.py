from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.findings.conclusions import Conclusions
from conformance.reports.write import REPORTS, write_reports
from conformance.results.file import FILE_NAME, Results
from tests.reports.sample import sample
from tests.reports.test_report_command import write

SITE = {"api", "data", "documents", "finding", "operation", "port", "run", "site"}


def test_the_reports_are_written_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    written = write_reports(sample(), folder)
    assert written == [
        folder / name
        for name in ("conclusions.json", "junit.xml", "summary.md", "behaviours.json", "badge.json", "index.html")
    ]
    assert {path.name for path in folder.iterdir()} == {path.name for path in written} | SITE
    assert all(path.read_text(encoding="utf-8").endswith("\n") or path.suffix == ".html" for path in written)


def test_a_report_that_fails_is_named_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(results: Results, _: Conclusions) -> str:
        raise KeyError(f"{len(results.cases)} cases")

    monkeypatch.setitem(REPORTS, "junit.xml", broken)
    with pytest.raises(ExceptionGroup) as caught:
        write_reports(sample(), tmp_path)
    [failure] = caught.value.exceptions
    assert isinstance(failure, KeyError)
    assert failure.__notes__ == ["junit.xml could not be written"]
    names = {"badge.json", "behaviours.json", "conclusions.json", "index.html", "summary.md"}
    assert {path.name for path in tmp_path.iterdir()} == names | SITE


def test_a_folder_that_cannot_be_written_stops_every_report(tmp_path: Path) -> None:
    (tmp_path / "index.html").mkdir()
    with pytest.raises(IsADirectoryError):
        write_reports(sample(), tmp_path)


def test_a_report_that_fails_half_way_leaves_the_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_reports(sample(), tmp_path)
    before = (tmp_path / "summary.md").read_bytes()
    monkeypatch.setitem(REPORTS, "summary.md", lambda *_: "half \ud800")
    with pytest.raises(ExceptionGroup) as caught:
        write_reports(sample(), tmp_path)
    assert caught.group_contains(UnicodeEncodeError)
    assert (tmp_path / "summary.md").read_bytes() == before
    names = {"badge.json", "behaviours.json", "conclusions.json", "index.html", "junit.xml", "summary.md"}
    assert {path.name for path in tmp_path.iterdir()} == names | SITE


def test_the_command_says_which_report_failed_and_ends_with_3_after_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: Results, __: Conclusions) -> str:
        raise ValueError("no such layout")

    monkeypatch.setitem(REPORTS, "junit.xml", broken)
    monkeypatch.setattr("sys.argv", ["conformance", "report", str(write(sample(), tmp_path / FILE_NAME))])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    said = capsys.readouterr().err
    assert "ValueError: no such layout" in said
    assert "junit.xml could not be written" in said
    assert {"index.html", "summary.md"} <= {path.name for path in tmp_path.iterdir()}
