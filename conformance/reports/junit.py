"""junit.xml: a test suite for each target, with a test for each of its APIs and each clause, for continuous integration.

A test fails if a result of it makes the run fail (``--fail-on``); a death or a hang, and what makes a run fail that is no
result, is an error. A test whose findings are all known, or do not make the run fail, is skipped, and so is one without a result
that could be judged. Forms that an API does not have are in no test: each suite lists them, and has their number as a property.
Each test has its number of results of each sort in ``system-out``, and its findings with their causes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree as ET

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Finding, count
from conformance.outcomes.model import is_adapter_fault
from conformance.reports.commands import repeat_command
from conformance.reports.details import details, reason
from conformance.reports.statistics import (
    TargetStatistics,
    counts_text,
    incomplete_text,
    unexpected_texts,
)
from conformance.reports.text import counted, one_line, shortened, visible
from conformance.reports.wording import TITLES, extent, levels, lower, missing_form_text, word_of
from conformance.results.exit_status import fails, has_judged
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord
from conformance.results.table import sort_of

SUITE = "conformance"
MOST_TEXT = 20_000


def junit_xml(results: Results, conclusions: Conclusions | None = None) -> str:
    """Return the whole file, including the XML declaration."""
    conclusions = conclusions or Conclusions(results)
    root = ET.Element("testsuites", name=SUITE)
    tests = _Tests(conclusions)
    for target in conclusions.table.targets.values():
        root.append(_suite(conclusions, target, list(tests.of(target))))
    incomplete = incomplete_text(results)
    if incomplete:
        root.append(_error_suite(SUITE, "run", incomplete))
    elif not has_judged(results):
        root.append(_error_suite(SUITE, "run", "too few results were judged", "nothing-judged"))
    unexpected = unexpected_texts(results)
    if unexpected and results.run.fail_on != "never":
        root.append(_error_suite("known divergences", "unexpected passes", "\n".join(unexpected), "stale"))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


class _Tests:
    """Writes the test of each API and clause."""

    def __init__(self, conclusions: Conclusions) -> None:
        self._results, self._table = conclusions.results, conclusions.table
        self._fail_on = conclusions.results.run.fail_on
        self._findings: dict[tuple[str, str, str], list[Finding]] = {}
        for finding in conclusions.findings:
            self._findings.setdefault((finding.target, finding.api, finding.clause), []).append(finding)
        self._cause = {finding.id: cause.id for cause in conclusions.causes for finding in cause.findings}

    def of(self, target: TargetRecord) -> Iterator[ET.Element]:
        for (name, api, clause), results in self._table.cells.items():
            if name == target.id and any(result.verdict != "unsupported" for result in results):
                yield self._test(api, clause, results, self._findings.get((name, api, clause), []))

    def _test(self, api: str, clause: str, results: Sequence[ResultRecord], findings: Sequence[Finding]) -> ET.Element:
        test = ET.Element("testcase", classname=visible(api), name=visible(clause))
        test.set("time", _seconds(sum(result.seconds for result in results)))
        test.extend(self._judgement(results, findings))
        counts = TargetStatistics(self._table.targets[results[0].target], Counter(map(sort_of, results)))
        lines = [counts_text(counts), *map(self._line, findings)]
        ET.SubElement(test, "system-out").text = visible("\n".join(lines))
        return test

    def _judgement(self, results: Sequence[ResultRecord], findings: Sequence[Finding]) -> Iterator[ET.Element]:
        """The element that says that a test did not pass; nothing for one that did."""
        failing = [finding for finding in findings if fails(finding.first, self._fail_on)]
        fault = next((result for result in results if is_adapter_fault(result.outcome)), None)
        if failing:
            tag = "failure" if failing[0].first.verdict == "diverges" else "error"
            text = "\n\n".join(map(self._account, failing))
            yield self._element(tag, failing[0].sort, _message(failing), text)
        elif fault is not None:
            yield self._element("error", "blocked", one_line(reason(fault), 500), details(self._results, fault))
        elif findings:
            known = all(finding.known is not None for finding in findings)
            yield self._element("skipped", "known" if known else findings[0].sort, _message(findings))
        elif all(result.verdict != "conforms" for result in results):
            yield self._element("skipped", results[0].verdict, one_line(reason(results[0]), 200))

    def _account(self, finding: Finding) -> str:
        """What was found, and what to do about it."""
        first = finding.first
        repro = repeat_command(self._results, first)
        return f"{details(self._results, first)}\n\nto repeat it:\n  {repro}"

    def _element(self, tag: str, kind: str, message: str, text: str | None = None) -> ET.Element:
        element = ET.Element(tag, type=kind, message=visible(message))
        element.text = visible(shortened(text, MOST_TEXT)) if text is not None else None
        return element

    def _line(self, finding: Finding) -> str:
        return f"finding {finding.id} of cause {one_line(self._cause[finding.id])}: {_finding_text(finding)}"


def _message(findings: Sequence[Finding]) -> str:
    """One line, since many consumers show nothing else."""
    first, more = findings[0], len(findings) - 1
    others = f" (and {counted(more, 'more finding')})" if more else ""
    return one_line(f"{_finding_text(first)}: {reason(first.first)}", 500) + others


def _finding_text(finding: Finding) -> str:
    known = f", known as {finding.known}" if finding.known is not None else ""
    return one_line(f"{lower(TITLES[finding.sort])}{known}: {word_of(finding.first)} in {extent(finding)}")


def _suite(conclusions: Conclusions, target: TargetRecord, tests: Sequence[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", name=visible(target.id))
    suite.set("timestamp", visible(conclusions.results.run.started))
    suite.set("time", _seconds(sum(float(test.get("time", "0")) for test in tests)))
    suite.append(_properties(conclusions, target))
    suite.extend(tests)
    missing = [form for form in conclusions.missing_forms if form.target == target.id]
    if missing:
        lines = ["Forms that an API does not have, which no test counts:", *map(missing_form_text, missing)]
        ET.SubElement(suite, "system-out").text = visible("\n".join(lines))
    if target.blocked is not None:
        suite.append(_error_case("target", "start" if not tests else "run to the end", target.blocked, "blocked"))
    return _with_counts(suite)


def _with_counts(suite: ET.Element) -> ET.Element:
    suite.set("tests", str(len(suite.findall("testcase"))))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _error_suite(name: str, case: str, message: str, kind: str = "incomplete") -> ET.Element:
    suite = ET.Element("testsuite", name=name, time="0.0000")
    suite.append(_error_case("run", case, message, kind))
    return _with_counts(suite)


def _error_case(classname: str, name: str, message: str, kind: str) -> ET.Element:
    """A test for an error outside all calls, such as a target that did not start."""
    case = ET.Element("testcase", classname=classname, name=name, time="0.0000")
    ET.SubElement(case, "error", type=kind, message=one_line(message, 1000)).text = visible(message)
    return case


def _properties(conclusions: Conclusions, target: TargetRecord) -> ET.Element:
    run = conclusions.results.run
    facts: Mapping[str, str | None] = {
        "framework": target.framework,
        "version": target.version,
        "device": target.device,
        "mode": target.mode,
        "python": target.python,
        "numpy": target.numpy,
        "os": target.os,
        "arch": target.arch,
        "gpu": target.gpu_name,
        "gpu-driver": target.gpu_driver,
        "seed": str(run.seed),
        "suite-version": run.suite_version,
        "spec-digest": run.spec_digest,
        "shard": run.shard,
        "complete": "yes" if conclusions.results.complete else "no",
        "no-such-form": str(conclusions.table.counts[target.id]["unsupported"]),
        "breaks-its-own-documentation": levels(count(conclusions.causes, "own")),
    }
    properties = ET.Element("properties")
    for name, value in facts.items():
        if value is not None:
            ET.SubElement(properties, "property", name=name, value=visible(value))
    return properties


def _seconds(seconds: float) -> str:
    return f"{seconds:.4f}"
