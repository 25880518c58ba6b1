"""What the processes of attempts print: checked, written at once or held until the unit is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated

from pydantic import Field, TypeAdapter

from conformance.cases.shards import parse_shard
from conformance.cluster.attempts import UnderWay
from conformance.cluster.gathering import Gathering, in_shard_order
from conformance.cluster.notes import Calling, Cases, LongCall, Note, Notice, Preparing, StillWaiting
from conformance.events import Event, ResultReady, TargetNotice, TargetPreparing, TargetStarted, Waiting
from conformance.execution.plan import Plan
from conformance.execution.resume import graded_cases, is_final
from conformance.results.describe import cases_digest
from conformance.results.records import (
    CaseRecord,
    EndRecord,
    ExampleRecord,
    MappingRecord,
    Record,
    ResultRecord,
    RunRecord,
    TargetRecord,
)


@cache
def _line_adapter() -> TypeAdapter[Record | Note]:
    """The type of a line of a unit. It is checked once: to parse a line takes longer than to check what it says."""
    return TypeAdapter(Annotated[Record | Note, Field(discriminator="kind")])


class DifferentRun(Exception):
    """A machine runs something else than what was asked; the message says what."""


class TooManyFailures(Exception):
    """As many failures as end the run."""


class Intake:
    """Takes the lines that attempts print."""

    def __init__(self, plan: Plan, notify: Callable[[Event], None]) -> None:
        self._plan = plan
        self._notify = notify
        self._graded = graded_cases(plan)
        self._validate = _line_adapter().validate_json
        self._failures = 0
        self._announced: set[str] = set()

    def take(self, under: UnderWay, lines: Iterable[str]) -> None:
        """Take lines of an attempt; DifferentTarget or DifferentRun if they are of something else."""
        # The last line of a process that was killed may be cut off.
        for line in (line for line in lines if line.endswith("\n")):
            content = self._validate(line)
            if isinstance(content, Note):
                self._note(under, content)
            else:
                self._record(under, content)

    def complete(self, under: UnderWay) -> list[ExampleRecord]:
        """Write what was held, apart from the examples, which it returns."""
        for held in in_shard_order(under.held):
            if isinstance(held, ResultRecord):
                self._result(under.gathering, held)
            elif isinstance(held, CaseRecord):
                under.gathering.add_case(held)
        return [held for held in under.held if isinstance(held, ExampleRecord)]

    def _note(self, under: UnderWay, note: Note) -> None:
        """Handle a line that is no record."""
        gathering = under.gathering
        match note:
            case Calling(case, api, _):
                under.calling = case, api
            case Preparing(message) if gathering.record is None:
                self._notify(TargetPreparing(gathering.asked, f"{message} ({under.machine})"))
            case Notice(message):
                self._notify(TargetNotice(gathering.asked, f"{message} ({under.machine})"))
            case StillWaiting(None):
                under.waiting = None
            case StillWaiting(LongCall(case, api, seconds)):
                under.waiting = Waiting(gathering.asked, api, case, seconds)
            case Cases(digest):
                self._check_cases(under, digest)

    def _check_cases(self, under: UnderWay, digest: str) -> None:
        shard = parse_shard(under.attempt.unit.shard)
        if digest != cases_digest(case for case in self._plan.cases if shard.holds(case)):
            raise DifferentRun(
                "it draws other calls from the same seed; use the same versions of Python and NumPy there"
            )

    def _record(self, under: UnderWay, record: Record) -> None:
        gathering = under.gathering
        match record:
            case RunRecord():
                self._check_run(record)
            case TargetRecord(blocked=None):
                under.record = record
                gathering.start(record)
            case TargetRecord(blocked=reason):
                under.blocked = reason
            case MappingRecord():
                gathering.add_mapping(record)
            case EndRecord():
                self._announce(gathering)
                under.end = record
            case ResultRecord() if is_final(record, self._graded):
                self._announce(gathering)
                self._result(gathering, record)
            case CaseRecord() | ResultRecord() | ExampleRecord():
                under.held.append(record)

    def _announce(self, gathering: Gathering) -> None:
        """Report the start of a target, once its first unit has sent all mappings."""
        if gathering.record is not None and gathering.asked not in self._announced:
            self._announced.add(gathering.asked)
            self._notify(TargetStarted(gathering.asked, gathering.record, gathering.expected))

    def _check_run(self, record: RunRecord) -> None:
        if record.spec_digest != self._plan.record.spec_digest:
            raise DifferentRun("its specs differ from those of this command")

    def _result(self, gathering: Gathering, record: ResultRecord) -> None:
        result = gathering.add_result(record)
        if result is None:
            return
        self._notify(ResultReady(gathering.asked, result))
        limit = self._plan.failure_limit
        if limit is not None:
            self._failures += limit.fails(result)
            if limit.is_reached(self._failures):
                raise TooManyFailures
