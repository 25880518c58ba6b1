"""A target under test: its session, and the records of its results."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from conformance.cases.model import Case
from conformance.environments.errors import TargetBlocked
from conformance.execution.client import GaveUp
from conformance.execution.plan import Plan
from conformance.execution.session import Batch, Session
from conformance.execution.target import Pair, unstarted_record
from conformance.judging.vocabulary import FailOn
from conformance.reports.commands import repeat_command
from conformance.results.describe import case_record, clause_record
from conformance.results.file import Results
from conformance.results.records import CaseRecord, KnownRecord, Record, ResultRecord, UnexpectedRecord


class TestedTarget:
    """A started target whose items run one after the other."""

    __test__ = False  # pytest collects no class of this name

    def __init__(self, plan: Plan, script: Path, fail_on: FailOn, report: Path) -> None:
        """Start it; TargetBlocked if that fails. report: the folder of the session's report."""
        self.fail_on = fail_on
        self._report = report
        self._plan = plan
        [self._job] = plan.jobs
        self.session = Session(plan, self._job, script, piecewise=True)
        self.session.start()
        framework = self.session.record.framework
        self._known = {(entry.framework, entry.id): entry for entry in self._job.known.records(framework)}
        self._records: list[Record] = [self.session.record, *self.session.mappings]
        self.passes: Sequence[UnexpectedRecord] = ()
        """The known divergences of the last cases alone that did not happen as recorded."""

    @property
    def name(self) -> str:
        """As it was asked for."""
        return self._job.target.asked

    @property
    def known(self) -> dict[str, KnownRecord]:
        """Its known divergences by id."""
        return {name: entry for (_, name), entry in self._known.items()}

    def select(self, clauses: Collection[str]) -> None:
        """Before the first item runs: only items about these clauses will."""
        self.session.count_of(clauses)
        self._records[0] = self.session.record

    def results(self, pairs: Sequence[Pair], begun: Batch | None = None) -> list[ResultRecord]:
        """The results of these cases, and of counterexamples that were found; begun: what the session began for them."""
        outputs = (begun or self.session.begin(pairs)).outputs()
        self.passes = self.session.ledger.unexpected_among({(case.id, api["name"]) for case, api in pairs})
        self._records += outputs
        self._found = [output for output in outputs if isinstance(output, CaseRecord)]
        return [output for output in outputs if isinstance(output, ResultRecord)]

    def records(self, cases: Sequence[Case]) -> Results:
        """What the account of a result of the last cases refers to."""
        clauses = {case.clause.id: clause_record(case.clause) for case in cases}
        records = {case.id: case_record(case) for case in cases} | {case.id: case for case in self._found}
        return Results(self._plan.record, [self.session.record], clauses=clauses, cases=records, known=self._known)

    def repro(self, result: ResultRecord, case: CaseRecord | None) -> str:
        """The command that shows a result again."""
        results = Results(self._plan.record, [self.session.record], cases={case.id: case} if case is not None else {})
        return repeat_command(results, result, str(self._report))

    def take_records(self) -> list[Record]:
        """The records for the results file since the last time."""
        records, self._records = self._records, []
        return records

    def end(self, operations: Collection[str], *, examples: bool) -> list[Record]:
        """End it, and return its last records: its own with what was measured, after the examples of its documentation.

        operations: those that its items are about. examples: whether to run them.
        """
        try:
            return [*(self.session.examples(operations) if examples else ()), self.session.end()]
        except (GaveUp, TargetBlocked) as error:
            return [unstarted_record(self._job.target, str(error))]

    def close(self) -> None:
        self.session.close()
