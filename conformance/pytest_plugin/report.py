"""The results of a session of pytest: gathered from the reports of its items, and written as ``conformance run`` does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.app.errors import ConformanceError
from conformance.app.output import new_output
from conformance.environments.stored import home_folder
from conformance.execution.measurements import remember_all
from conformance.execution.plan import Plan
from conformance.known.ledger import Ledger
from conformance.pytest_plugin.settings import Settings, is_judged
from conformance.reports.write import write_reports
from conformance.results.describe import case_record, clause_record, document_records
from conformance.results.file import Results, read_line, read_results, results_file
from conformance.results.order import in_order, verdicts, write_results
from conformance.results.records import (
    CaseRecord,
    EndRecord,
    ExampleRecord,
    KnownRecord,
    MappingRecord,
    Record,
    ResultRecord,
    TargetRecord,
    UnexpectedRecord,
)


class Report:
    """Gathers records from all processes of the session."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._records: list[Record] = []
        self._lines: set[str] = set()
        self._problem: str | None = None
        self._written: Path | None = None
        self._earlier: str | None = None
        self.unexpected: list[UnexpectedRecord] = []

    @property
    def is_empty(self) -> bool:
        return not self._records

    def add(self, records: Iterable[Record]) -> None:
        self._records += records

    def add_lines(self, lines: Iterable[str]) -> None:
        """Add records as lines; those that several workers of xdist send, such as a target's, count once."""
        for line in lines:
            if line not in self._lines:
                self._lines.add(line)
                self._records.append(read_line(line))

    def write(self, *, complete: bool) -> None:
        """Write results.jsonl and the reports; what prevents it is shown at the end."""
        try:
            output = new_output(self._settings.output)
            with output.held("--conformance-output"):
                output.open(quiet=True, gzip=False)
                gathered = self._results(complete=complete)
                gathered = replace(gathered, run=replace(gathered.run, folder=output.lasting))
                write_results(gathered, results_file(output.folder))
                results = read_results(
                    output.folder
                )  # which share their equal parts, so that reports take half as long
                remember_all(home_folder(), results)
                write_reports(results, output.folder)
                folder = output.publish(results)
        except (ConformanceError, OSError) as error:
            self._problem = str(error)
        else:
            self._written = folder / "index.html"
            self._earlier = output.not_replaced(folder)

    def show(self, terminal: pytest.TerminalReporter) -> None:
        """Say where the report is, and what no longer happens."""
        for record in self.unexpected:
            terminal.write_line(f"conformance: {record.says}", red=True)
        if self._problem is not None:
            terminal.write_line(f"conformance: no report: {self._problem}", red=True)
        if self._earlier is not None:
            terminal.write_line(f"conformance: {self._earlier}")
        if self._written is not None:
            terminal.write_line(f"conformance: the report is in {self._written}")

    def _results(self, *, complete: bool) -> Results:
        """All records, in the order of a file of ``conformance run``."""
        plans = self._settings.plans()
        records = self._records
        results = [record for record in records if isinstance(record, ResultRecord)]
        targets = _measured(record for record in records if isinstance(record, TargetRecord))
        mappings = [record for record in records if isinstance(record, MappingRecord)]
        ran = {result.case for result in results}
        self.unexpected = [record for plan in plans for record in _unexpected(plan, targets, mappings, results)]
        end = EndRecord(complete, verdicts(results), None if complete else "interrupted", self.unexpected)
        planned = {case.id for plan in plans for case in plan.cases}  # a target has those that its mode can pass
        together = [case for case in self._settings.inputs.cases if case.id in planned]
        numbers = {case.id: number for number, case in enumerate(filter(is_judged, together))}
        cases = [case for case in together if case.id in ran]
        run = plans[0].record
        return in_order(
            Results(
                replace(run, selection=run.command, targets=list(self._settings.targets)),
                targets,
                {case.clause.id: clause_record(case.clause) for case in cases},
                {case.id: case_record(case, numbers[case.id]) for case in cases}
                | {record.id: record for record in records if isinstance(record, CaseRecord)},
                mappings,
                results,
                end,
                list(plans[0].claims),
                list(plans[0].errata),
                document_records(plans[0].documents),
                {(entry.framework, entry.id): entry for plan in plans for entry in _known(plan, targets)},
                [record for record in records if isinstance(record, ExampleRecord)],
            )
        )


def _measured(records: Iterable[TargetRecord]) -> list[TargetRecord]:
    """Each target once, with the time, memory and processes of all workers of xdist that have ended it."""
    targets: dict[str, TargetRecord] = {}
    for record in records:
        earlier = targets.get(record.id)
        is_sum = earlier is not None and earlier.seconds is not None and record.seconds is not None
        targets[record.id] = _sum(earlier, record) if is_sum and earlier is not None else record
    return list(targets.values())


def _sum(first: TargetRecord, second: TargetRecord) -> TargetRecord:
    def total(name: str) -> Any:
        return sum(filter(None, (getattr(first, name), getattr(second, name)))) or None

    seconds = round(total("seconds") or 0.0, 3)
    return replace(first, seconds=seconds, memory=total("memory"), imports=total("imports"), forks=total("forks"))


def _known(plan: Plan, targets: list[TargetRecord]) -> list[KnownRecord]:
    """The known divergences of the target of a plan, if it was started."""
    [job] = plan.jobs
    frameworks = [target.framework for target in targets if target.asked == job.target.asked]
    return [entry for framework in frameworks for entry in job.known.records(framework)]


def _unexpected(
    plan: Plan, targets: list[TargetRecord], mappings: list[MappingRecord], results: list[ResultRecord]
) -> list[UnexpectedRecord]:
    """The known divergences of one target that did not happen as recorded, although all their calls were made."""
    [job] = plan.jobs
    target = next((target for target in targets if target.asked == job.target.asked and target.blocked is None), None)
    if target is None:
        return []
    return Ledger(job.known, target, plan.every_case(), mappings, results).unexpected()
