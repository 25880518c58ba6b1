"""A run executes the examples in the documentation of the APIs that it calls."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.documentation.examples import examples
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.order import in_order, records, write_results
from conformance.results.records import ExampleRecord
from conformance.specification.loader import load_specs
from tests.execution.harness import run_adapters
from tests.specification.small import DOCUMENTS, write_specs

ADAPTER = """\
import os

import numpy as np

from conformance.adapter import api


class json:
    def gather(values, index):
        {documentation!r}


def describe():
    return {{"framework": "json", "version": "1.0"}}


@api("json.gather", operation="gather_elements"{more})
def gather(input, dim, index):
    return np.take_along_axis(input, index, dim)
"""
RIGHT = ">>> np.array([1, 2]) * 2\narray([2, 4])"
WRONG = ">>> values = np.array([1, 2])\n>>> values\narray([1, 3])"
RAISES = ">>> number = 1\n>>> first = np.zeros(2)[number + 1]"
LATER = ">>> first\n0.0"
ENDS = ">>> os._exit(7)"
REFUSED = ">>> np.zeros(2)[2]\nTraceback (most recent call last):\nIndexError: too large"
NOT_REFUSED = ">>> np.zeros(2)[1]\nTraceback (most recent call last):\nIndexError: too large"
NO_SESSION = ">>>np.zeros(2)\n[0, 0]"


def _text(*sessions: str) -> str:
    return "Reads.\n\n" + "".join(f"Example::\n\n{textwrap.indent(session, '    ')}\n\n" for session in sessions)


def _run(folder: Path, *sessions: str, untestable: str | None = None, more: str = "") -> Results:
    text = _text(*sessions)
    hashes = [example.piece.hash for example in examples(text) if untestable is not None]
    group = f"    untestable: {{random: {untestable}}}\n"
    rests = [f"json.page untestable random json.gather {each}" for each in hashes]
    documents = DOCUMENTS + group * (untestable is not None)
    specs = load_specs(write_specs(folder / "specs", documents=documents, rests=rests))
    adapter = folder / "json.py"
    adapter.write_text(ADAPTER.format(documentation=text, more=more))
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    cases = [case for case in build_cases(specs, reference, sources=[written_cases]) if "backwards" in case.id]
    return run_adapters(folder, [adapter], cases=cases, documents=specs.documents)


def _only(results: Results) -> ExampleRecord:
    [example] = results.examples
    return example


def test_an_example_that_prints_what_it_shows_agrees(tmp_path: Path) -> None:
    results = _run(tmp_path, RIGHT)
    [example] = examples(_text(RIGHT))
    assert _only(results) == ExampleRecord(
        results.targets[0].id, "json.gather", "example, example 1", example.piece.hash, ["json.gather"], "agrees"
    )


@pytest.mark.parametrize(
    ("session", "verdict", "statement", "explanation"),
    [
        (WRONG, "differs", 2, "Statement 2 prints 2 instead of 3 as number 2 of 2."),
        (RAISES, "raised", 2, "Statement 2 raises IndexError."),
        (ENDS, "died", None, "The process exited with code 7."),
        (NOT_REFUSED, "differs", 1, "Statement 1 should raise IndexError and returns."),
        (NO_SESSION, "raised", None, "It is not in the form of an interactive session."),
    ],
    ids=["other number", "error", "death", "no error", "no session"],
)
def test_an_example_that_fails_says_where_and_how(
    tmp_path: Path, session: str, verdict: str, statement: int | None, explanation: str
) -> None:
    results = _run(tmp_path, session)
    example = _only(results)
    assert (example.verdict, example.statement, example.explanation) == (verdict, statement, explanation)
    assert example.fails
    assert results.complete
    assert [result.verdict for result in results.results] == ["conforms"]


def test_an_example_that_shows_its_error_agrees(tmp_path: Path) -> None:
    assert _only(_run(tmp_path, REFUSED)).verdict == "agrees"


def test_what_needs_an_example_that_does_not_run_is_not_blamed(tmp_path: Path) -> None:
    first, later, right = _run(tmp_path, RAISES, LATER, RIGHT).examples
    assert [first.verdict, later.verdict, right.verdict] == ["raised", "blocked", "agrees"]
    assert (first.error.type if first.error else None, later.error) == ("IndexError", None)
    assert not later.fails


def test_an_example_that_is_declared_untestable_is_not_judged(tmp_path: Path) -> None:
    example = _only(_run(tmp_path, WRONG, untestable="It draws random numbers."))
    assert (example.verdict, example.explanation) == ("untestable", "It draws random numbers.")


def test_random_numbers_and_what_is_made_of_them_are_not_judged(tmp_path: Path) -> None:
    drawn = (
        ">>> x = np.random.rand(3)\n>>> x\narray([0.1, 0.2, 0.3])\n>>> mask = x > 0.5\n>>> x[mask]\narray([0.7, 0.8])"
    )
    later = ">>> x.shape\n(3,)\n>>> mask.sum()\n17"
    refused = ">>> x[7]\narray(0.7)"
    verdicts = [(one.verdict, one.explanation) for one in _run(tmp_path, drawn, later, WRONG, refused).examples]
    untestable = ("untestable", "It shows random numbers, which are others each time.")
    assert verdicts[:2] == [untestable, untestable]
    assert [verdict for verdict, _ in verdicts[2:]] == ["differs", "raised"]


def test_the_numbers_of_a_seed_are_judged(tmp_path: Path) -> None:
    seeded = ">>> np.random.seed(3)\n>>> np.random.rand(1)\narray([0.1])"
    assert _only(_run(tmp_path, seeded)).verdict == "differs"


def test_an_example_of_an_api_without_a_kernel_is_not_run(tmp_path: Path) -> None:
    assert _only(_run(tmp_path, RAISES, more=", devices=('npu',)")).verdict == "unsupported"


def test_examples_are_kept_in_the_order_of_the_targets_when_a_file_is_written_again(tmp_path: Path) -> None:
    results = _run(tmp_path, WRONG, RIGHT)
    target = replace(results.targets[0], id="another")
    others = [replace(example, target="another") for example in results.examples]
    both = in_order(replace(results, targets=[target, *results.targets], examples=[*results.examples, *others]))
    assert [example.target for example in both.examples[:2]] == ["another", "another"]
    write_results(both, tmp_path / FILE_NAME)
    assert list(records(read_results(tmp_path))) == list(records(both))
