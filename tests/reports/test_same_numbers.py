"""All reports of a results file name the same causes and findings."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from pydantic import TypeAdapter
from rich.console import Console

import conformance
from conformance.findings.conclusions import Conclusions
from conformance.reports.conclusions import conclusions_json
from conformance.reports.github import commands
from conformance.reports.junit import junit_xml
from conformance.reports.statements import ConclusionsFile
from conformance.reports.summaries import summary, summary_md
from conformance.reports.terminal import show
from conformance.reports.verdict import badge_json
from conformance.results.file import Results
from conformance.results.order import write_results
from tests.reports.sample import sample
from tests.reports.sample_cases import MINDSPORE
from tests.reports.site_of import site_of

Numbers = tuple[int, int]
"""Of causes and of findings that break the documentation of their own API."""


def several_apis() -> Results:
    """One entry of a ledger is the cause on two APIs, so that causes and findings differ in number."""
    results = sample()
    own = next(one for one in results.results if one.standing == "own" and one.verdict == "diverges")
    known = [
        replace(own, target=MINDSPORE, api=api, known="mindspore-shape-error-type")
        for api in ("mindspore.mint.scatter", "mindspore.Tensor.scatter")
    ]
    return replace(results, results=[*results.results, *known])


def in_text(text: str) -> Numbers:
    [numbers] = re.findall(r"(?<!New: )(?<!new: )[Bb]reaks its own documentation: (\d+) causes?, (\d+) findings?", text)
    return int(numbers[0]), int(numbers[1])


def on_the_terminal(results: Results) -> Numbers:
    file = io.StringIO()
    show(summary(Conclusions(results)), Console(file=file, width=80))
    return in_text(file.getvalue())


def in_junit(results: Results) -> Numbers:
    root = ET.fromstring(junit_xml(results).encode())
    lines = [line for test in root.iter("system-out") for line in str(test.text).splitlines()]
    own = [re.match(r"finding (\S+) of cause (\S+): breaks its own documentation", line) for line in lines]
    found = [match.groups() for match in own if match is not None]
    said = {one.get("value") for one in root.iter("property") if one.get("name") == "breaks-its-own-documentation"}
    numbers = len({cause for _, cause in found}), len({finding for finding, _ in found})
    assert said == {f"{numbers[0]} causes, {numbers[1]} findings"}
    return numbers


def in_conclusions(results: Results) -> Numbers:
    file = TypeAdapter(ConclusionsFile).validate_json(conclusions_json(results))
    own = {finding.id for finding in file.findings if finding.sort == "own"}
    assert [cause.own for cause in file.causes] == [bool(own & {*cause.findings}) for cause in file.causes]
    return sum(cause.own for cause in file.causes), len(own)


def on_the_site(results: Results) -> Numbers:
    """From the pages of the causes that the list of findings names."""
    site = site_of(results)
    links = re.findall(r'href="([^"#]+/index.html)"><code>', site["finding/index.html"])
    pages = [site[f"finding/{link}"] for link in dict.fromkeys(links)]
    own = [page for page in pages if "breaks its own documentation</span>" in page]
    numbers = (re.search(r'data-own="(\d+)"', page) for page in own)
    return len(own), sum(int(number[1]) for number in numbers if number)


def in_python(results: Results, folder: Path) -> Numbers:
    write_results(results, folder / "results.jsonl")
    loaded = conformance.load(folder)
    return sum(cause.own for cause in loaded.causes), sum(finding.sort == "own" for finding in loaded.findings)


REPORTS: dict[str, Callable[[Results], Numbers]] = {
    "terminal": on_the_terminal,
    "summary.md": lambda results: in_text(summary_md(results)),
    "junit.xml": in_junit,
    "badge.json": lambda results: in_text(json.loads(badge_json(results))["message"]),
    "annotations": lambda results: in_text("\n".join(commands(results, "own"))),
    "conclusions.json": in_conclusions,
    "site": on_the_site,
}


def test_all_reports_name_the_same_numbers(tmp_path: Path) -> None:
    results = several_apis()
    numbers = {name: report(results) for name, report in REPORTS.items()} | {"api": in_python(results, tmp_path)}
    assert {*numbers.values()} == {(3, 5)}, numbers


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_without_such_findings_does_not_name_any(name: str) -> None:
    results = sample()
    right = replace(results, results=[one for one in results.results if one.verdict == "conforms"])
    text = {
        "summary.md": summary_md(right),
        "badge.json": badge_json(right),
        "annotations": "\n".join(commands(right, "own")),
    }.get(name, "")
    assert not re.search("breaks its own documentation", text, re.IGNORECASE)
