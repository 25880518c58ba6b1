"""Entries of sentences are written into the documents, and nothing else in the files changes."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from conformance.data_folders import specs_folder
from conformance.specification.documents import load_documents
from conformance.specification.documents_editing import PLACEHOLDER, Entry, NewDocument, add_entries
from conformance.specification.loader import load_sound_specs
from conformance.specification.problems import SpecError
from tests.specification.small import DOCUMENTS, lock, write_specs

NEW = NewDocument("Documentation of json.scatter", "json", ("json.scatter",))
RESTS = {"json.gather": ("klmnopqr",)}
SOME = 5
"""Every fifth document of the suite is edited, as reading and writing all takes long."""


def _changes(before: str, after: str) -> list[str]:
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]


def test_a_claim_is_written_below_the_last_one_and_its_sentence_into_the_lock_file(tmp_path: Path) -> None:
    write_specs(
        tmp_path,
        documents=DOCUMENTS
        + "\n  # The next one.\n"
        + DOCUMENTS[len("documents:\n") :].replace("json.page", "json.other"),
    )
    before = (tmp_path / "documents.yaml").read_text()
    [location] = add_entries(tmp_path, [Entry("json.page", "index.2", RESTS)], NEW)
    after = (tmp_path / "documents.yaml").read_text()
    assert _changes(before, after) == [f"+       index.2: '{PLACEHOLDER}'"]
    assert location.line == before.splitlines().index("  # The next one.")
    assert (tmp_path / "documents.lock").read_text() == lock("json.page claims index.2 json.gather klmnopqr")


def test_a_sentence_for_a_claim_that_exists_leaves_the_documents_as_they_are(tmp_path: Path) -> None:
    text = (specs_folder() / "documents.yaml").read_text(encoding="utf-8")
    (tmp_path / "documents.yaml").write_text(text, encoding="utf-8")
    for document in list(load_documents([specs_folder() / "documents.yaml"]).by_id.values())[::SOME]:
        last = list(document.claims.values())[-1]
        add_entries(tmp_path, [Entry(document.id, last.locator, RESTS)], NEW)
        assert (tmp_path / "documents.yaml").read_text(encoding="utf-8") == text
        added = load_documents([tmp_path / "documents.yaml"]).by_id[document.id]
        assert added.claims[last.locator].rests == RESTS


def test_a_claim_that_is_only_words_gets_a_key_for_what_its_sentences_refer_to(tmp_path: Path) -> None:
    write_specs(tmp_path)
    add_entries(tmp_path, [Entry("json.page", "rank", RESTS, refers="json.put")], NEW)
    claim = load_documents([tmp_path / "documents.yaml"]).by_id["json.page"].claims["rank"]
    assert (claim.says, claim.refers, claim.rests) == ("Index has as many axes as input.", "json.put", RESTS)


def test_lines_of_a_lock_file_are_sorted_and_those_of_others_stay(tmp_path: Path) -> None:
    first, last = "json.page claims example.1 json.gather zzzzzzzz", "json.page claims rank json.gather klmnopqr"
    write_specs(tmp_path, rests=[first])
    add_entries(tmp_path, [Entry("json.page", "rank", RESTS)], NEW)
    assert (tmp_path / "documents.lock").read_text() == lock(last, first)


def test_a_claim_that_exists_keeps_its_words(tmp_path: Path) -> None:
    write_specs(tmp_path)
    add_entries(tmp_path, [Entry("json.page", "rank", RESTS)], NEW)
    add_entries(tmp_path, [Entry("json.page", "rank", {"json.gather": ("zzzzzzzz", "klmnopqr")})], NEW)
    claim = load_documents([tmp_path / "documents.yaml"]).by_id["json.page"].claims["rank"]
    assert claim.says == "Index has as many axes as input."
    assert claim.rests == {"json.gather": ("klmnopqr", "zzzzzzzz")}


def test_a_group_of_untestable_sentences_collects_them(tmp_path: Path) -> None:
    write_specs(tmp_path)
    for sentence in ("klmnopqr", "zzzzzzzz"):
        rests = {"json.gather": (sentence,)}
        add_entries(tmp_path, [Entry("json.page", "titles", rests, reason="They are titles.", is_group=True)], NEW)
    [group] = load_documents([tmp_path / "documents.yaml"]).by_id["json.page"].untestable
    assert (group.name, group.reason) == ("titles", "They are titles.")
    assert group.rests == {"json.gather": ("klmnopqr", "zzzzzzzz")}


def test_a_new_document_gets_a_file_of_its_framework(tmp_path: Path) -> None:
    write_specs(tmp_path)
    add_entries(tmp_path, [Entry("json.scatter", "sentence.1", RESTS, says="It writes.", refers="json.put")], NEW)
    catalogue, problems = load_sound_specs(tmp_path)
    document = catalogue.documents["json.scatter"]
    assert problems == []
    assert document.location.file.endswith("documents/json.yaml")
    assert (document.describes, document.claims["sentence.1"].refers) == (("json.scatter",), "json.put")
    assert "json.page" in catalogue.documents


def test_an_entry_that_would_be_invalid_changes_nothing(tmp_path: Path) -> None:
    write_specs(tmp_path)
    with pytest.raises(SpecError, match="expected the hash of a sentence"):
        add_entries(tmp_path, [Entry("json.page", "rank", {"json.gather": ("no hash",)}, refers="json.put")], NEW)
    with pytest.raises(SpecError, match="without tabs"):
        add_entries(tmp_path, [Entry("json.page", "two\twords", RESTS)], NEW)
    assert (tmp_path / "documents.yaml").read_text() == DOCUMENTS
    assert not (tmp_path / "documents.lock").exists()


def test_a_document_is_defined_in_one_file_only(tmp_path: Path) -> None:
    write_specs(tmp_path)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "more.yaml").write_text(DOCUMENTS)
    _, problems = load_sound_specs(tmp_path)
    [problem] = map(str, problems)
    assert "document 'json.page' is already defined at" in problem


def test_documents_of_the_suite_can_be_edited(tmp_path: Path) -> None:
    text = (specs_folder() / "documents.yaml").read_text(encoding="utf-8")
    for document in list(load_documents([specs_folder() / "documents.yaml"]).by_id)[::SOME]:
        (tmp_path / "documents.yaml").write_text(text, encoding="utf-8")
        add_entries(tmp_path, [Entry(document, "new.1", RESTS)], NEW)
        changes = _changes(text, (tmp_path / "documents.yaml").read_text(encoding="utf-8"))
        assert [change.split()[:2] for change in changes] == [["+", "new.1:"]]
