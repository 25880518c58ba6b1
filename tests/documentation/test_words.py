"""Two texts have the same hash if they say the same words: markup and layout do not count, signs and digits do."""

from __future__ import annotations

import re

import pytest
import yaml
from ruamel.yaml import YAML

from conformance.documentation.words import hash_of
from conformance.specification.vocabulary import SENTENCE_HASH

SENTENCE = "An index of -1 along `dim` is the last element of ``rows``, not an error."


@pytest.mark.parametrize(
    "same",
    [
        "An index of -1 along\n    dim is the   last element\nof rows, not an error.",
        "An index of -1 along :attr:`dim` is the last element of :py:obj:`rows`, not an error.",
        "An index of -1 along *dim* is the last element of **rows**, not an error",
        "- An index of -1 along dim is the last element of rows, not an error.",
        "3. An index of -1 along dim is the last element of rows, not an error:",
        "AN INDEX OF -1 ALONG DIM IS THE LAST ELEMENT OF ROWS, NOT AN ERROR.",
        "An index of \N{MINUS SIGN}1 along dim is the last element of rows , not an error.",
        "An index of -1 along dim is the `last element <https://example.org/3>`_ of rows, not an error.",
        "An index of -1 along dim is the [last element](https://example.org/4) of rows, not an error.",
    ],
)
def test_layout_markup_and_case_are_no_words(same: str) -> None:
    assert hash_of(same) == hash_of(SENTENCE)


@pytest.mark.parametrize(
    "other",
    [
        "An index of 1 along `dim` is the last element of ``rows``, not an error.",
        "An index of -2 along `dim` is the last element of ``rows``, not an error.",
        "An index of -1 along `dims` is the last element of ``rows``, not an error.",
        "An index of -1 along `dim` is the last element of ``rows``, now an error.",
        "An index of -1 along `dim` is the last element of ``rows``, an error.",
    ],
)
def test_a_sign_a_digit_a_name_and_a_word_are(other: str) -> None:
    assert hash_of(other) != hash_of(SENTENCE)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("x.shape[:-1]", "x.shape[:1]"),
        ("x.shape[-1]", "x.shape[:-1]"),
        ("x[:, 1]", "x[:1]"),
        ("index.size(d) <= src.size(d)", "index.size(d) >= src.size(d)"),
        ("self[i] += src[i]", "self[i] = src[i]"),
        ("a * b and c * d", "a b and c d"),
        ("1.5", "15"),
        ("- x", "x"),
    ],
)
def test_every_sign_of_a_formula_counts(text: str, other: str) -> None:
    assert hash_of(text, is_code=True) != hash_of(other, is_code=True)


def test_the_name_of_an_entry_is_one_of_its_words() -> None:
    assert hash_of("Must be int32.", "index") != hash_of("Must be int32.", "axis")


def test_no_reader_of_yaml_takes_a_hash_for_a_number_or_a_truth_value() -> None:
    hashes = [hash_of(str(number)) for number in range(300)]
    assert yaml.safe_load(f"[{', '.join(hashes)}]") == hashes
    assert list(YAML(typ="safe").load(f"[{', '.join(hashes)}]")) == hashes
    assert all(re.match(SENTENCE_HASH, each) for each in hashes)
