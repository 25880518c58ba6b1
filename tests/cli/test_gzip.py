"""Results files that are gzipped, wherever the program reads or writes them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES


def run(folder: Path, *words: str) -> Done:
    """A run of the four written cases of a small spec."""
    few = ("--specs", FAKES / "specs", "-k", "not as-printed.")
    return conformance("run", "reference", "--here", "--gzip", *few, *words, cwd=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gzip")
    done = run(folder, "--output", "one")
    assert done.status == 0, done.err
    return folder


def test_a_run_writes_a_gzipped_file_and_its_reports(folder: Path) -> None:
    names = {path.name for path in (folder / "one").iterdir()}
    assert names >= {"results.jsonl.gz", "index.html", "junit.xml", "summary.md"}
    assert "results.jsonl" not in names
    assert gzip.decompress((folder / "one" / "results.jsonl.gz").read_bytes()).startswith(b'{"')


def test_a_gzipped_file_holds_what_a_plain_one_holds(folder: Path) -> None:
    gzipped = folder / "one" / "results.jsonl.gz"
    plain = folder / "plain.jsonl"
    plain.write_bytes(gzip.decompress(gzipped.read_bytes()))
    assert read_results(gzipped) == read_results(folder / "one")
    assert [result.case for result in read_results(plain).results] == [
        result.case for result in read_results(gzipped).results
    ]


def test_reports_differences_and_last_failures_are_made_from_it(folder: Path) -> None:
    assert conformance("report", "one", "--output", "again", cwd=folder).status == 0
    assert (folder / "again" / "index.html").exists()
    assert "Nothing changed." in conformance("diff", "one", "one/results.jsonl.gz", cwd=folder).out
    nothing_failed = run(folder, "--lf", "--output", "one")
    assert nothing_failed.status == 5


def test_merged_results_are_gzipped_on_request(folder: Path) -> None:
    for part in ("1/2", "2/2"):
        output = f"shard-{part[0]}"
        done = run(folder, "--shard", part, "--output", output)
        assert done.status == 0, done.err
    merged = conformance("report", "shard-1", "shard-2", "--gzip", "--output", "merged", cwd=folder)
    assert merged.status == 0, merged.err
    assert (folder / "merged" / "results.jsonl.gz").exists()
    assert len(read_results(folder / "merged").results) == len(read_results(folder / "one").results)


def test_a_gzipped_file_that_was_cut_off_is_an_incomplete_run(folder: Path, tmp_path: Path) -> None:
    whole = (folder / "one" / "results.jsonl.gz").read_bytes()
    torn = tmp_path / "results.jsonl.gz"
    torn.write_bytes(whole[: len(whole) * 3 // 4])
    assert not read_results(torn).complete
