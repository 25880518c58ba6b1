"""Statements of the page that were once false, each over a few results that showed it."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

from conformance.matrix.merging import merged
from conformance.matrix.parts import Part
from conformance.outcomes.model import Unsupported
from conformance.reports.html import index_html
from conformance.reports.html.claims import documents
from conformance.reports.html.page import ASSETS, STYLES
from conformance.reports.html.payload import payload
from conformance.reports.summaries import summary_md
from conformance.results.file import Results
from conformance.results.records import CitationRecord, ClaimRecord
from tests.reports.sample import sample
from tests.reports.sample_cases import REFERENCE, TENSORFLOW, TORCH

RUNS = "scatter_nd.example.insert-four-scalars"


def row_of(text: str, target: str) -> str:
    [row] = re.findall(rf"<tr>(?:(?!</tr>).)*<small>{re.escape(target)}(?:(?!</tr>).)*</tr>", text, flags=re.DOTALL)
    return str(row)


def words(text: str) -> str:
    """The text of a page without its script and style."""
    shown = re.sub(r"<(script|style)\b.*?</\1>|<wbr>|</?code>", "", text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", shown)).split())


def test_a_target_without_a_document_of_its_own_is_not_said_to_break_none() -> None:
    text = index_html(sample())
    assert row_of(text, REFERENCE).count(">not judged<") == 1
    assert "not judged" not in row_of(text, TENSORFLOW)
    assert re.search(r"^\| .*reference.* \| - \|", summary_md(sample()), flags=re.MULTILINE)


def about_a_device(device: Any) -> Results:
    """A clause that all targets, on CPUs, conform to, and that a claim about a device is cited for."""
    results = sample()
    claim = CitationRecord("D", "platforms", f"The function runs on a {device}.", True, device=device)
    clause = replace(results.clauses[RUNS], citations=[claim])
    only = [result for result in results.results if result.clause == RUNS]
    return replace(results, clauses={RUNS: clause}, results=only, claims=[])


def test_a_claim_about_a_device_is_tested_only_by_results_on_that_device() -> None:
    on_gpu, on_cpu, on_any = (documents(about_a_device(device))[0] for device in ("gpu", "cpu", None))
    assert [document.claims[0].tested[0].results for document in (on_gpu, on_cpu, on_any)] == [0, 5, 5]
    assert (on_gpu.counts.total(), on_cpu.counts.total()) == (0, 5)
    text = words(index_html(about_a_device("gpu")))
    assert "not tested by this run, which has no results on a GPU" in text
    assert "not tested by this run" not in words(index_html(about_a_device("cpu")))


def test_a_claim_about_a_device_is_tested_by_a_target_on_it() -> None:
    results = about_a_device("gpu")
    targets = [replace(one, gpu=True) if one.id == TORCH else one for one in results.targets]
    [document] = documents(replace(results, targets=targets))
    assert document.claims[0].tested[0].results == 1


def test_calls_that_were_never_made_are_not_counted_among_the_calls() -> None:
    results = sample()
    called = {one.case for one in results.results if one.verdict not in ("unsupported", "blocked")}
    assert f"{len(called)} calls, each derived from a document, ran" in words(index_html(results))
    refused = [replace(one, outcome=Unsupported("no form"), verdict="unsupported") for one in results.results]
    assert "0 calls, each derived from a document, ran" in words(index_html(replace(results, results=refused)))
    [document] = documents(replace(about_a_device("cpu"), results=refused))
    assert document.claims[0].tested[0].cases == 0


def test_a_claim_of_some_versions_is_shown_with_their_range() -> None:
    results = sample()
    citation = CitationRecord("D", "raises", "It raises.", True, versions="<2.5")
    clause = replace(results.clauses[RUNS], citations=[citation])
    claim = ClaimRecord("D", "The page", "raises", "It raises.", True, versions="<2.5")
    some = replace(results, clauses={RUNS: clause}, claims=[claim])
    assert "It raises. raises, versions <2.5" in words(index_html(some))
    assert payload(some)["clauses"][0]["citations"][0]["versions"] == "<2.5"


def test_our_own_words_are_not_set_as_a_quotation() -> None:
    assert not [path.name for path in ASSETS.iterdir() if "blockquote" in path.read_text(encoding="utf-8")]


def test_no_rule_of_the_style_changes_the_letters_of_a_name() -> None:
    assert "text-transform" not in "".join((Path(ASSETS) / name).read_text(encoding="utf-8") for name in STYLES)


def test_a_report_of_several_runs_names_each_of_them() -> None:
    both = sample()
    parts = []
    for name in (TORCH, TENSORFLOW):
        run = replace(both.run, command=f"conformance run {name}", targets=[name])
        targets = [one for one in both.targets if one.id == name]
        results = [one for one in both.results if one.target == name]
        parts.append(Part(name, replace(both, run=run, targets=targets, results=results)))
    result = merged(parts, "conformance report a b").results
    page = words(index_html(result))
    assert "The results of 2 runs:" in page
    assert all(f": conformance run {name} ({name})" in page for name in (TORCH, TENSORFLOW))
    assert "The results of 1 run" not in words(index_html(both))
    again = merged([Part("merged", result)], "conformance report merged").results
    assert again.run.merged == result.run.merged


def test_the_figures_of_an_operation_do_not_count_hidden_targets() -> None:
    few, results = sample(), sample()
    several = [
        replace(one, id=f"torch==2.{minor}@cpu", version=f"2.{minor}") for minor in range(8) for one in few.targets[1:2]
    ]
    again = [replace(one, target=target.id) for target in several for one in few.results if one.target == TORCH]
    many = replace(results, targets=[*few.targets, *several], results=[*few.results, *again])
    section = index_html(many).partition('id="op-scatter_nd"')[2].partition("<table")[0]
    assert not re.search(r"\d+ conforms", section)


def test_an_api_without_a_kernel_on_the_device_is_named_on_the_page() -> None:
    results = sample()
    mappings = [
        replace(one, devices=["gpu"], lacks_kernel=True) if one.api == "tf.scatter_nd" else one
        for one in results.mappings
    ]
    refused = [
        replace(one, outcome=Unsupported("no kernel"), verdict="unsupported") if one.api == "tf.scatter_nd" else one
        for one in results.results
    ]
    page = words(index_html(replace(results, mappings=mappings, results=refused)))
    assert f"{TENSORFLOW} has no kernel for tf.scatter_nd: no call of them returned." in page
    assert "no kernel on this device" in page
    assert "no kernel on this device" not in words(index_html(sample()))
