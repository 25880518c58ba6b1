"""The results of one target that has started: every case on every API, and each finding confirmed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from conformance.cases.index_casts import cast_indices
from conformance.cases.model import Agrees, Case
from conformance.execution.attempt import Attempt, CallAttempt, Found
from conformance.execution.client import Client, GaveUp, Stopped
from conformance.execution.confirming import confirmed
from conformance.execution.failure_limit import Patience
from conformance.execution.relation_attempt import RelationAttempt, partners
from conformance.execution.repeating import is_repeated, is_told, repeated
from conformance.execution.shrinking import alike, counterexamples
from conformance.judging.dtype_claims import DtypeClaim, dtype_claim
from conformance.judging.judge import Judgement, Observation, Subject
from conformance.judging.standing import standing_of
from conformance.results.describe import case_record, result_record
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord
from conformance.specification.model import Call, Raises
from conformance.targets.errors import TargetBlocked
from conformance.worker.frames import Message

MOST_ENDINGS_ON_DRAWS = 3
"""Draws of a clause that may end the process on one API before the others of that clause are left out there."""
_CASTS = 16
"""Calls whose cast form is remembered."""
_WINDOW = 64
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
    apis: Sequence[Message]
    """All of the target, as the worker described them."""
    patience: Patience | None
    """At how many failures the target's part ends; None for never."""
    shrinks: bool = True
    """Whether smaller calls are searched for draws that diverge: in a expensive mode that takes too long."""
    casts: dict[tuple[object, ...], tuple[Call, tuple[Call, dict[str, str]]]] = field(default_factory=dict)
    """The last calls whose indices were cast, by the call and the dtypes that the API takes."""
    known: Callable[[ResultRecord], ResultRecord] = lambda result: result
    """Notes in a result which entry of the ledger it is."""
    at_times: Callable[[ResultRecord], bool] = lambda _: False
    """Whether the ledger says that a result happens at times: it is reported as it was found, without another try."""

    def results(self, pairs: Sequence[Pair]) -> Iterator[ResultRecord | CaseRecord]:
        """A result for each pair; what diverged, died or hung comes last, after it was tried again.

        Before it come the calls with duplicate indices, which are made again whatever came of them, and then the
        counterexamples of draws, each with its case.

        When the target gives up, what is left is ``blocked``; when the run is stopped, it is left out. What was found
        by then is kept as it was found.
        """
        findings: list[Found] = []
        again: list[Found] = []
        failures = 0
        endings: Counter[tuple[str, str]] = Counter()
        for number, attempt in enumerate(self._announced(pairs)):
            kind = (attempt.api, attempt.case.clause.id)
            if attempt.case.origin is not None and endings[kind] >= MOST_ENDINGS_ON_DRAWS:
                yield self._not_tried(attempt, f"not tried: {endings[kind]} draws of this clause ended the process")
                continue
            try:
                found = attempt.run(self.client)
            except Stopped:
                yield from map(self._result, again + findings)
                return
            except (GaveUp, TargetBlocked) as error:
                yield from map(self._result, again + findings)
                yield from (self._not_tried(self._attempt(*left), error) for left in pairs[number:])
                return
            if is_repeated(found):
                again.append(found)
            elif found.is_finding:
                findings.append(found)
            else:
                yield self._result(found)
            if not found.is_finding:
                continue
            endings[kind] += attempt.case.origin is not None and found.judgement.verdict in ("died", "hung")
            if self.patience is not None:
                failures += self.patience.fails(self._result(found))
                if self.patience.is_over(failures):
                    break
        graded = self._repeated(again)
        yield from (self._result(found) for found in graded if not found.is_finding or is_told(found))
        findings += [found for found in graded if found.is_finding and not is_told(found)]
        yield from self._confirmed(findings)

    def _repeated(self, again: Sequence[Found]) -> Sequence[Found]:
        """Calls with duplicate indices with their grades; as they were found, where the target does not go on."""
        try:
            # What makes shrinking too long, that each new worker compiles anew, does so here.
            return list(repeated(self.client, again, fresh=self.shrinks))
        except (Stopped, GaveUp, TargetBlocked):
            return again

    def _announced(self, pairs: Sequence[Pair]) -> Iterator[Attempt]:
        """The attempts, whose calls the worker has in hand, as far as can be, before they are asked for."""
        ahead: deque[Attempt] = deque()
        for number, pair in enumerate(pairs, 1):
            ahead.append(self._attempt(*pair))
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

    def _confirmed(self, findings: Sequence[Found]) -> Iterator[ResultRecord | CaseRecord]:
        told = [one for one in findings if self.at_times(self._result(one))]
        findings = told + [one for one in findings if not any(one is other for other in told)]
        try:
            for found in confirmed(self.client, findings[len(told) :]):
                told.append(found)
            yield from self._counterexamples(told)
        except (Stopped, GaveUp, TargetBlocked):
            told += findings[len(told) :]
        yield from map(self._result, told)

    def _counterexamples(self, findings: Sequence[Found]) -> Iterator[ResultRecord | CaseRecord]:
        """The smallest calls that draws led to, which come before the draws in every list that shows the first."""
        groups = alike(findings) if self.shrinks else []
        if not groups:
            return
        apis = {(api["name"], api["operation"]): api for api in self.apis}

        def prepare(case: Case, api: str) -> Attempt:
            return self._attempt(case, apis[api, case.operation.name])

        for group, found in counterexamples(self.client, groups, prepare):
            known = {self._result(one).known for one in group}
            yield replace(case_record(found.attempt.case), provenance="found")
            yield replace(self._result(found), known=known.pop() if len(known) == 1 else None)

    def _attempt(self, case: Case, api: Message) -> Attempt:
        if isinstance(case.expectation, Agrees):
            return self._relation_attempt(case, case.expectation, api)
        standing = standing_of(
            case.clause,
            framework=self.target.framework,
            version=self.target.version,
            api=api["name"],
            follows=api["follows"],
            composed=api["composed"],
        )
        about_indices = any(case.operation.arguments[name].index for name in case.about_dtype)
        index_dtypes = [] if standing == "own" or about_indices else api["index_dtypes"]
        call, cast = self._cast(case, case.call, index_dtypes)
        control = None
        if case.control is not None and (isinstance(case.expectation, Raises) or case.policies):
            control, _ = self._cast(case, case.control, index_dtypes)
        subject = Subject(standing, api["in_place"], self.immutable, self.eager, self._dtype_claim(case, api))
        return CallAttempt(case, api["name"], subject, call, cast, control)

    def _cast(self, case: Case, call: Call, index_dtypes: Sequence[str]) -> tuple[Call, dict[str, str]]:
        """The call as an API takes its indices: one and the same for all the APIs of a case, which follow each other."""
        key = (id(call), *index_dtypes)
        if key not in self.casts:
            if len(self.casts) > _CASTS:
                self.casts.clear()
            # The call is kept too, so that no other can have its id.
            self.casts[key] = (call, cast_indices(case.operation, call, index_dtypes))
        return self.casts[key][1]

    def _dtype_claim(self, case: Case, api: Message) -> DtypeClaim | None:
        if not case.about_dtype:
            return None
        return dtype_claim(
            case,
            framework=self.target.framework,
            version=self.target.version,
            api=api["name"],
            follows=api["follows"],
            composed=api["composed"],
            promised=api["dtypes"],
        )

    def _relation_attempt(self, case: Case, expectation: Agrees, api: Message) -> RelationAttempt:
        apis = partners(expectation.relation, api, self.apis)
        standing = standing_of(
            case.clause,
            framework=self.target.framework,
            version=self.target.version,
            api=api["name"],
            follows=api["follows"],
            composed=any(ones[0]["composed"] for ones in apis.values() if ones),
        )
        subject = Subject(standing, None, self.immutable, self.eager)
        if standing == "own":
            apis = {name: [one for one in ones if not one["composed"]] for name, ones in apis.items()}
        return RelationAttempt(case, api["name"], subject, apis, keeps_indices=standing == "own")

    def _result(self, found: Found) -> ResultRecord:
        record = result_record(found.attempt, self.target.id, found.observation, found.judgement)
        if found.determinism or found.polluter:
            record = replace(record, determinism=found.determinism, polluter=found.polluter)
        return self.known(record)

    def _not_tried(self, attempt: Attempt, why: Exception | str) -> ResultRecord:
        reason = str(why).splitlines()[0]
        observation = Observation({"status": "unsupported", "reason": reason})
        return result_record(attempt, self.target.id, observation, Judgement("blocked", explanation=reason))
