"""The documentation that ships with the frameworks: what the splitter and the hashes promise holds for all of it."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable

import pytest

from conformance.cli.docs_target import shipped_by
from conformance.documentation.pieces import Piece
from conformance.documentation.reading import read
from conformance.documentation.splitter import split
from conformance.documentation.words import hash_of, words
from conformance.execution.plan import Interpreters
from conformance.execution.shipped import Shipped
from conformance.specification.loader import load_specs

pytestmark = pytest.mark.frameworks

WORD = re.compile(r"\w+")
READ_COMPLETELY: dict[str, tuple[str, ...] | None] = {
    "torch": None,
    "numpy": None,
    "jax": None,
    "mindspore": None,
    "tensorflow": None,
    "onnxruntime": None,
    "openvino": None,
    "paddle": None,
    "keras": None,
    "mlx": None,
}
"""By target, the objects of whose documentation no sentence is unread in the tested default version; None for all."""

WITHOUT_MINUS_SIGNS = {"keras"}
"""Frameworks in whose documentation no number is negative."""


@pytest.fixture(scope="module", params=READ_COMPLETELY)
def shipped(request: pytest.FixtureRequest) -> Shipped:
    return _shipped_by(request.param)


def _shipped_by(target: str) -> Shipped:
    return shipped_by(target, load_specs(), Interpreters())


def _statements(shipped: Shipped) -> list[Piece]:
    return [piece for text in shipped.texts.values() for piece in split(text) if piece.is_statement]


def test_every_word_of_every_text_is_in_exactly_one_piece(shipped: Shipped) -> None:
    assert len(shipped.texts) >= 4
    for name, text in shipped.texts.items():
        pieces = [word for piece in split(text) for word in WORD.findall(piece.text)]
        assert pieces == WORD.findall(inspect.cleandoc(text)), name


def test_every_statement_of_a_text_has_a_locator_of_its_own(shipped: Shipped) -> None:
    for name, text in shipped.texts.items():
        locators = [piece.place.locator for piece in split(text) if piece.is_statement]
        assert len(set(locators)) == len(locators), name


def test_parameters_are_told_from_prose(shipped: Shipped) -> None:
    described = [
        name
        for name, text in shipped.texts.items()
        if re.search(r"^ *((Args|Parameters|Inputs):?$|:param )", text, re.MULTILINE)
    ]
    assert described != []
    for name in described:
        assert any(piece.place.kind == "parameter" and piece.place.entry for piece in split(shipped.texts[name])), name


def test_sentences_have_the_same_hash_on_other_lines_and_in_other_markup(shipped: Shipped) -> None:
    for piece in _statements(shipped):
        if piece.place.kind in ("code", "example", "signature"):
            continue
        entry = None if piece.begins_entry else piece.place.entry
        wrapped = "\n".join(textwrap.wrap(piece.text, 30, break_long_words=False, break_on_hyphens=False))
        in_roles = re.sub(r"(?<![:`\w])`(\w+)`(?![`_])", r":py:attr:`\1`", piece.text)
        for same in (wrapped, in_roles, piece.text.replace("the", "THE"), piece.text.replace("``", "`")):
            assert hash_of(same, entry) == piece.hash, piece.place


def test_hashes_do_not_depend_on_the_order_and_the_indentation_of_a_text(shipped: Shipped) -> None:
    for name, text in shipped.texts.items():
        indented = textwrap.indent(text if text.startswith("\n") else inspect.cleandoc(text), "      ")
        assert {piece.hash for piece in split(indented)} == {piece.hash for piece in split(text)}, name


def test_a_lost_word_or_minus_sign_changes_the_hash(shipped: Shipped) -> None:
    pieces = _statements(shipped)
    assert any("-1" in piece.text for piece in pieces) != (shipped.framework in WITHOUT_MINUS_SIGNS)
    for piece in pieces:
        is_code = piece.place.kind in ("code", "example", "signature")
        entry = None if piece.begins_entry else piece.place.entry
        said = words(piece.text, is_code=is_code)
        lost = [" ".join([*said[:at], *said[at + 1 :]]) for at in range(len(said))]
        if "-1" in piece.text:
            lost.append(piece.text.replace("-1", "1"))
        assert all(hash_of(text, entry, is_code=is_code) != piece.hash for text in lost), piece.place


def test_what_was_read_completely_has_no_unread_sentence(shipped: Shipped) -> None:
    read_completely = READ_COMPLETELY[shipped.framework]
    _assert_read_completely(shipped, shipped.texts if read_completely is None else read_completely)


@pytest.mark.parametrize("opset", ["opset16", "opset13", "opset12", "opset11"])
def test_the_schemas_of_every_opset_were_read_completely(opset: str) -> None:
    shipped = _shipped_by(f"onnxruntime[{opset}]")
    assert len(shipped.texts) == 8
    _assert_read_completely(shipped, shipped.texts)


def _assert_read_completely(shipped: Shipped, names: Iterable[str]) -> None:
    documents = load_specs().documents.values()
    for name in names:
        reading = read(documents, name, shipped.texts[name])
        assert [str(statement.piece.place) for statement in reading.unread] == [], name
        assert reading.lost == (), name
