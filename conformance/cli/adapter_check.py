"""``conformance adapter check``: what an adapter maps, and what looks like a mistake."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.options import RunOptions
from conformance.app.run import execute, load_inputs, plan
from conformance.judging.vocabulary import BINDING
from conformance.outcomes.model import is_adapter_fault, lacks_arguments
from conformance.reports.details import reason
from conformance.reports.text import counted, one_line
from conformance.results.exit_status import BLOCKED, DIVERGES, OK
from conformance.results.file import Results
from conformance.results.records import MappingRecord, TargetRecord
from conformance.specification.model import Catalogue
from conformance.specification.problems import did_you_mean

LIMIT = 10.0
"""Seconds per call."""


def check_target(target: str, *, specs: Path | None, python: Path | None, here: bool, offline: bool) -> int:
    """Run the examples of the documents on a target, and print what they show of its adapter."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        options = RunOptions(
            words=(target,), output=Path(folder), keyword="example or keep", specs=specs, python=python, here=here,
            offline=offline,
            quiet=True,
            timeout=LIMIT,
        )  # fmt: skip
        results = execute(plan(options, load_inputs(options), [target]), options)
    [record] = results.targets
    if record.blocked is not None:
        raise ConformanceError(record.blocked, BLOCKED)
    click.echo(f"{record.title or record.framework} {record.version or ''} ({record.id})")
    catalogue = loading.catalogue(specs)
    for line in _mapped(results, catalogue.operations):
        click.echo(line)
    for line in _undocumented(results, catalogue):
        click.echo(f"note: {line}")
    for line in _without_tensors(results):
        click.echo(f"note: {line}")
    suspicions = [*_unconverted(record)]
    suspicions += [line for mapping in results.mappings for line in _suspicions(mapping, results)]
    for line in suspicions:
        click.echo(f"suspicious: {line}")
    if not suspicions:
        click.echo("ok: every API conforms to some examples")
    return DIVERGES if suspicions else OK


def _mapped(results: Results, operations: Iterable[str]) -> Iterator[str]:
    for name in operations:
        apis = [mapping.api for mapping in results.mappings if mapping.operation == name]
        yield f"  {name}: {', '.join(map(one_line, apis)) or 'not mapped'}"


def _undocumented(results: Results, catalogue: Catalogue) -> Iterator[str]:
    """The APIs that no document describes and that follow none, of which no result can be called a bug."""
    described = {api for document in catalogue.documents.values() for api in document.describes}
    for mapping in results.mappings:
        if mapping.api not in described and mapping.follows is None:
            hint = did_you_mean(mapping.api, described) or "."
            advice = "If it promises to do what a documented API does, follows of @api names that"
            yield f"no document describes {one_line(mapping.api)} ({mapping.operation}){hint} {advice}"


def _unconverted(record: TargetRecord) -> Iterator[str]:
    for form, problem in record.unconverted.items():
        yield f"not tested: {one_line(form)}: {one_line(problem, 300)}"


def _without_tensors(results: Results) -> Iterator[str]:
    """Why arguments could not be created: the framework lacks a dtype, or the adapter does not know it."""
    lacking = [result for result in results.results if lacks_arguments(result.outcome)]
    for text, count in Counter(map(reason, lacking)).items():
        yield f"not run, {counted(count, 'example')}: {one_line(text, 300)}"


def _suspicions(mapping: MappingRecord, results: Results) -> Iterator[str]:
    clauses = results.clauses
    of_api = [
        result
        for result in results.results
        if result.api == mapping.api and clauses[result.clause].operation == mapping.operation
    ]
    own = [result for result in of_api if result.standing in BINDING and result.outcome.status == "unsupported"]
    # A rule has calls of several forms, of which the API may lack some; the example of a document is one that it has.
    answered = {result.clause for result in of_api if result.outcome.status != "unsupported"}
    own = [result for result in own if clauses[result.clause].family == "example" or result.clause not in answered]
    name = f"{one_line(mapping.api)} ({mapping.operation})"
    if own:
        yield f"{name} gives Unsupported for {own[0].case} of its own documentation: {one_line(reason(own[0]), 200)}"
    faults = [result for result in of_api if result.verdict == "blocked" and is_adapter_fault(result.outcome)]
    if faults:
        yield f"{name} is at fault itself in {counted(len(faults), 'example')}: {one_line(reason(faults[0]), 200)}"
    changed = [result for result in of_api if "input-changed" in result.divergence]
    if changed:
        yield (
            f"{name}, in {counted(len(changed), 'example')}: {one_line(reason(changed[0]), 200)}; "
            "in_place of @api says which argument the API changes"
        )
    if of_api and not any(result.verdict == "conforms" for result in of_api):
        count = counted(len(of_api), "example")
        yield f"{name} conforms to none of {count}, the first of them: {one_line(reason(of_api[0]), 200)}"
