"""A run asks the worker what the installed version documents, and judges by that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.documentation.words import hash_of
from conformance.execution.replay import results_of
from conformance.results.file import Results
from conformance.specification.loader import load_specs
from conformance.specification.model import Document
from tests.execution.harness import job, run_adapters
from tests.specification.small import SPEC, changed, write_specs

SENTENCE = "The index has -1 axes less than input"
RESTING = (f"json.page claims rank json.gather {hash_of(SENTENCE)}",)
ADAPTER = """\
import numpy as np

from conformance.adapter import api


class json:
    gather = property(doc={documentation!r})
    ends = property(lambda self: exit(3))


def describe():
    return {{"framework": "json", "version": "1.0"}}


@api("json.gather", operation="gather_elements")
def gather(input, dim, index):
    return np.take_along_axis(input, index.ravel(), dim)
"""


@dataclass(frozen=True)
class Written:
    """An adapter, and specs whose claim rests on a sentence of its documentation."""

    adapter: Path
    cases: Sequence[Case]
    documents: Mapping[str, Document]


def _run(
    folder: Path, documentation: object, *, resting: Sequence[str] = RESTING, adapter_text: str = ADAPTER
) -> Results:
    written = _write(folder, documentation, resting=resting, adapter_text=adapter_text)
    return run_adapters(folder, [written.adapter], cases=written.cases, documents=written.documents)


def _write(
    folder: Path, documentation: object, *, resting: Sequence[str] = RESTING, adapter_text: str = ADAPTER
) -> Written:
    spec = changed(SPEC, "[rank, example.1]", "[rank]")
    specs = load_specs(write_specs(folder / "specs", spec=spec, rests=resting))
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    adapter = folder / "json.py"
    adapter.write_text(adapter_text.format(documentation=documentation))
    return Written(adapter, build_cases(specs, reference, sources=[written_cases]), specs.documents)


def _standing(results: Results) -> str:
    [result] = [each for each in results.results if each.case == "gather_elements.rule.rank/break.two-axes"]
    assert result.divergence == ["accepted"]
    return result.standing


def test_an_api_that_breaks_what_its_shipped_text_says_breaks_its_own_documentation(tmp_path: Path) -> None:
    results = _run(tmp_path, f"Gathers. {SENTENCE}.")
    [target] = results.targets
    assert _standing(results) == "own"
    assert target.sentences == {"json.gather": sorted([hash_of("Gathers."), hash_of(SENTENCE)])}
    assert target.unread == {}


def test_cases_that_are_run_for_a_script_are_judged_by_the_same_documentation(tmp_path: Path) -> None:
    written = _write(tmp_path, f"Gathers. {SENTENCE}.")
    single = job(written.adapter)
    assert _standing(results_of(written.cases, written.documents, single, 30.0)) == "own"


def test_layout_markup_and_order_make_no_difference(tmp_path: Path) -> None:
    assert _standing(_run(tmp_path, "The *index* has -1 axes\n   LESS than ``input``! Gathers.")) == "own"


@pytest.mark.parametrize(
    "other",
    ["The index has 1 axes less than input.", None, 7, "x" * (1 << 20)],
    ids=["minus sign lost", "missing", "no text", "1 MB"],
)
def test_a_text_without_the_sentence_makes_the_claim_unread(tmp_path: Path, other: object) -> None:
    results = _run(tmp_path, other)
    [target] = results.targets
    assert _standing(results) == "portability"
    assert target.unread == {"json.gather": ["json.page#rank"]}
    assert results.complete


def test_a_worker_that_ends_over_its_documentation_is_replaced(tmp_path: Path) -> None:
    resting = [line.replace("json.gather", "json.ends.twice") for line in RESTING]
    ending = changed(ADAPTER, "class json:", "class Json:") + "\n\njson = Json()\n"
    results = _run(tmp_path, "", resting=resting, adapter_text=ending)
    assert results.complete
    assert _standing(results) == "portability"
    assert results.targets[0].sentences == {}
