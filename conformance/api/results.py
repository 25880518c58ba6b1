"""The results of a run as typed objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.app.options import check
from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Danger
from conformance.findings.findings import Finding as FindingOfRecords
from conformance.judging.vocabulary import Divergence, FailOn, Standing, Verdict
from conformance.outcomes.model import Status
from conformance.reports.behaviours import Behaviour, behaviours
from conformance.reports.details import details
from conformance.reports.write import write_reports
from conformance.results.alike import FindingSort
from conformance.results.exit_status import exit_status, fails
from conformance.results.file import Results as Records
from conformance.results.order import write_results
from conformance.results.records import ResultRecord

if TYPE_CHECKING:
    import pandas

__all__ = ["Behaviour", "Cause", "Finding", "Result", "Results", "Target"]


@dataclass(frozen=True)
class Target:
    """A target of a run."""

    id: str
    """Its canonical name, such as ``torch==2.13.0@cpu``."""
    framework: str
    version: str | None
    device: str
    mode: str
    blocked: str | None
    """Why it did not start or gave up; None if it ran to its end."""


@dataclass(frozen=True)
class Result:
    """What one API of a target did in one case."""

    target: str
    api: str
    operation: str
    clause: str
    case: str
    verdict: Verdict
    standing: Standing
    divergence: tuple[Divergence, ...]
    """The kinds of divergence; empty if it conforms."""
    outcome: Status
    """``returned``, ``raised``, ``died``, ``hung`` or ``unsupported``."""
    behaviour: str | None
    """What it did with an out-of-bounds index; None if the case has none."""
    known: str | None
    """The id of the known divergence that records it."""
    explanation: str | None
    seconds: float
    """Duration of the call."""
    _record: ResultRecord = field(repr=False)
    _records: Records = field(repr=False, compare=False)

    def fails(self, fail_on: FailOn = "own") -> bool:
        """Whether it makes a run fail: a death, a hang, or a divergence that is not known.

        fail_on: ``own`` counts divergences from the API's own documentation, ``any`` all, ``never`` nothing.
        """
        check("fail_on", fail_on)
        return fails(self._record, fail_on)

    def account(self) -> str:
        """Claim, call, expectation, outcome and the first differing elements as text."""
        return details(self._records, self._record)


@dataclass(frozen=True)
class Finding:
    """The results of one API that fail one clause in the same way. Each failing result is in one finding."""

    id: str
    """The same in every run."""
    target: str
    api: str
    clause: str
    sort: FindingSort
    """``own``, ``printed``, ``portability``, ``died`` or ``hung``."""
    kinds: tuple[Divergence, ...]
    known: str | None
    """The id of the known divergence that records it."""
    danger: Danger
    """What is wrong with the worst of its results."""
    of: int
    """The number of all results of this API for this clause."""
    results: tuple[Result, ...]

    @property
    def explanation(self) -> str | None:
        """That of the first result."""
        return self.results[0].explanation


@dataclass(frozen=True)
class Cause:
    """The findings of a framework that have one reason. Each finding has one cause."""

    id: str
    """The same in every run."""
    framework: str
    known: str | None
    """The id of the known divergence that records its findings."""
    findings: tuple[Finding, ...]
    apis: tuple[str, ...]
    targets: tuple[str, ...]
    own: bool
    """Whether any of its findings breaks the documentation of its own API."""
    danger: Danger
    """That of its worst finding."""


class Results:
    """The results of a run: iterate over it for each ``Result``."""

    def __init__(self, records: Records) -> None:
        """records: the content of a results file; use ``conformance.load`` or ``conformance.run``."""
        self._records = records
        self._conclusions = Conclusions(records)

    def __repr__(self) -> str:
        targets = ", ".join(target.id for target in self.targets)
        return f"<Results of {targets}: {len(self)}>"

    def __len__(self) -> int:
        return len(self._records.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    @cached_property
    def _results(self) -> tuple[Result, ...]:
        return tuple(self._result(record) for record in self._records.results)

    def _result(self, record: ResultRecord) -> Result:
        return Result(
            target=record.target,
            api=record.api,
            operation=self._conclusions.table.operation(record),
            clause=record.clause,
            case=record.case,
            verdict=record.verdict,
            standing=record.standing,
            divergence=tuple(record.divergence),
            outcome=record.outcome.status,
            behaviour=record.behaviour,
            known=record.known,
            explanation=record.explanation,
            seconds=record.seconds,
            _record=record,
            _records=self._records,
        )

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets in the order of the request."""
        return tuple(
            Target(one.id, one.framework, one.version, one.device, one.mode, one.blocked)
            for one in self._records.targets
        )

    @property
    def complete(self) -> bool:
        """Whether the run was not interrupted."""
        return self._records.complete

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Divergences, deaths and hangs: those from an API's own documentation first."""
        return tuple(map(self._finding, self._conclusions.findings))

    def _finding(self, finding: FindingOfRecords) -> Finding:
        return Finding(
            finding.id,
            finding.target,
            finding.api,
            finding.clause,
            finding.sort,
            finding.kinds,
            finding.known,
            finding.danger,
            finding.of,
            tuple(map(self._result, finding.results)),
        )

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The causes of the findings, the most dangerous first."""
        findings = {finding.id: finding for finding in self.findings}
        return tuple(
            Cause(
                cause.id,
                cause.framework,
                cause.known,
                tuple(findings[finding.id] for finding in cause.findings),
                cause.apis,
                cause.targets,
                cause.own,
                cause.danger,
            )
            for cause in self._conclusions.causes
        )

    @cached_property
    def behaviours(self) -> tuple[Behaviour, ...]:
        """What each target does in each situation, such as with an index that is out of bounds."""
        return tuple(behaviours(self._conclusions))

    @property
    def passes(self) -> tuple[str, ...]:
        """A sentence for each known divergence that no longer happens as recorded."""
        return tuple(record.says for record in self._records.end.unexpected) if self._records.end else ()

    def exit_status(self, fail_on: FailOn = "own") -> int:
        """The exit status that ``conformance run --fail-on`` would have."""
        check("fail_on", fail_on)
        return exit_status(self._records, fail_on)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each result, a column for each of its public fields; ImportError without pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from None
        names = [item.name for item in fields(Result) if not item.name.startswith("_")]
        rows = [[getattr(result, name) for name in names] for result in self]
        return pandas.DataFrame(rows, columns=names)

    def report(self, folder: str | Path) -> Path:
        """Write results.jsonl, index.html and the other reports; return the path of index.html.

        ConformanceError if the folder contains files of these names that conformance did not write.
        """
        from conformance.app.output import held, open_output

        folder = Path(folder)
        with held(folder):
            write_results(self._records, open_output(folder, quiet=True))
            write_reports(self._records, folder)
        return folder / "index.html"
