"""The results of one target that has started: every case on every API, and each finding confirmed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from conformance.cases.casting import cast_indices
from conformance.cases.model import Case
from conformance.judging.judge import Judgement, Subject, Witness
from conformance.judging.standing import standing_of
from conformance.runs.attempt import Attempt, Found
from conformance.runs.client import Client, GaveUp, Stopped
from conformance.runs.confirming import confirmed
from conformance.runs.describe import result_record
from conformance.runs.records import ResultRecord, TargetRecord
from conformance.spec.model import Raises
from conformance.targets.errors import TargetBlocked
from conformance.worker.frames import Message

_WINDOW = 16
"""Attempts that are made ready ahead of the one that is made."""

Pair = tuple[Case, Message]
"""A case and one API, as the worker described it."""


@dataclass(frozen=True)
class Share:
    """One target's part of a run, over a client that is up."""

    client: Client
    target: TargetRecord
    immutable: bool
    eager: bool
    enough: Callable[[Sequence[ResultRecord]], bool]
    """Asked about the findings so far; True ends the target's part."""

    def results(self, pairs: Sequence[Pair]) -> Iterator[ResultRecord]:
        """A result for each pair; what diverged, died or hung comes last, after it was tried again.

        When the target gives up, what is left is ``blocked``; when the run is stopped, it is left out. What was found
        by then is kept as it was found.
        """
        findings: list[Found] = []
        for number, attempt in enumerate(self._announced(pairs)):
            try:
                found = attempt.run(self.client)
            except Stopped:
                yield from map(self._result, findings)
                return
            except (GaveUp, TargetBlocked) as error:
                yield from map(self._result, findings)
                yield from (self._not_tried(self._attempt(*left), error) for left in pairs[number:])
                return
            if not found.is_finding:
                yield self._result(found)
                continue
            findings.append(found)
            if self.enough([self._result(one) for one in findings]):
                break
        yield from self._confirmed(findings)

    def _announced(self, pairs: Sequence[Pair]) -> Iterator[Attempt]:
        """The attempts, some of whose calls the worker has in hand before they are asked for."""
        ahead: deque[Attempt] = deque()
        in_hand = 0
        for pair in pairs:
            ahead.append(self._attempt(*pair))
            # Only an unbroken row of announced calls is made in the order of its announcement.
            if in_hand == len(ahead) - 1 and ahead[-1].announce(self.client):
                in_hand += 1
            if len(ahead) > _WINDOW:
                yield ahead.popleft()
                in_hand = max(0, in_hand - 1)
        yield from ahead

    def _confirmed(self, findings: Sequence[Found]) -> Iterator[ResultRecord]:
        told = 0
        try:
            for found in confirmed(self.client, findings):
                told += 1
                yield self._result(found)
        except (Stopped, GaveUp, TargetBlocked):
            yield from map(self._result, findings[told:])

    def _attempt(self, case: Case, api: Message) -> Attempt:
        standing = standing_of(
            case.clause,
            framework=self.target.framework,
            version=self.target.version,
            api=api["name"],
            follows=api["follows"],
            composed=api["composed"],
        )
        index_dtypes = [] if standing == "own" else api["index_dtypes"]
        call, cast = cast_indices(case.operation, case.call, index_dtypes)
        twin = None
        if case.twin is not None and isinstance(case.expectation, Raises):
            twin, _ = cast_indices(case.operation, case.twin, index_dtypes)
        subject = Subject(standing, api["in_place"], self.immutable, self.eager)
        return Attempt(case, api["name"], subject, call, cast, twin)

    def _result(self, found: Found) -> ResultRecord:
        return result_record(found.attempt, self.target.id, found.witness, found.judgement)

    def _not_tried(self, attempt: Attempt, error: Exception) -> ResultRecord:
        reason = str(error).splitlines()[0]
        witness = Witness({"status": "died", "how": reason, "stderr": ""})
        return result_record(attempt, self.target.id, witness, Judgement("blocked", explanation=reason))
