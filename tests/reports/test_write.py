from __future__ import annotations

from pathlib import Path

import pytest

from conformance.reports.write import REPORTS, write_reports
from tests.reports.sample import sample


def test_the_three_reports_are_written_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    written = write_reports(sample(), folder)
    assert written == [folder / "index.html", folder / "junit.xml", folder / "summary.md"]
    assert sorted(folder.iterdir()) == sorted(written)
    assert all(path.read_text(encoding="utf-8").endswith("\n") or path.suffix == ".html" for path in written)


def test_a_report_that_fails_half_way_leaves_the_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_reports(sample(), tmp_path)
    before = (tmp_path / "summary.md").read_bytes()
    monkeypatch.setitem(REPORTS, "summary.md", lambda _: "half \ud800")
    with pytest.raises(UnicodeEncodeError):
        write_reports(sample(), tmp_path)
    assert (tmp_path / "summary.md").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "junit.xml", "summary.md"]
