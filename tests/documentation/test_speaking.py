"""A claim speaks of an API in a version if the documentation that ships with that version still has its sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.documentation.speaking import DocumentedApi, hashes, objects_of, spoken
from conformance.documentation.words import hash_of
from conformance.specification.documents import load_documents
from conformance.specification.model import Document

GATHER = (
    "Takes elements of values. The index has the rank of values. An index is at least -1. With repeats, any remains."
)
RANK = hash_of("The index has the rank of values")
RANGE = hash_of("An index is at least -1")
METHOD = "As fake.gather, but out of place. It is new."
AS_GATHER = hash_of("As fake.gather, but out of place")
DOCUMENTS = f"""\
documents:
  fake:
    title: Docstrings of fake
    official: true
    framework: fake
    describes: [fake.gather, fake.Tensor.gather, fake.other]
    claims:
      rank: {{says: Index has as many axes as values., rests: {{fake.gather: [{RANK}]}}}}
      range: {{says: Indices are at least -1., rests: {{fake.gather: [{RANGE}, {RANK}]}}}}
      method: {{says: The method does as much., rests: {{fake.Tensor.gather: [{AS_GATHER}]}}, refers: fake.gather}}
      captured: A page says so.
"""


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    path = tmp_path / "documents.yaml"
    path.write_text(DOCUMENTS)
    loaded = load_documents([path])
    assert loaded.problems == []
    return list(loaded.by_id.values())


def _spoken(
    documents: list[Document], name: str, *, gather: str | None = GATHER, method: str | None = METHOD
) -> tuple[set[str], set[str]]:
    texts = {"fake.gather": gather, "fake.Tensor.gather": method}
    found = spoken(
        documents,
        DocumentedApi(name, None, (name,)),
        {object_name: hashes(text) for object_name, text in texts.items() if text is not None},
    )
    return (
        {each.removeprefix("fake#") for each in found.citations},
        {each.removeprefix("fake#") for each in found.unread},
    )


def test_claims_whose_sentences_are_all_there_speak_of_the_api(documents: list[Document]) -> None:
    assert _spoken(documents, "fake.gather") == ({"rank", "range"}, set())


def test_a_claim_with_a_reworded_sentence_is_unread(documents: list[Document]) -> None:
    assert _spoken(documents, "fake.gather", gather=GATHER.replace("has the", "needs the")) == (
        set(),
        {"rank", "range"},
    )


def test_a_claim_of_several_sentences_needs_them_all(documents: list[Document]) -> None:
    assert _spoken(documents, "fake.gather", gather=GATHER.replace("-1", "1")) == ({"rank"}, {"range"})


@pytest.mark.parametrize(
    "same",
    [
        GATHER.replace(". ", ".\n   "),
        GATHER.replace("values", "``values``"),
        GATHER.replace("index", ":attr:`index`"),
        ". ".join(reversed(GATHER.removesuffix(".").split(". "))) + ".",
        f"{GATHER} And more.",
    ],
)
def test_other_white_space_markup_and_order_change_nothing(documents: list[Document], same: str) -> None:
    assert same != GATHER
    assert _spoken(documents, "fake.gather", gather=same) == ({"rank", "range"}, set())


@pytest.mark.parametrize("text", [None, "", "取出元素。"])
def test_without_documentation_or_in_another_language_every_claim_is_unread(
    documents: list[Document], text: str | None
) -> None:
    assert _spoken(documents, "fake.gather", gather=text) == (set(), {"rank", "range"})


def test_an_api_whose_documentation_refers_to_another_is_held_to_both(documents: list[Document]) -> None:
    assert _spoken(documents, "fake.Tensor.gather") == ({"method", "rank", "range"}, set())


def test_it_is_no_longer_once_it_stops_to_refer(documents: list[Document]) -> None:
    assert _spoken(documents, "fake.Tensor.gather", method="It is new.") == (set(), {"method"})


def test_a_claim_about_other_objects_says_nothing_about_an_api(documents: list[Document]) -> None:
    assert _spoken(documents, "fake.other") == (set(), set())


def test_an_api_that_follows_another_is_documented_as_that(documents: list[Document]) -> None:
    texts = {"fake.gather": hashes(GATHER)}
    found = spoken(documents, DocumentedApi("fake.gather(out=)", "fake.gather", ("fake.gather",)), texts)
    assert found.citations == {"fake#rank", "fake#range"}


def test_the_objects_to_ask_for_are_those_that_claims_name(documents: list[Document]) -> None:
    assert objects_of(documents) == {"fake.gather", "fake.Tensor.gather"}


def test_a_name_of_texts_stands_for_all_its_objects(tmp_path: Path) -> None:
    path = tmp_path / "documents.yaml"
    lines = DOCUMENTS.replace("    claims:\n", "    texts: {both: [fake.gather, fake.other]}\n    claims:\n")
    path.write_text(f"{lines}      shared: {{says: The ranks are equal., rests: {{both: [{RANK}]}}}}\n")
    shared = list(load_documents([path]).by_id.values())
    texts = {"fake.gather": hashes(GATHER), "fake.other": hashes(GATHER.replace("rank of", "length of"))}
    assert "fake#shared" in spoken(shared, DocumentedApi("fake.gather", None, ("fake.gather",)), texts).citations
    assert spoken(shared, DocumentedApi("fake.other", None, ("fake.other",)), texts).unread == {"fake#shared"}


def test_a_name_that_is_neither_dotted_nor_in_texts_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "documents.yaml"
    path.write_text(f"{DOCUMENTS}      shared: {{says: The ranks are equal., rests: {{both: [{RANK}]}}}}\n")
    [problem] = load_documents([path]).problems
    assert "found 'both'" in problem.message
