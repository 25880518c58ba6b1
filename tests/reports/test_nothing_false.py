"""Statements of the page that were once false, each over a few results that showed it."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

from conformance.matrix.merging import merged
from conformance.matrix.parts import Part
from conformance.outcomes.model import Unsupported
from conformance.reports.site.claims import documents
from conformance.reports.site.site import HERE, STYLES
from conformance.reports.summaries import summary_md
from conformance.results.file import Results
from conformance.results.records import CitationRecord, ClaimRecord
from tests.reports.sample import sample
from tests.reports.sample_cases import TENSORFLOW, TORCH
from tests.reports.site_of import data_of, site_of

RUNS = "scatter_nd.example.insert-four-scalars"


def words(text: str) -> str:
    """The text of a page."""
    shown = re.sub(r"<wbr>|</?code>", "", text)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", shown)).split())


def test_a_target_without_a_document_of_its_own_is_not_said_to_break_none() -> None:
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
    assert "not tested by this run" in words(site_of(about_a_device("gpu"))["documents/D/index.html"])
    assert "not tested by this run" not in words(site_of(about_a_device("cpu"))["documents/D/index.html"])


def test_a_claim_about_a_device_is_tested_by_a_target_on_it() -> None:
    results = about_a_device("gpu")
    targets = [replace(one, gpu=True) if one.id == TORCH else one for one in results.targets]
    [document] = documents(replace(results, targets=targets))
    assert document.claims[0].tested[0].results == 1


def test_calls_that_were_never_made_are_not_counted_among_the_calls() -> None:
    results = sample()
    refused = [replace(one, outcome=Unsupported("no form"), verdict="unsupported") for one in results.results]
    page = words(site_of(replace(results, results=refused))["api/torch.gather/index.html"])
    assert re.search(r"0 of \d+ calls made", page)
    [document] = documents(replace(about_a_device("cpu"), results=refused))
    assert document.claims[0].tested[0].cases == 0


def test_a_claim_of_some_versions_is_shown_with_their_range() -> None:
    results = sample()
    citation = CitationRecord("D", "raises", "It raises.", True, versions="<2.5")
    clause = replace(results.clauses[RUNS], citations=[citation])
    claim = ClaimRecord("D", "The page", "raises", "It raises.", True, versions="<2.5")
    some = replace(results, clauses={RUNS: clause}, claims=[claim])
    site = site_of(some)
    assert "It raises. raises, versions <2.5" in words(site["documents/D/index.html"])
    assert data_of(site["data/cases/scatter_nd.js"])["clauses"][RUNS]["citations"][0]["versions"] == "<2.5"


def test_our_own_words_are_not_set_as_a_quotation() -> None:
    files = [*(HERE / "templates").iterdir(), *(HERE / "assets").iterdir()]
    assert files
    assert not [path.name for path in files if "blockquote" in path.read_text(encoding="utf-8")]


def test_no_rule_of_the_style_changes_the_letters_of_a_name() -> None:
    assert "text-transform" not in "".join((HERE / "assets" / name).read_text(encoding="utf-8") for name in STYLES)


def test_a_report_of_several_runs_names_each_of_them() -> None:
    both = sample()
    parts = []
    for name in (TORCH, TENSORFLOW):
        run = replace(both.run, command=f"conformance run {name}", targets=[name])
        targets = [one for one in both.targets if one.id == name]
        results = [one for one in both.results if one.target == name]
        parts.append(Part(name, replace(both, run=run, targets=targets, results=results)))
    result = merged(parts, "conformance report a b").results
    page = words(site_of(result)["run/index.html"])
    assert "Runs that were merged" in page
    assert all(f"conformance run {name}" in page for name in (TORCH, TENSORFLOW))
    assert "Runs that were merged" not in words(site_of(both)["run/index.html"])
    again = merged([Part("merged", result)], "conformance report merged").results
    assert again.run.merged == result.run.merged


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
    page = words(site_of(replace(results, mappings=mappings, results=refused))["run/index.html"])
    assert f"{TENSORFLOW} has no kernel for tf.scatter_nd: no call of them returned" in page
