"""Runs of adapter files in the interpreter that runs the tests; in its process, unless processes are what a test is about."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.cases.build import Source, build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.environments.prepared_target import Prepared
from conformance.environments.resolve import Target
from conformance.environments.stored import Environment
from conformance.events import Event, Listener
from conformance.execution.client import ClientFactory
from conformance.execution.plan import Job, Plan
from conformance.execution.runner import run
from conformance.processes.worker_starter import StartMethod
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.specification.applied import Applied
from conformance.specification.loader import load_specs
from conformance.specification.model import Document, Operation
from tests.execution.in_process import in_process
from tests.planted.faults import ADAPTERS

FAKES = Path(__file__).parent.parent / "fakes"
THIS_ENVIRONMENT = Environment(
    folder=None,
    python=Path(sys.executable),
    python_version=platform.python_version(),
    requirement=None,
    version=None,
    packages={},
    created=None,
)
WRONG_ADAPTERS = ADAPTERS
"""Adapters that misbehave, which the suite's check of itself uses too."""
TOY_TARGET = """
title = "Toy"
[devices]
cpu = {gpu = false}
[modes]
eager = {}
[[releases]]
versions = ">=0"
python = ">=3.9"
"""
"""A target.toml of an adapter that needs nothing but NumPy."""


class Heard:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def handle(self, event: Event) -> None:
        self.events.append(event)


def fake_cases(sources: Sequence[Source] = (written_cases,)) -> list[Case]:
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    return build_cases(load_specs(FAKES / "specs"), reference, sources=sources)


def of_operation(case: Case, operation: Operation) -> Case:
    """The case with another operation that its call and control are made of."""
    control = None if case.control is None else Applied(operation, case.control.call)
    return replace(case, call=Applied(operation, case.call.call), control=control)


def job(adapter: Path) -> Job:
    """A job of an adapter file in this interpreter, under the file's short name."""
    name = adapter.stem
    target = Target(
        asked=name,
        name=name,
        framework=name,
        title=name,
        adapter=adapter,
        definition=None,
        specifier=None,
        mode="eager",
        device="cpu",
        gpu=False,
        is_file=True,
    )
    return job_of(target)


def job_of(target: Target) -> Job:
    """A job of a target in this interpreter."""
    return Job(target, lambda report: Prepared(target, THIS_ENVIRONMENT))


def run_adapters(
    folder: Path,
    adapters: Sequence[Path],
    *,
    limit: float = 30.0,
    cases: Sequence[Case] | None = None,
    start: StartMethod = "auto",
    listeners: Sequence[Listener] = (),
    documents: Mapping[str, Document] | None = None,
    client: ClientFactory = in_process,
    apis: tuple[str, ...] = (),
) -> Results:
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    jobs = [job(adapter) for adapter in adapters]
    plan = Plan(record, jobs, cases or fake_cases(), limit, 2, start=start, documents=documents or {}, apis=apis)
    run(plan, folder / FILE_NAME, listeners, client)
    return read_results(folder)


def result_of(results: Results, api: str, case: str) -> ResultRecord:
    [found] = [one for one in results.results if one.api == api and one.clause == f"gather_elements.example.{case}"]
    return found
