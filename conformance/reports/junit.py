"""junit.xml: a test suite for each target, for continuous integration.

Results that are wrong for one reason are one test case, named after the first of them, so that a list of failed tests is a
list of causes; every other result is a test case of its own. diverges is a failure; died, hung and blocked are errors;
unsupported, observed and known are skipped, so that they do not count as passed. ``type`` and ``message`` have the
verdict; judged results include the details.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from conformance.findings.causes import Cause
from conformance.findings.conclusions import Conclusions
from conformance.reports.details import details, reason
from conformance.reports.statistics import all_targets, incomplete_text, operation_of, unexpected_texts, word_of
from conformance.reports.text import counted, one_line, shortened, visible
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord

SUITE = "conformance"
MOST_TEXT = 20_000
_Group = list[ResultRecord]
"""Results of a target that are wrong for one reason, the worst first, or one that is not wrong."""
UNJUDGED = ("unsupported", "observed")
"""Verdicts of most results of a run, for which the message is enough."""


def junit_xml(results: Results, conclusions: Conclusions | None = None) -> str:
    """Return the whole file, including the XML declaration."""
    root = ET.Element("testsuites", name=SUITE)
    by_target = _grouped(results, (conclusions or Conclusions(results)).causes)
    for target in all_targets(results):
        root.append(_suite(results, target, by_target.get(target.id, [])))
    incomplete = incomplete_text(results)
    if incomplete:
        root.append(_error_suite(SUITE, "run", incomplete))
    unexpected = unexpected_texts(results)
    if unexpected:
        root.append(_error_suite("known divergences", "unexpected passes", "\n".join(unexpected), "stale"))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _grouped(results: Results, causes: Sequence[Cause]) -> dict[str, list[_Group]]:
    """By target, the results of each cause together, the worst first, and every other result alone."""
    groups: dict[tuple[str, int], _Group] = {}
    group_of: dict[int, _Group] = {}
    for number, cause in enumerate(causes):
        for result in cause.results:
            group = groups.setdefault((result.target, number), [])
            group.append(result)
            group_of[id(result)] = group
    by_target: dict[str, list[_Group]] = {}
    for result in results.results:
        group = group_of.get(id(result), [result])
        if group[0] is result:
            by_target.setdefault(result.target, []).append(group)
    return by_target


def _suite(results: Results, target: TargetRecord, groups: Sequence[_Group]) -> ET.Element:
    suite = ET.Element("testsuite", name=visible(target.id))
    suite.set("timestamp", visible(results.run.started))
    suite.set("time", _seconds(sum(map(_duration, groups))))
    suite.append(_properties(results, target))
    suite.extend(_case(results, group) for group in groups)
    if target.blocked is not None:
        suite.append(_error_case("target", "start" if not groups else "run to the end", target.blocked, "blocked"))
    return _with_counts(suite)


def _duration(group: _Group) -> float:
    return sum(result.seconds for result in group)


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
    """A test case for an error outside all cases, such as a target that did not start."""
    case = ET.Element("testcase", classname=classname, name=name, time="0.0000")
    ET.SubElement(case, "error", type=kind, message=one_line(message, 1000)).text = visible(message)
    return case


def _properties(results: Results, target: TargetRecord) -> ET.Element:
    run = results.run
    facts = {
        "framework": target.framework,
        "version": target.version,
        "device": target.device,
        "mode": target.mode,
        "python": target.python,
        "numpy": target.numpy,
        "seed": str(run.seed),
        "suite-version": run.suite_version,
        "spec-digest": run.spec_digest,
        "shard": run.shard,
        "complete": "yes" if results.complete else "no",
    }
    properties = ET.Element("properties")
    for name, value in facts.items():
        if value is not None:
            ET.SubElement(properties, "property", name=name, value=visible(value))
    return properties


def _case(results: Results, group: _Group) -> ET.Element:
    first, *more = group
    case = ET.Element("testcase")
    case.set("classname", visible(operation_of(results, first) or first.clause))
    case.set("name", visible(_name(first)))
    case.set("time", _seconds(_duration(group)))
    tag = _tag(first)
    if tag:
        count = f" (and {counted(len(more), 'more result')})" if more else ""
        judged = ET.SubElement(case, tag, type=_type(first), message=_message(first) + count)
        if first.verdict not in UNJUDGED:
            text = f"{reason(first)}\n\n{details(results, first)}{_others(more)}"
            judged.text = visible(shortened(text, MOST_TEXT))
    return case


def _name(result: ResultRecord) -> str:
    return f"{result.case} [{result.api}]"


def _others(more: Sequence[ResultRecord]) -> str:
    """The other results with the same cause."""
    return "\n\nThe same cause:\n" + "\n".join(map(_name, more)) if more else ""


def _tag(result: ResultRecord) -> str | None:
    if result.verdict == "conforms":
        return None
    if result.known or result.verdict in UNJUDGED:
        return "skipped"
    return "failure" if result.verdict == "diverges" else "error"


def _type(result: ResultRecord) -> str:
    known = "known " if result.known else ""
    standing = f"{result.standing} " if result.verdict == "diverges" else ""
    return f"{known}{standing}{result.verdict}"


def _message(result: ResultRecord) -> str:
    """One line, since many consumers show nothing else."""
    known = f"known as {result.known}: " if result.known else ""
    most = 200 if result.verdict in UNJUDGED else 500
    return one_line(f"{known}{word_of(result)}: {reason(result)}", most)


def _seconds(seconds: float) -> str:
    return f"{seconds:.4f}"
