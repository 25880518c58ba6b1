"""What the site replaces in a folder, and what it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.reports.site import move_site, remove_site, write_site
from conformance.results.file import Results
from tests.reports.sample import sample
from tests.reports.sample_questions import results_to_ask
from tests.reports.site_of import site_of


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_holds_the_site_and_no_page_of_an_earlier_one(tmp_path: Path) -> None:
    write_site(sample(), tmp_path)
    assert write_site(results_to_ask(), tmp_path) == tmp_path / "index.html"
    assert files(tmp_path) == site_of(results_to_ask())
    assert not (tmp_path / "api" / "tf.raw_ops.ScatterNd").exists()


def test_files_of_others_stay(tmp_path: Path) -> None:
    theirs = {
        "api/index.html": None,
        "data/mine.js": "mine",
        "guide/notes.md": "mine",
        "api/torch.gather/mine.html": "<p>",
    }
    write_site(results_to_ask(), tmp_path)
    for name, text in theirs.items():
        if text is not None:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    remove_site(tmp_path)
    kept = {name: text for name, text in theirs.items() if text is not None}
    assert files(tmp_path) == {**kept, "index.html": site_of(results_to_ask())["index.html"]}


def test_nothing_is_written_or_removed_behind_a_link(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "out"
    write_site(results_to_ask(), outside)
    before = files(outside)
    folder.mkdir()
    (folder / "api").symlink_to(outside / "api")
    (folder / "data").mkdir()
    (folder / "data" / "cases").symlink_to(outside / "data" / "cases")
    write_site(Results(sample().run), folder)
    assert files(outside) == before
    assert not (folder / "api").is_symlink()


def test_a_site_that_is_moved_replaces_an_earlier_one(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    write_site(results_to_ask(), new)
    write_site(sample(), old)
    (old / "api" / "mine.txt").write_text("mine")
    move_site(new, old)
    expected = {name: text for name, text in site_of(results_to_ask()).items() if name != "index.html"}
    moved = files(old)
    del moved["index.html"]
    assert moved == {**expected, "api/mine.txt": "mine"}
    assert {path.name for path in new.iterdir()} == {"index.html"}


def test_the_first_page_comes_last_so_that_it_links_no_half_of_a_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> str:
        raise ValueError("no such layout")

    monkeypatch.setattr("conformance.reports.site.call_data.calls_of", broken)
    with pytest.raises(ValueError, match="no such layout"):
        write_site(replace(sample()), tmp_path)
    assert not (tmp_path / "index.html").exists()
