"""Runs in shards: of an adapter that is wrong on draws, with known divergences that do not all happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from conformance.cases.build import build_cases
from conformance.cases.draws.source import DrawSource
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.shards import Shard
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.execution.client import ClientFactory
from conformance.execution.plan import FailureLimit, Job, Plan
from conformance.execution.resume import resumed
from conformance.execution.runner import run
from conformance.known.load import load_known
from conformance.results.exit_status import fails
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.order import in_order, records, write_results
from conformance.results.records import Record, RunRecord
from conformance.specification.loader import load_specs
from tests.execution.harness import FAKES, job
from tests.execution.in_process import in_process

OPERATION = "gather_elements"
SHORT = FAKES / "wrong_on_draws.py"
TIMES = ("started", "command", "shard", "seconds", "memory", "imports", "forks", "merged", "confirmed", "folder")
"""What may differ between a run and the same in parts."""
KNOWN = FAKES / "divergences_of_wrong_on_draws.yaml"
"""One entry is true, one never happens, one happens differently."""


@cache
def cases() -> list[Case]:
    """Those that are written down for one operation, and draws."""
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    catalogue = load_specs()
    catalogue = replace(catalogue, operations={OPERATION: catalogue.operations[OPERATION]})
    drawing = DrawSource(5, 0, "digest", None)
    return build_cases(catalogue, reference, (drawing.cases,), sources=(written_cases,))


def plan(shard: Shard | None = None, adapters: Sequence[Path] = (SHORT,), **more: Any) -> Plan:
    jobs: list[Job] = [replace(job(adapter), known=load_known(KNOWN)) for adapter in adapters]
    record = RunRecord(
        "2026-01-01T00:00:00Z",
        "a test",
        0,
        "digest",
        "0",
        str(shard) if shard else None,
        [one.target.asked for one in jobs],
    )
    chosen = [case for case in cases() if shard is None or shard.holds(case)]
    return replace(Plan(record, jobs, chosen, 30.0, 2, all_cases=[case.facts for case in cases()]), **more)


def carried_out(planned: Plan, folder: Path, client: ClientFactory = in_process) -> Results:
    """The results in the order in which a command leaves them."""
    folder.mkdir(exist_ok=True)
    run(planned, folder / FILE_NAME, [], client)
    results = in_order(read_results(folder))
    write_results(results, folder / FILE_NAME)
    return results


def finished(folder: Path) -> Results:
    """The run of a folder, resumed."""
    return carried_out(resumed(plan(), read_results(folder)), folder)


def impatient() -> FailureLimit:
    """Ends a run at its third failure."""
    return FailureLimit(partial(fails, fail_on="any"), 3)


def without_times(results: Results) -> list[dict[str, Any]]:
    """Every record of a file, in its order; of a counterexample what it is one of, as how small it is depends on time."""
    return [_what_of_it(one) if "/found." in _case(one) else _but_for_times(one) for one in records(results)]


def _but_for_times(record: Record) -> dict[str, Any]:
    return {name: value for name, value in _fields(record) if name not in TIMES}


def _what_of_it(record: Record) -> dict[str, Any]:
    return {name: value for name, value in _fields(record) if name in ("kind", "clause", "api", "divergence")}


def _fields(record: Record) -> list[tuple[str, Any]]:
    return [(item.name, getattr(record, item.name)) for item in fields(record)]


def _case(record: Record) -> str:
    return str(getattr(record, "case", getattr(record, "id", "")))
