"""The commands that a run, its pages and its JUnit file print run as they are printed, where the run was started."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES

ADAPTER = """
import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "mine"}


@api("mine.wrong", operation="gather_elements", follows="fake.mutate")
def wrong(input, dim, index):
    if index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    return np.take_along_axis(input, index, dim) + (13 in input)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("the project")
    (folder / "its adapter.py").write_text(ADAPTER)
    (folder / "its specs").symlink_to(FAKES / "specs")
    return folder


@pytest.fixture(scope="module")
def done(folder: Path) -> Done:
    where = ("--here", "--specs", "its specs")
    return conformance("run", "./its adapter.py", *where, "-k", "unlucky", "--output", "its report", cwd=folder)


def commands(lines: Sequence[str]) -> list[list[str]]:
    """Their words, without the first."""
    return [shlex.split(line)[1:] for line in lines if line.strip().startswith("conformance ")]


def of_pages(folder: Path) -> list[list[str]]:
    pages = (page.read_text() for page in (folder / "its report" / "finding").glob("*/index.html"))
    blocks = (block for page in pages for block in re.findall(r"<pre[^>]*>([^<]*)<", page))
    return commands([line for block in blocks for line in html.unescape(block).splitlines()])


def of_junit(folder: Path) -> list[list[str]]:
    texts = (failure.text or "" for failure in ET.parse(folder / "its report" / "junit.xml").getroot().iter("failure"))
    return commands([line for text in texts for line in text.splitlines()])


def test_each_script_that_is_named_is_printed(folder: Path, done: Done) -> None:
    [*named, _] = commands(done.out.partition("Next:")[2].splitlines())
    kinds = [named, of_pages(folder), of_junit(folder)]
    assert all(kinds)
    for words in {tuple(words): words for kind in kinds for words in kind}.values():
        script = conformance(*words, cwd=folder)
        assert script.status == 0, (words, script.err)
        assert "np.take_along_axis(" in script.out


def test_what_failed_is_recorded_as_named(folder: Path, done: Done) -> None:
    [*_, update] = commands(done.out.partition("Next:")[2].splitlines())
    assert "its adapter.py" not in update
    asked = conformance(*update, cwd=folder)
    assert "1 entry needs a reason and a link" in asked.err  # which it asks for on a terminal
    assert conformance(*update, "--baseline", cwd=folder).status == 0
    assert "mine.wrong" in (folder / "divergences.yaml").read_text()
