"""The commands that a run, its pages and its JUnit file print run as they are printed, where the run was started."""

from __future__ import annotations

import html
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from conformance.reports.commands import rerun_command
from conformance.results.file import read_results
from conformance.results.variations import DrawnRecord, FoundRecord
from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES
from tests.execution.test_documented_transforms import OUTSIDE
from tests.specification.small import SPEC, changed, write_specs

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

ENSURED = """
  shape:
    states: The result has the shape of the index.
    cite: {json.page: [rank]}
    ensure: "result.shape == index.shape"
    keep: {two: {call: {input: {int32: [10, 20]}, dim: 0, index: {int64: [1, 0]}}}}
"""
LAYOUT = """
axes: {before: 0, along: 1, picked: 1}
layout: {input: "before... along...", dim: rank(before), index: "before... picked..."}
drawn: shape
examples:"""


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


def of_pages(report: Path) -> list[list[str]]:
    pages = (page.read_text() for page in (report / "finding").glob("*/index.html"))
    blocks = (block for page in pages for block in re.findall(r"<pre[^>]*>([^<]*)<", page))
    return commands([line for block in blocks for line in html.unescape(block).splitlines()])


def of_junit(folder: Path) -> list[list[str]]:
    texts = (failure.text or "" for failure in ET.parse(folder / "its report" / "junit.xml").getroot().iter("failure"))
    return commands([line for text in texts for line in text.splitlines()])


def test_each_script_that_is_named_is_printed(folder: Path, done: Done) -> None:
    [*named, _] = commands(done.out.partition("Next:")[2].splitlines())
    kinds = [named, of_pages(folder / "its report"), of_junit(folder)]
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


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project and, among its results, those of a run of draws, which a later run without --output follows."""
    project = tmp_path_factory.mktemp("project")
    shutil.copy(FAKES / "wrong_on_draws.py", project)
    spec = changed(SPEC, "tensor: integer}", "tensor: integer, into: input, along: dim}")
    write_specs(project / "specs", spec=changed(spec, "examples:", LAYOUT) + OUTSIDE + ENSURED)
    run = ("run", "./wrong_on_draws.py", "--here", "--specs", "specs", "-q", "--fail-on", "any")
    assert conformance(*run, "--draws", "20", cwd=project).status == 1
    (project / "first").symlink_to((project / "conformance-report").resolve())
    conformance(*run, "-k", "example", cwd=project)
    return project


def test_what_needs_the_results_of_a_run_has_them_after_a_later_run_too(drawn: Path) -> None:
    needing = [words for words in of_pages(drawn / "first") if "--results" in words]
    assert needing
    script = conformance(*needing[0], cwd=drawn)
    assert script.status == 0, (needing[0], script.err)


def test_drawn_calls_and_what_was_found_from_them_are_made_again_as_named(drawn: Path) -> None:
    results = read_results(drawn / "first")
    [target] = results.targets
    kinds: dict[str, str] = {}
    for result in results.results:
        variation = results.cases[result.case].variation
        if result.verdict == "diverges" and isinstance(variation, DrawnRecord | FoundRecord):
            kinds.setdefault(variation.kind, rerun_command(results, result, "first"))
    assert {*kinds} == {"drawn", "found"}
    for command in kinds.values():
        [words] = commands([command])
        again = conformance(*words, "--output", "again", "-q", "--fail-on", "any", cwd=drawn)
        assert again.status == 1, (command, again.err)
        made = read_results(drawn / "again").results
        assert {(one.target, one.verdict) for one in made} == {(target.id, "diverges")}
