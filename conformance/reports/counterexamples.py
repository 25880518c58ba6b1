"""The counterexamples of a run as case files, which ``conformance run --case`` and ``conformance promote`` take."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.reports.statistics import word_of
from conformance.reports.text import one_line
from conformance.results.file import Results
from conformance.results.records import CaseRecord

FOLDER = "counterexamples"


def write_counterexamples(results: Results, folder: Path) -> None:
    """A case file for each counterexample that the run found, in place of those of an earlier run."""
    files = {file_name(case): case_text(results, case) for case in counterexamples(results)}
    into = folder / FOLDER
    for old in into.glob("*.found.*.yaml"):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        into.mkdir(exist_ok=True)
        (into / name).write_text(text, encoding="utf-8")


def counterexamples(results: Results) -> Iterator[CaseRecord]:
    """The cases that the run made itself: what stands in a file has a place of its own, these have their clause's."""
    for case in results.cases.values():
        clause = results.clauses.get(case.clause)
        if is_counterexample(case) and clause is not None and clause.source == case.source:
            yield case


def is_counterexample(case: CaseRecord) -> bool:
    """Whether the run made the case itself, for one target."""
    return "/found." in case.id


def file_name(case: CaseRecord) -> str:
    """``scatter_nd.rule.updates-shape.found.3f2a9c1b.yaml``."""
    return case.id.replace("/", ".") + ".yaml"


def case_text(results: Results, case: CaseRecord) -> str:
    """The case in the form of the specs; what comes of it follows from its clause."""
    lines = [f"# {one_line(line, 110)}" for line in _found_by(results, case)]
    lines += [f"case: {case.id}"]
    lines += [f"note: {json.dumps(case.note, ensure_ascii=False)}"] if case.note else []
    lines += ["call:", *_arguments(case.call)]
    fix = {name: value for name, value in (case.control or {}).items() if case.call.get(name) != value}
    lines += ["fix:", *_arguments(fix)] if fix else []
    return "\n".join(lines) + "\n"


def _found_by(results: Results, case: CaseRecord) -> Iterator[str]:
    for result in results.results:
        if result.case == case.id:
            yield f"{result.target}, {result.api}: {word_of(result)}"


def _arguments(call: Mapping[str, Any]) -> list[str]:
    return [f"  {name}: {_flow(value)}" for name, value in call.items()]


def _flow(value: Any) -> str:
    """JSON is YAML too; only the keys, which are plain words, need no quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(one)}" for key, one in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
