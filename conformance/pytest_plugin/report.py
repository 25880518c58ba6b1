"""The results of a session of pytest: gathered from the reports of its items, and written as ``conformance run`` does.

They are written as they come, so that a session that is killed leaves an incomplete file, and in their order at its end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.app.errors import ConformanceError
from conformance.app.output import RunOutput, new_output
from conformance.environments.stored import home_folder
from conformance.execution.measurements import remember_all
from conformance.execution.plan import Plan
from conformance.known.ledger import Ledger
from conformance.pytest_plugin.as_it_goes import AsItGoes
from conformance.pytest_plugin.settings import Settings
from conformance.reports.text import counted, visible
from conformance.reports.write import write_reports
from conformance.results.describe import case_record, clause_record, document_records
from conformance.results.file import Results, ResultsError, ResultsWriter, read_line, read_results, results_file
from conformance.results.order import in_order, verdicts, write_results
from conformance.results.records import (
    CaseRecord,
    EndRecord,
    ExampleRecord,
    KnownRecord,
    MappingRecord,
    Record,
    ResultRecord,
    RunRecord,
    TargetRecord,
    UnexpectedRecord,
)


class Report:
    """Gathers records from all processes of the session."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._records: list[Record] = []
        self._lines: set[str] = set()
        self._expected: set[str] = set()
        self._brought: set[str] = set()
        """The ids of items that the session has collected, and of those that brought their records."""
        self._lost: str | None = None
        self._held = ExitStack()
        self._output: RunOutput | None = None
        self._as_it_goes: AsItGoes | None = None
        self._problem: str | None = None
        self._written: Path | None = None
        self._earlier: str | None = None
        self.unexpected: list[UnexpectedRecord] = []

    @property
    def is_empty(self) -> bool:
        return not self._records

    def expect(self, items: Iterable[str]) -> None:
        """Note the ids of items that will bring records."""
        self._expected.update(items)

    def add_of_item(self, item: str, records: Iterable[Record]) -> None:
        """Add the records of an item, by its id."""
        self._brought.add(item)
        self.add(records)

    def add(self, records: Iterable[Record]) -> None:
        records = list(records)
        self._records += records
        self._write_as_it_goes(records)

    def add_lines(self, lines: Iterable[str], item: str | None = None) -> None:
        """Add records as lines; those that several workers of xdist send, such as a target's, count once."""
        new = [line for line in dict.fromkeys(lines) if line not in self._lines]
        self._lines.update(new)
        if item is not None:
            self._brought.add(item)
        self.add(map(read_line, new))

    def lose(self, reason: str) -> None:
        """Note why records may be missing."""
        self._lost = self._lost or reason

    @property
    def lost(self) -> str | None:
        """Why records of a session that ended by itself are missing; None if none are."""
        missing = sorted(self._expected - self._brought)
        if not missing or self._lost is not None:
            return self._lost
        return f"no results came of {counted(len(missing), 'item')}, such as {missing[0]}"

    def _write_as_it_goes(self, records: Collection[Record]) -> None:
        """Write records to the file; the end of the session tries again to write those that cannot be written."""
        try:
            if self._output is None:
                self._open()
            if self._as_it_goes is not None:
                self._as_it_goes.write(records)
        except (ConformanceError, OSError):
            self._as_it_goes = None

    def _open(self) -> RunOutput:
        """Begin the file, which no other session writes to; ConformanceError if it cannot be written."""
        self._output = output = new_output(self._settings.output)
        self._held.enter_context(output.held("--conformance-output"))
        output.open(quiet=True, gzip=False)
        run = replace(self._run, folder=output.lasting)
        writer = self._held.enter_context(ResultsWriter(results_file(output.folder)))
        self._as_it_goes = AsItGoes(writer, run, self._settings)
        return output

    def write(self, *, complete: bool, reason: str | None) -> None:
        """Write results.jsonl in its order, and the reports; what prevents it is shown at the end.

        reason: why the results are not complete.
        """
        try:
            with self._held:
                output = self._output if self._as_it_goes is not None and self._output is not None else self._open()
                gathered = self._results(EndRecord(complete, {}, reason))
                gathered = replace(gathered, run=replace(gathered.run, folder=output.lasting))
                write_results(gathered, results_file(output.folder))
                results = read_results(
                    output.folder
                )  # which share their equal parts, so that reports take half as long
                remember_all(home_folder(), results)
                write_reports(results, output.folder)
                folder = output.publish(results)
        except (ConformanceError, ResultsError, OSError) as error:
            self._problem = str(error)
        else:
            self._written = folder / "index.html"
            self._earlier = output.not_replaced(folder)

    def close(self) -> None:
        """Close the file of a session that could not end."""
        self._held.close()

    def show(self, terminal: pytest.TerminalReporter) -> None:
        """Say where the report is, and what no longer happens."""
        if self.lost is not None and not self.is_empty:
            terminal.write_line(f"conformance: the results are incomplete: {visible(self.lost)}", red=True)
        for record in self.unexpected:
            terminal.write_line(f"conformance: {visible(record.says)}", red=True)
        if self._problem is not None:
            terminal.write_line(f"conformance: no report: {visible(self._problem)}", red=True)
        if self._earlier is not None:
            terminal.write_line(f"conformance: {self._earlier}")
        if self._written is not None:
            terminal.write_line(f"conformance: the report is in {self._written}")

    @property
    def _run(self) -> RunRecord:
        run = self._settings.plans()[0].record
        return replace(run, selection=run.command, targets=list(self._settings.targets))

    def _results(self, end: EndRecord) -> Results:
        """All records, in the order of a file of ``conformance run``. end: its record, without counts."""
        plans = self._settings.plans()
        records = self._records
        of_calls = {(one.case, one.target, one.api): one for one in records if isinstance(one, ResultRecord)}
        results = list(of_calls.values())  # of an item that ran again, those of the last time
        targets = _measured(record for record in records if isinstance(record, TargetRecord))
        mappings = [record for record in records if isinstance(record, MappingRecord)]
        ran = {result.case for result in results}
        self.unexpected = [record for plan in plans for record in _unexpected(plan, targets, mappings, results)]
        end = replace(end, counts=verdicts(results), unexpected=self.unexpected)
        cases = [(number, case) for number, case in self._settings.numbered_cases().values() if case.id in ran]
        return in_order(
            Results(
                self._run,
                targets,
                {case.clause.id: clause_record(case.clause) for _, case in cases},
                {case.id: case_record(case, number) for number, case in cases}
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
