"""Write the counterexamples of a run as case files for ``conformance run --case`` and ``conformance promote``."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.files import replace_text
from conformance.reports.text import one_line
from conformance.reports.wording import word_of
from conformance.results.file import Results
from conformance.results.records import CaseRecord
from conformance.results.variations import DrawnProgramRecord

FOLDER = "counterexamples"
MOST_NAME = 200
_SAFE = frozenset(string.ascii_letters + string.digits + "._=+-")


def write_counterexamples(results: Results, folder: Path) -> None:
    """Write a case file for each counterexample of the run; those of an earlier run are removed."""
    files = {file_name(case): case_text(results, case) for case in counterexamples(results)}
    output = folder / FOLDER
    if output.is_symlink():
        output.unlink()
    for old in output.glob("*.found.*.yaml"):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        output.mkdir(exist_ok=True)
        replace_text(output / name, text)


def counterexamples(results: Results) -> Iterator[CaseRecord]:
    """The cases that the run generated, each minimized among those with the same divergence."""
    found = (case for case in results.cases.values() if case.is_counterexample)
    return (case for case in found if not isinstance(case.variation, DrawnProgramRecord) or case.variation.text)


def file_name(case: CaseRecord) -> str:
    """``scatter_nd.rule.updates-shape.found.3f2a9c1b.yaml``."""
    name = "".join(character if character in _SAFE else "-" for character in case.id.replace("/", "."))
    return f"{name[:MOST_NAME]}.yaml"


def case_text(results: Results, case: CaseRecord) -> str:
    """The case in the format of specs; its clause determines the expectation."""
    lines = [f"# {one_line(line, 110)}" for line in _results_text(results, case)]
    lines += [f"case: {case.id}"]
    lines += [f"note: {json.dumps(case.note, ensure_ascii=False)}"] if case.note else []
    if isinstance(case.variation, DrawnProgramRecord) and case.variation.text:
        lines += ["program: |", *(f"  {line}" for line in case.variation.text.splitlines())]
        lines += [f"apis: {case.variation.apis}"]
    lines += ["call:", *_arguments(case.call)]
    fix = {name: value for name, value in (case.control or {}).items() if case.call.get(name) != value}
    lines += ["fix:", *_arguments(fix)] if fix else []
    return "\n".join(lines) + "\n"


def _results_text(results: Results, case: CaseRecord) -> Iterator[str]:
    for result in results.results:
        if result.case == case.id:
            yield f"{result.target}, {result.api}: {word_of(result)}"


def _arguments(call: Mapping[str, Any]) -> list[str]:
    return [f"  {name}: {_flow(value)}" for name, value in call.items()]


def _flow(value: Any) -> str:
    """A value as flow-style YAML: JSON with unquoted keys, which are identifiers."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
