"""A claim speaks of an API in a version if the documentation that ships with that version still has its sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.documentation.reading import read
from conformance.documentation.speaking import DocumentedApi, Spoken, documents_of, hashes, objects_of, spoken
from conformance.documentation.words import hash_of
from conformance.specification.documents import load_documents
from conformance.specification.model import Document
from tests.specification.small import lock

GATHER = (
    "Takes elements of values. The index has the rank of values. An index is at least -1. With repeats, any remains."
)
RANK = hash_of("The index has the rank of values")
RANGE = hash_of("An index is at least -1")
METHOD = "As fake.gather, but out of place. It is new."
AS_GATHER = hash_of("As fake.gather, but out of place")
DOCUMENTS = """\
documents:
  fake:
    title: Docstrings of fake
    official: true
    framework: fake
    describes: [fake.gather, fake.Tensor.gather, fake.other]
    claims:
      rank: Index has as many axes as values.
      range: Indices are at least -1.
      method: {says: The method does as much., refers: fake.gather}
      captured: A page says so.
"""
RESTS = [
    f"fake claims rank fake.gather {RANK}",
    f"fake claims range fake.gather {RANGE}",
    f"fake claims range fake.gather {RANK}",
    f"fake claims method fake.Tensor.gather {AS_GATHER}",
]


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    return _loaded(tmp_path, DOCUMENTS, *RESTS)


def _loaded(folder: Path, documents: str, *rests: str) -> list[Document]:
    path = folder / "documents.yaml"
    path.write_text(documents)
    (folder / "documents.lock").write_text(lock(*rests))
    loaded = load_documents([path])
    assert loaded.problems == []
    return list(loaded.by_id.values())


def _spoken(
    documents: list[Document], name: str, *, gather: str | None = GATHER, method: str | None = METHOD
) -> tuple[set[str], set[str]]:
    texts = {"fake.gather": gather, "fake.Tensor.gather": method}
    found = spoken(
        documents,
        "fake",
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
    found = spoken(documents, "fake", DocumentedApi("fake.gather(out=)", "fake.gather", ("fake.gather",)), texts)
    assert found.citations == {"fake#rank", "fake#range"}


def test_a_backend_without_the_documentation_that_it_follows_is_held_to_all_of_it(documents: list[Document]) -> None:
    said = spoken(documents, "mine", DocumentedApi("mine.gather", "fake.gather", ("fake.gather",)), {})
    assert said == Spoken(frozenset({"fake#rank", "fake#range", "fake#method"}))


def test_a_backend_is_held_to_the_documentation_that_its_adapter_names(documents: list[Document]) -> None:
    texts = {"fake.gather": hashes(GATHER.replace("-1", "1"))}
    said = spoken(documents, "mine", DocumentedApi("mine.gather", "fake.gather", ("fake.gather",)), texts)
    assert said == Spoken(frozenset({"fake#rank"}), frozenset({"fake#range"}))


@pytest.mark.parametrize(("edition", "also"), [("gather_1", "fewer"), ("gather_2", "more")])
def test_of_several_editions_of_a_text_only_the_one_that_ships_counts(tmp_path: Path, edition: str, also: str) -> None:
    fewer, more = "It takes three dtypes.", "It takes four dtypes."
    documents = _loaded(
        tmp_path,
        """\
documents:
  fake:
    title: Editions of fake
    official: true
    framework: fake
    describes: [fake.gather]
    claims:
      rank: Index has as many axes as values.
      fewer: Values have three dtypes.
      more: Values have four dtypes.
""",
        f"fake claims rank fake.gather_1 {hash_of('Takes elements.')}",
        f"fake claims rank fake.gather_1 {hash_of('The ranks are one.')}",
        f"fake claims rank fake.gather_2 {hash_of('Takes elements.')}",
        f"fake claims rank fake.gather_2 {RANK}",
        f"fake claims fewer fake.gather_1 {hash_of(fewer)}",
        f"fake claims more fake.gather_2 {hash_of(more)}",
    )
    texts = {
        "fake.gather_1": f"Takes elements. The ranks are one. {fewer}",
        "fake.gather_2": f"Takes elements. The index has the rank of values. {more}",
    }
    shipped = {f"fake.{edition}": hashes(texts[f"fake.{edition}"])}
    for framework in ("fake", "mine"):
        api = DocumentedApi(f"{framework}.gather", "fake.gather", (f"fake.{edition}",))
        assert spoken(documents, framework, api, shipped) == Spoken(frozenset({"fake#rank", f"fake#{also}"}))
    assert read(documents, f"fake.{edition}", texts[f"fake.{edition}"]).lost == ()


def test_the_objects_to_ask_for_are_those_that_claims_name(documents: list[Document]) -> None:
    assert objects_of(documents) == {"fake.gather", "fake.Tensor.gather"}


def test_a_claim_may_rest_on_the_same_sentence_of_several_objects(tmp_path: Path) -> None:
    resting = [f"fake claims shared {name} {RANK}" for name in ("fake.gather", "fake.other")]
    shared = _loaded(tmp_path, f"{DOCUMENTS}      shared: The ranks are equal.\n", *RESTS, *resting)
    texts = {"fake.gather": hashes(GATHER), "fake.other": hashes(GATHER.replace("rank of", "length of"))}
    assert (
        "fake#shared" in spoken(shared, "fake", DocumentedApi("fake.gather", None, ("fake.gather",)), texts).citations
    )
    assert spoken(shared, "fake", DocumentedApi("fake.other", None, ("fake.other",)), texts).unread == {"fake#shared"}


def test_documents_of_another_framework_count_if_an_api_follows_what_they_describe(documents: list[Document]) -> None:
    follows, does_not = DocumentedApi("mine.gather", "fake.gather", ()), DocumentedApi("mine.gather", None, ())
    assert documents_of(documents, "fake", []) == documents
    assert documents_of(documents, "mine", [follows]) == documents
    assert documents_of(documents, "mine", [does_not]) == []
