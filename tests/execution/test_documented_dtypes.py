"""An API that refuses a dtype which its own document names breaks that document, whatever the call's clause is about."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from conformance.cases.model import Case
from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.written import written_cases
from conformance.results.file import Results
from conformance.specification.model import Citation
from tests.execution.harness import fake_cases, of_operation, run_adapters

ADAPTER = """
import numpy as np
from conformance.adapter import api

def describe():
    return {"framework": "mine", "version": "1.0"}

@api("mine.right", operation="gather_elements")
def right(input, dim, index):
    return np.take_along_axis(input, index, dim)

@api("mine.documented", operation="gather_elements")
def documented(input, dim, index):
    if input[0] < 3:
        raise ValueError("the first element is too small")
    if input.dtype == np.int16:
        raise TypeError("no kernel for int16")
    return right(input, dim, index)

@api("mine.composed", operation="gather_elements", composed=True)
def composed(input, dim, index):
    return documented(input, dim, index)

@api("mine.promised", operation="gather_elements", dtypes=["int16"])
def promised(input, dim, index):
    return documented(input, dim, index)
"""


def _documented(case: Case, named: Collection[str]) -> Case:
    """The case where a page about APIs of ``mine`` names dtypes of input, which another clause cites."""
    [citation, *_] = case.clause.citations
    claim = replace(citation.claim, locator="input.dtype", dtypes={"input": tuple(named)})
    describes = ("mine.documented", "mine.composed")
    page = replace(
        citation.document, id="mine.page", framework="mine", describes=describes, claims={claim.locator: claim}
    )
    clause = replace(case.clause, id="gather_elements.behaviour.of-a-page", citations=(Citation(page, claim),))
    return of_operation(case, replace(case.operation, clauses=(*case.operation.clauses, clause)))


def _run(folder_of: pytest.TempPathFactory, *named: str) -> Results:
    folder = folder_of.mktemp("run")
    (folder / "mine.py").write_text(ADAPTER, encoding="utf-8")
    cases = [_documented(case, named) for case in fake_cases([written_cases, dtype_cases])]
    return run_adapters(folder, [folder / "mine.py"], cases=cases)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return _run(tmp_path_factory, "float32", "int16")


def _in_int16(results: Results, api: str, case: str) -> tuple[str, tuple[str, ...], str]:
    name = f"gather_elements.example.{case}/as-printed.int16"
    [found] = [one for one in results.results if (one.api, one.case) == (f"mine.{api}", name)]
    return found.verdict, tuple(found.divergence), found.standing


def test_a_dtype_that_a_document_names_and_a_call_that_returns_otherwise_is_refused_in_breaks_it(
    results: Results,
) -> None:
    assert _in_int16(results, "documented", "unlucky") == ("diverges", ("rejected",), "own")
    [found] = [one for one in results.results if one.standing == "own" and one.verdict == "diverges"]
    claim = (
        "the API's documentation names int16 as input (mine.page#input.dtype), and the call returns in another dtype"
    )
    assert claim in str(found.explanation)


def test_a_call_that_is_refused_in_its_original_dtype_too_says_nothing_against_the_document(results: Results) -> None:
    assert _in_int16(results, "documented", "lucky") == ("diverges", ("rejected",), "portability")


def test_no_document_speaks_of_several_calls_or_of_what_the_adapter_promises(results: Results) -> None:
    assert _in_int16(results, "composed", "unlucky")[2] == "portability"
    assert _in_int16(results, "promised", "unlucky") == ("diverges", ("rejected",), "portability")


def test_a_document_that_names_the_family_or_other_dtypes_promises_none_and_a_list_says_what_is_unsupported(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    for named, verdict in {"integer": "observed", "float32": "unsupported"}.items():
        results = _run(tmp_path_factory, named)
        assert _in_int16(results, "documented", "unlucky") == (verdict, (), "portability")
