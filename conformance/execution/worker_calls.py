"""The results that one worker of a target gives: every case on every API, and each finding confirmed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from conformance.cases.model import Case
from conformance.execution.attempt import Attempt, AttemptResult, History
from conformance.execution.attempts import Attempts
from conformance.execution.budget import is_expensive
from conformance.execution.client import Client, GaveUp, Stopped
from conformance.execution.confirming import confirmed
from conformance.execution.failure_limit import FailureLimit
from conformance.execution.recording import result_record
from conformance.execution.repeating import is_repeated, is_settled, repeated
from conformance.execution.shrinking import alike, counterexamples
from conformance.judging.judge import Judgement
from conformance.known.matching import Matcher
from conformance.outcomes.model import Unsupported
from conformance.outcomes.observation import Observation
from conformance.results.describe import case_record
from conformance.results.records import CaseRecord, ResultRecord
from conformance.targets.errors import TargetBlocked
from conformance.worker.frames import Message

MOST_ENDINGS_ON_DRAWS = 3
"""Draws of a clause that may end the process on one API before the others of that clause are left out there."""
_WINDOW = 64
"""Attempts that are made ready ahead of the one that is made."""

Pair = tuple[Case, Message]
"""A case and one API, as the worker described it."""
Output = ResultRecord | CaseRecord


@dataclass(frozen=True)
class WorkerCalls:
    """Takes cases to the APIs of a target over one client."""

    client: Client
    attempts: Attempts
    matcher: Matcher
    failure_limit: FailureLimit | None
    """At how many failures the target's part ends; None for never."""

    def results(self, pairs: Sequence[Pair]) -> Iterator[Output]:
        """A result for each pair; what diverged, died or hung comes last, after it was tried again.

        Before it come the calls with duplicate indices, which are repeated whatever came of them, and then the
        counterexamples of generated cases, each with its case. When the target gives up, what is left is ``blocked``; when
        the run is stopped, it is left out. What was observed by then is kept as it was.
        """
        findings: list[AttemptResult] = []
        again: list[AttemptResult] = []
        failures = 0
        endings: Counter[tuple[str, str]] = Counter()
        for number, attempt in enumerate(self._announced(pairs)):
            group = (attempt.api, attempt.case.clause.id)
            if attempt.case.origin is not None and endings[group] >= MOST_ENDINGS_ON_DRAWS:
                yield self._not_tried(attempt, f"not tried: {endings[group]} draws of this clause ended the process")
                continue
            try:
                result = attempt.run(self.client)
            except Stopped:
                yield from map(self._record, again + findings)
                return
            except (GaveUp, TargetBlocked) as error:
                yield from map(self._record, again + findings)
                yield from (self._not_tried(self.attempts.attempt(*left), error) for left in pairs[number:])
                return
            if is_repeated(result):
                again.append(result)
            elif result.is_finding:
                findings.append(result)
            else:
                yield self._record(result)
            if not result.is_finding:
                continue
            endings[group] += attempt.case.origin is not None and result.judgement.verdict in ("died", "hung")
            if self.failure_limit is not None:
                failures += self.failure_limit.fails(self._record(result))
                if self.failure_limit.is_reached(failures):
                    break
        graded = self._repeated(again)
        yield from (self._record(result) for result in graded if not result.is_finding or is_settled(result))
        findings += [result for result in graded if result.is_finding and not is_settled(result)]
        yield from self._confirmed(findings)

    @property
    def _shrinks(self) -> bool:
        """Whether smaller calls are searched for draws that diverge: in an expensive mode that takes too long."""
        return not is_expensive(self.attempts.started.prepared.mode.shape)

    def _repeated(self, again: Sequence[AttemptResult]) -> Sequence[AttemptResult]:
        """Calls with duplicate indices with their grades; as they were observed, where the target does not go on."""
        try:
            # What makes shrinking too long, that each new worker compiles again, does so here.
            return list(repeated(self.client, again, fresh=self._shrinks))
        except (Stopped, GaveUp, TargetBlocked):
            return again

    def _announced(self, pairs: Sequence[Pair]) -> Iterator[Attempt]:
        """The attempts, whose calls the worker has in hand, as far as can be, before they are asked for."""
        ahead: deque[Attempt] = deque()
        for number, pair in enumerate(pairs, 1):
            ahead.append(self.attempts.attempt(*pair))
            if len(ahead) < _WINDOW and number < len(pairs):
                continue
            # All at once, half a window before the worker runs dry: each handing over costs as much as a call.
            self._announce(ahead)
            while len(ahead) > _WINDOW // 2:
                yield ahead.popleft()
        yield from ahead

    def _announce(self, ahead: Iterable[Attempt]) -> None:
        """Announce those that are made one after the other, up to the first that cannot be."""
        for attempt in islice(ahead, self.client.announced, None):
            if not attempt.announce(self.client):
                return

    def _confirmed(self, findings: Sequence[AttemptResult]) -> Iterator[Output]:
        reported = [finding for finding in findings if self.matcher.is_intermittent(self._record(finding))]
        findings = reported + [finding for finding in findings if not any(finding is other for other in reported)]
        try:
            for finding in confirmed(self.client, findings[len(reported) :]):
                reported.append(finding)
            yield from self._counterexamples(reported)
        except (Stopped, GaveUp, TargetBlocked):
            reported += findings[len(reported) :]
        yield from map(self._record, reported)

    def _counterexamples(self, findings: Sequence[AttemptResult]) -> Iterator[Output]:
        """The smallest calls that draws led to, which come before the draws in every list that shows the first."""
        groups = alike(findings) if self._shrinks else []
        if not groups:
            return
        apis = {(api["name"], api["operation"]): api for api in self.attempts.started.apis}

        def prepare(case: Case, api: str) -> Attempt:
            return self.attempts.attempt(case, apis[api, case.operation.name])

        for group, smallest in counterexamples(self.client, groups, prepare):
            known = {self._record(finding).known for finding in group}
            yield case_record(smallest.attempt.case)
            yield replace(self._record(smallest), known=known.pop() if len(known) == 1 else None)

    def _record(self, result: AttemptResult) -> ResultRecord:
        return self.matcher.known(result_record(result, self.attempts.started.record.id))

    def _not_tried(self, attempt: Attempt, why: Exception | str) -> ResultRecord:
        reason = str(why).splitlines()[0]
        observation, judgement = Observation(Unsupported(reason)), Judgement("blocked", explanation=reason)
        result = AttemptResult(attempt, observation, judgement, History([], 0))
        return result_record(result, self.attempts.started.record.id)
