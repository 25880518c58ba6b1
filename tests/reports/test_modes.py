"""What summaries say where modes disagree, and what a expensive mode was not tried on."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import get_args

from rich.console import Console

from conformance.findings.conclusions import Conclusions
from conformance.outcomes.model import Abstract
from conformance.reports.remarks import left_out_texts, undocumented_texts
from conformance.reports.summaries import summary, summary_md
from conformance.reports.terminal import show
from conformance.results.file import Results
from conformance.results.records import DocumentRecord
from conformance.specification.vocabulary import LeftOut
from tests.reports.sample import raised, sample
from tests.reports.sample_cases import TORCH
from tests.reports.site_of import site_of, words

COMPILED = "torch==2.13.0[compile]@cpu"
BY_TURNS = "this mode compiles slowly, so that each API meets each program, view, constant, argument and transform once, by turns"
WORDS: dict[LeftOut, str] = {
    "draws": "3 draws",
    "forms": "3 calls in rare forms, with contradictions or in programs",
    "dtypes": "3 calls in other dtypes",
    "views": "3 calls with views or shared memory",
    "passing": "3 calls with constant tensors or changing numbers",
    "transforms": "3 transformed calls like others",
}


def two_modes() -> Results:
    """The sample with torch compiled, which refuses one example that eager torch takes."""
    results = sample()
    torch = next(one for one in results.targets if one.id == TORCH)
    compiled = replace(torch, id=COMPILED, mode="compile", left_out={"draws": 1, "dtypes": 925, "views": 12}, forms=8)
    again = [replace(one, target=COMPILED) for one in results.results if one.target == TORCH]
    first = next(place for place, one in enumerate(again) if one.verdict == "conforms")
    again[first] = replace(again[first], outcome=raised("RuntimeError", "no kernel"), verdict="diverges")
    return replace(results, targets=[*results.targets, compiled], results=[*results.results, *again])


def shown(results: Results, *, verbose: bool = True) -> str:
    file = io.StringIO()
    show(summary(Conclusions(results), verbose=verbose), Console(file=file, width=200, highlight=False))
    return file.getvalue()


def test_the_terminal_tells_where_modes_disagree_with_an_example() -> None:
    text = shown(two_modes())
    assert "Modes disagree (1)\n" in text
    assert f" on {TORCH}, {COMPILED}\n" in text
    assert "status in 1 of " in text
    assert ": returns, and raises RuntimeError\n" in text
    assert "Modes disagree: 1 clause\n" in shown(two_modes(), verbose=False)


def test_the_summary_tells_the_same() -> None:
    text = summary_md(two_modes())
    assert "## Modes disagree (1)" in text
    assert "returns, and raises RuntimeError`" in text


def test_a_page_of_each_mode_has_what_differs_from_the_default_mode() -> None:
    results = two_modes()
    site = site_of(results)
    [page] = [path for path in site if path.startswith("mode/")]
    text = words(site[page])
    assert "compile: what differs from eager" in text
    assert "and 1 does not, whatever a document says" in text
    wrong = next(one for one in results.results if one.target == COMPILED and one.verdict == "diverges")
    assert f"1 of 1 such as {wrong.case}" in text
    assert "raises RuntimeError" in text
    assert f'<a href="../{page}">{COMPILED}</a>' in site["run/index.html"]


def test_the_page_of_a_mode_that_computes_no_elements_says_that_they_are_not_compared() -> None:
    results = two_modes()
    said = "elements are not, since this mode computes none"
    [page] = [text for path, text in site_of(results).items() if path.startswith("mode/")]
    assert said not in words(page)
    shapes = [
        replace(one, outcome=Abstract("int32", (1,))) if one.target == COMPILED and one.verdict == "conforms" else one
        for one in results.results
    ]
    [page] = [text for path, text in site_of(replace(results, results=shapes)).items() if path.startswith("mode/")]
    assert said in words(page)


def test_a_run_in_one_mode_says_nothing_of_modes() -> None:
    assert not any(path.startswith("mode/") for path in site_of(sample()))
    assert "disagree" not in shown(sample()) + summary_md(sample())


def test_an_expensive_mode_reports_the_forms_of_its_draws_and_what_it_skipped() -> None:
    text = (
        f"{COMPILED} ran draws of 8 forms and skipped 1 draw, 925 calls in other dtypes, "
        f"12 calls with views or shared memory: {BY_TURNS}"
    )
    results = two_modes()
    assert left_out_texts(results) == [text]
    assert text in " ".join(shown(results).split())
    assert "ran draws of 8 forms" in summary_md(results)
    assert f"<li>{text}</li>" in site_of(results)["run/index.html"]


def test_what_all_targets_skip_is_said_once() -> None:
    results = two_modes()
    results.targets[:] = [replace(one, left_out={"transforms": 5}, forms=None) for one in results.targets[:2]]
    names = [target.id for target in results.targets]
    text = (
        f"2 targets skipped 10 transformed calls like others: --transforms all makes them ({names[0]} 5, {names[1]} 5)"
    )
    assert left_out_texts(results) == [text]


def test_an_expensive_mode_that_skipped_nothing_reports_only_the_forms() -> None:
    results = two_modes()
    results.targets[-1] = replace(results.targets[-1], left_out={}, forms=1)
    assert left_out_texts(results) == [f"{COMPILED} ran draws of 1 form: this mode compiles slowly"]


def test_pages_and_summaries_have_a_word_for_all_that_a_mode_may_leave_out() -> None:
    assert WORDS.keys() == {*get_args(LeftOut)}
    results = two_modes()
    results.targets[-1] = replace(results.targets[-1], left_out=dict.fromkeys(WORDS, 3))
    text = f"{COMPILED} ran draws of 8 forms and skipped {', '.join(WORDS.values())}: {BY_TURNS}"
    assert left_out_texts(results) == [text]
    site = site_of(results)
    assert f"<li>{text}</li>" in site["run/index.html"]
    for_cost = ", ".join(WORDS[what] for what in WORDS if what != "transforms")
    assert f"is an expensive mode: {for_cost} of all operations are left out." in words(
        site["api/torch.gather/index.html"]
    )


def _with_an_unread_claim() -> Results:
    results = sample()
    unread = {"tf.f": ["tf.page#rank"], "tf.g": ["tf.page#rank", "tf.page#shape"]}
    targets = [replace(target, unread=unread) if target.id == TORCH else target for target in results.targets]
    return replace(results, targets=targets)


def test_both_summaries_count_each_unread_claim_once() -> None:
    text = "2 claims unread, judged as portability"
    results = _with_an_unread_claim()
    assert text in " ".join(shown(results).split())
    assert text in summary_md(results)
    assert "unread" not in shown(sample()) + summary_md(sample())


def test_no_remark_is_about_the_reference_since_nothing_documents_it() -> None:
    results = sample()
    torch = next(one for one in results.targets if one.id == TORCH)
    other = replace(torch, id="reference==0.1.0@cpu", framework="reference")
    mappings = [replace(results.mappings[0], target=one.id, api="no.such", follows=None) for one in (torch, other)]
    documents = [DocumentRecord("torch.gather", "torch", ["torch.gather"])]
    results = replace(results, results=[], targets=[torch, other], mappings=mappings, documents=documents)
    [text] = undocumented_texts(results)
    assert f"every divergence of {torch.id} is portability" in text
