"""`conformance list unmapped` prints what a framework has that no adapter maps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import conformance

ADAPTER = """\
from conformance.adapter import api


class fake:
    @staticmethod
    def gather():
        "Reads at indices."

    @staticmethod
    def scatter():
        "Writes at indices, or raises."

    @staticmethod
    def segment_sum():
        "Adds."


def describe():
    return {"framework": "fake", "version": "1.0"}


@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    return input
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fake.py").write_text(ADAPTER)
    return tmp_path


def test_unmapped_callables_are_printed_with_their_words(folder: Path) -> None:
    done = conformance("list", "unmapped", "./fake.py", "--here", cwd=folder)
    assert done.status == 0
    assert [line.split(None, 1) for line in done.out.splitlines()] == [
        ["NAME", "WORDS             REASON"],
        ["fake.scatter", "scatter, indices"],
        ["fake.segment_sum", "segment"],
    ]
    assert "raises" not in done.out


def test_a_keyword_selects_among_them_and_a_program_gets_an_array(folder: Path) -> None:
    done = conformance("list", "unmapped", "./fake.py", "--here", "--json", "-k", "segment", cwd=folder)
    assert json.loads(done.out) == [{"name": "fake.segment_sum", "words": ["segment"], "reason": ""}]
    none = conformance("list", "unmapped", "./fake.py", "--here", "-k", "zzz", cwd=folder)
    assert none.status == 5
    assert "no unmapped callable matches 'zzz' (of 2)" in none.err
    assert conformance("list", "unmapped", "./fake.py", "--here", "-k", "a b", cwd=folder).status == 4


def test_a_variant_has_the_reason_of_the_file_beside_the_adapter_or_is_said_to_have_none(folder: Path) -> None:
    (folder / "variants.yaml").write_text(
        "words: [scatter, segment]\nexcused: [{reason: It is slow., names: [fake.segment_sum]}]\n"
    )
    done = conformance("list", "unmapped", "./fake.py", "--here", "--json", cwd=folder)
    assert {row["name"]: row["reason"] for row in json.loads(done.out)} == {
        "fake.scatter": "neither mapped nor excused",
        "fake.segment_sum": "It is slow.",
    }


def test_check_reads_the_file_beside_an_adapter(folder: Path) -> None:
    (folder / "variants.yaml").write_text("words: []\n")
    done = conformance("check", "./fake.py", cwd=folder)
    assert done.status == 4
    assert "variants.yaml:1: words: " in done.err
