"""Lock files say on which sentences of shipped documentation claims rest; what does not fit the documents is a problem with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.data_folders import specs_folder
from conformance.specification.check import check
from conformance.specification.documents import load_documents
from conformance.specification.loader import find_document_files, load_specs
from conformance.specification.locks import lock_beside, lock_text, read_lock
from tests.specification.small import DOCUMENTS, changed, lock, write_specs

RANK = "json.page claims rank json.gather klmnopqr"


def _problems(folder: Path, written: str, documents: str = DOCUMENTS) -> list[str]:
    write_specs(folder, documents=documents)
    (folder / "documents.lock").write_text(written)
    return [str(problem) for problem in load_documents([folder / "documents.yaml"]).problems]


def test_the_suites_lock_files_are_as_the_program_writes_them() -> None:
    for file in map(lock_beside, find_document_files(specs_folder())):
        found, problems = read_lock(file)
        assert problems == []
        assert not file.exists() or file.read_text(encoding="utf-8") == lock_text(found.lines)


def test_lines_may_have_any_order_and_stand_there_twice(tmp_path: Path) -> None:
    """As after a merge of two branches."""
    ordered = lock(RANK, "json.page claims rank json.gather zzzzzzzz")
    header, line, other = ordered[: ordered.index("json.page")], *ordered.splitlines(keepends=True)[-2:]
    assert _problems(tmp_path, header + other + line + other) == []
    claim = load_documents([tmp_path / "documents.yaml"]).by_id["json.page"].claims["rank"]
    assert claim.rests == {"json.gather": ("klmnopqr", "zzzzzzzz")}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("json.page claims rank json.gather klmnopqr", "with tabs between them"),
        ("<<<<<<< HEAD", "found 1 fields"),
        (
            "json.page\tclaim\trank\tjson.gather\tklmnopqr",
            "expected one of the keys claims, errata, untestable; found 'claim'",
        ),
        ("json.page\tclaims\trank\tjson gather\tklmnopqr", "expected the dotted name of an object"),
        ("json.page\tclaims\trank\tjson.gather\tabcdefgh", "expected the hash of a sentence"),
    ],
)
def test_a_line_that_is_none_is_a_problem_and_the_others_are_read(tmp_path: Path, line: str, said: str) -> None:
    [problem] = _problems(tmp_path, lock(RANK) + line + "\n")
    assert "documents.lock:4: " in problem
    assert said in problem
    assert load_documents([tmp_path / "documents.yaml"]).by_id["json.page"].claims["rank"].rests


def test_a_file_that_is_no_text_is_a_problem(tmp_path: Path) -> None:
    write_specs(tmp_path)
    (tmp_path / "documents.lock").write_bytes(b"\xff")
    [problem] = load_documents([tmp_path / "documents.yaml"]).problems
    assert "documents.lock:1: not UTF-8" in str(problem)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (RANK.replace("rank", "ranks"), "json.page has no claims entry 'ranks'; did you mean 'rank'?"),
        (RANK.replace("claims", "errata"), "json.page has no errata entry 'rank'"),
        (
            RANK.replace("json.page", "json.pages"),
            "documents.yaml has no document 'json.pages'; did you mean 'json.page'?",
        ),
    ],
)
def test_lines_of_what_the_documents_do_not_have_are_stale(tmp_path: Path, line: str, said: str) -> None:
    again = line.replace("klmnopqr", "zzzzzzzz")
    [problem] = _problems(tmp_path, lock(line, again))
    assert "documents.lock:3: " in problem
    assert said in problem
    assert "rename the lines of an entry that was renamed" in problem


def test_lines_of_a_claim_that_cannot_be_read_are_not_stale(tmp_path: Path) -> None:
    documents = changed(DOCUMENTS, "rank: Index has as many axes as input.", "rank: {say: Index has axes.}")
    assert not any("documents.lock" in problem for problem in _problems(tmp_path, lock(RANK), documents))


def test_a_group_without_lines_is_a_problem_that_names_the_command_which_writes_them(tmp_path: Path) -> None:
    [problem] = _problems(tmp_path, lock(), DOCUMENTS + "    untestable: {titles: They are titles.}\n")
    assert "json.page: titles rests on no sentence in" in problem
    assert "`conformance docs add HASH --target json --document 'json.page' --untestable titles` writes one" in problem


def test_a_claim_that_refers_without_lines_is_a_problem(tmp_path: Path) -> None:
    rank = "rank: {says: Index has as many axes as input., refers: json.take}"
    documents = changed(DOCUMENTS, "rank: Index has as many axes as input.", rank)
    [problem] = _problems(tmp_path, lock(), documents)
    assert "json.page: rank rests on no sentence in" in problem


def test_a_claim_without_lines_among_others_that_have_some_is_found_by_check(tmp_path: Path) -> None:
    page = [problem for problem in check(load_specs(write_specs(tmp_path / "page"))) if "no sentence" in str(problem)]
    assert page == []
    found = check(load_specs(write_specs(tmp_path / "docstring", rests=[RANK])))
    without = [problem.message for problem in found if "rests on no sentence in" in problem.message]
    assert len(without) == 3
    assert any("--document 'json.page' --locator example.1` writes one" in message for message in without)
