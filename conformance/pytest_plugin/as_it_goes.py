"""The results file of a session that is under way: what a session that is killed leaves, for ``conformance report`` to read."""

from __future__ import annotations

from collections.abc import Collection

from conformance.pytest_plugin.settings import Settings
from conformance.results.describe import case_record, clause_record, document_records
from conformance.results.file import ResultsWriter
from conformance.results.records import CaseRecord, Record, ResultRecord, RunRecord, TargetRecord


class AsItGoes:
    """Writes records in the order in which they come, each after those that it refers to."""

    def __init__(self, writer: ResultsWriter, run: RunRecord, settings: Settings) -> None:
        """Write the records that come before those of items."""
        self._writer = writer
        self._plans = settings.plans()
        self._cases = settings.numbered_cases()
        self._clauses = {case.clause.id: case.clause for _, case in self._cases.values()}
        self._written: set[object] = set()
        """What is written once: the ids of clauses, cases, targets and known divergences, and the calls that have results."""
        plan = self._plans[0]
        first: list[Record] = [run, *plan.claims, *plan.errata, *document_records(plan.documents)]
        for record in first:
            writer.write(record)

    def write(self, records: Collection[Record]) -> None:
        """Write records, and let the system have them; OSError if that fails."""
        for record in sorted(records, key=lambda record: isinstance(record, ResultRecord)):
            self._write(record)
        self._writer.flush()

    def _write(self, record: Record) -> None:
        match record:
            case TargetRecord():
                for plan in self._plans:
                    for known in plan.jobs[0].known.records(record.framework):
                        if self._is_new(("known", known.framework, known.id)):
                            self._writer.write(known)
            case CaseRecord():
                self._before(record.id, record.clause)
            case ResultRecord() if not self._is_new((record.case, record.target, record.api)):
                return  # an item that ran again
            case ResultRecord():
                self._before(record.case, record.clause)
            case _:
                pass
        self._writer.write(record)

    def _before(self, case: str, clause: str) -> None:
        """Write a clause, and the case unless it was found in the session and is written by itself."""
        if self._is_new(("clause", clause)):
            self._writer.write(clause_record(self._clauses[clause]))
        if case in self._cases and self._is_new(("case", case)):
            number, planned = self._cases[case]
            self._writer.write(case_record(planned, number))

    def _is_new(self, written: object) -> bool:
        is_new = written not in self._written
        self._written.add(written)
        return is_new
