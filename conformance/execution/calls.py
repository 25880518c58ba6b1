"""Makes the calls of one worker of a target: every case on every API, with confirmed findings.

Before them, the adapter is tried: a mistake of its own would look like divergences of the framework.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from conformance.cases.expectations import Returning
from conformance.cases.model import ApiCall, Case
from conformance.cases.variation import Drawn, DrawnProgram, is_expensive
from conformance.cases.wire import cast_indices
from conformance.environments.errors import TargetBlocked
from conformance.events import Activity
from conformance.execution.attempt import Attempt, AttemptResult, CallAttempt, History, result_record
from conformance.execution.budget import DeathsOnDraws, HangLimits, Hangs, reason_for_memory
from conformance.execution.client import Client, GaveUp, Stopped
from conformance.execution.confirm import Record, confirmed, unconfirmed
from conformance.execution.controls import is_order_dependent, rests_on_control, with_lone_controls
from conformance.execution.plan import FailureLimit
from conformance.execution.repeat import is_repeated, is_settled, repeated
from conformance.execution.target import Attempts, Pair
from conformance.execution.together import Together, can_be_together
from conformance.judging.judge import judge
from conformance.judging.judgement import Judgement
from conformance.known.ledger import Ledger
from conformance.outcomes.model import Died, Unsupported
from conformance.outcomes.observation import Observation
from conformance.results.describe import case_record
from conformance.results.records import CaseRecord, ResultRecord

if TYPE_CHECKING:
    from conformance.execution.shrinking import Kind

LIMIT = 10.0
"""Seconds for a call, if the run gives none less."""
MOST_CALLS = 12


def check_calls(client: Client, pairs: Sequence[Pair]) -> None:
    """Make valid calls until one returns, of each API one before any other; TargetBlocked if all of them fail alike.

    The calls are made in a worker of their own, since they may change the process. Nothing is tried if a worker costs an
    import of the framework.
    """
    if not client.restarts_fast:
        return
    try:
        _check_calls(client, pairs)
    finally:
        client.forget()


def _check_calls(client: Client, pairs: Sequence[Pair]) -> None:
    failures = []
    for call in _valid_calls(pairs):
        failure = client.failure(call, min(LIMIT, client.limit))
        if failure is None:
            return
        failures.append((call, failure))
    if len(failures) > 1 and len({failure["error"] for _, failure in failures}) == 1:
        call, failure = failures[0]
        raise TargetBlocked(
            f"all {len(failures)} valid calls that were tried fail alike, the first of them {call.api} with {call.case}: "
            f"{failure['error']}; is it the adapter?\n{failure['traceback']}"
        )


def _valid_calls(pairs: Sequence[Pair]) -> Iterator[ApiCall]:
    """One call of each API, then others, since a framework may take the data of none of these in their dtype."""
    # An index outside that has a result may still make a framework unusable, as on some GPUs.
    plain = [(case, api) for case, api in pairs if case.variation.base is None and not case.policies]
    written = [(case, api) for case, api in plain if isinstance(case.expectation, Returning)]
    first = {(api["name"], api["operation"]): (case, api) for case, api in reversed(written)}
    chosen = {(case.id, api["name"]): (case, api) for case, api in [*first.values(), *written]}
    for case, api in islice(chosen.values(), MOST_CALLS):
        call, _ = cast_indices(case.call, api["index_dtypes"])
        yield ApiCall(call, api["name"], case.id)


_WINDOW = 64
"""Number of attempts that are prepared ahead of the current one."""

Output = ResultRecord | CaseRecord
Item = TypeVar("Item")


@dataclass(frozen=True)
class WorkerCalls:
    """Runs cases on the APIs of a target with one client."""

    client: Client
    repeating: Client
    """Repeats calls with duplicate indices, with several threads."""
    attempts: Attempts
    ledger: Ledger
    failure_limit: FailureLimit | None
    """The limit on failures for the target's part; None for no limit."""
    not_repeated: Callable[[str], None]
    """Is told why calls with duplicate indices were not repeated."""
    report: Callable[[Activity, int, int], None] = lambda _activity, _done, _total: None
    """Is called with how much of an activity is done, and of how much."""
    repeats: bool = True
    """Whether calls with duplicate indices are repeated."""
    fatal: frozenset[tuple[str, str]] = frozenset()
    """As in the plan."""
    kept: Sequence[Client] = ()
    """As in ``repeated``."""
    hangs: Hangs = field(default_factory=lambda: Hangs(HangLimits()))
    """Those of the target, on all its workers."""
    interrupted: Callable[[AttemptResult], None] = lambda _: None
    """Is told of a call whose process was ended from outside, and which was repeated."""
    together: Together | None = None
    """Makes calls many at once; None in a mode that does not, or if each call is announced before it is made."""
    order_dependent: set[str] = field(default_factory=set)
    """The APIs on which results were seen that happen after other calls only."""

    def check(self, pairs: Sequence[Pair]) -> None:
        """As ``check_calls``, but with none of the calls that are never made."""
        check_calls(
            self.client, [(case, api) for case, api in pairs if not self._is_never_called(case.id, api["name"])]
        )

    def first(self, pairs: Sequence[Pair], held: list[AttemptResult]) -> Iterator[Output]:
        """A result for each pair, but those to be examined in fresh processes are appended to ``held`` instead.

        These are the findings, the last of them those of repeated calls with duplicate indices, and what conforms by a
        control on an API that has findings. If the target gives up, the remaining results are ``blocked``; if it is stopped,
        they are omitted. In both cases what is held is reported as it is.
        """
        repeatable: list[AttemptResult] = []
        on_controls: list[AttemptResult] = []
        failures = 0
        deaths = DeathsOnDraws()
        done: Counter[tuple[str, str]] = Counter()
        made = self._made(pairs, deaths)
        while done.total() < len(pairs):
            try:
                result = next(made)
            except (Stopped, GaveUp, TargetBlocked) as error:
                yield from map(self._unconfirmed, repeatable + on_controls + _taken_from(held))
                if not isinstance(error, Stopped):
                    yield from (self._not_run(self.attempts.attempt(*pair), error) for pair in _without(pairs, done))
                return
            if isinstance(result, ResultRecord):
                done[result.case, result.api] += 1
                yield result
                continue
            attempt = result.attempt
            done[attempt.case.id, attempt.api] += 1
            place = self._place(result, repeatable, held, on_controls)
            if place is None:
                yield self._record(result)
            else:
                place.append(result)
            if result.is_finding and self.failure_limit is not None:
                failures += self.failure_limit.fails(self._record(result))
                if self.failure_limit.is_reached(failures):
                    break
        yield from self._sorted_out(repeatable, on_controls, held)

    def _place(
        self,
        result: AttemptResult,
        repeatable: list[AttemptResult],
        held: list[AttemptResult],
        on_controls: list[AttemptResult],
    ) -> list[AttemptResult] | None:
        """Those that are examined as a result is; None if it is final."""
        if result.company:  # whose groups were made in fresh processes
            return None
        if self.repeats and self.attempts.started.prepared.thread_variables and is_repeated(result):
            return repeatable
        if result.is_finding:
            return held
        return on_controls if rests_on_control(result) else None

    def _made(self, pairs: Sequence[Pair], deaths: DeathsOnDraws) -> Iterator[AttemptResult | ResultRecord]:
        """The result of each pair, or the record of a call that is not made: first of those that are compiled together."""

        def note(result: AttemptResult) -> None:
            deaths.note(result.attempt, result.judgement.verdict)
            self.hangs.note(result.attempt, result.observation.outcome)

        done: Counter[tuple[str, str]] = Counter()
        if self.together is not None:
            attempts = [self.attempts.attempt(*pair) for pair in pairs if not pair[1]["lacks_kernel"]]
            together = [
                attempt for attempt in attempts if isinstance(attempt, CallAttempt) and can_be_together(attempt)
            ]
            for result in self.together.results(
                together, lambda attempt: self._without_call(attempt, deaths) is not None, note
            ):
                done[result.attempt.case.id, result.attempt.api] += 1
                yield result
        for attempt in self._announced([*_without(pairs, done)]):
            without = self._without_call(attempt, deaths)
            if without is not None:
                yield without
                continue
            result = attempt.run(self.client)
            note(result)
            yield result

    def _sorted_out(
        self,
        repeatable: Sequence[AttemptResult],
        on_controls: Sequence[AttemptResult],
        held: list[AttemptResult],
    ) -> Iterator[Output]:
        """The results that need no fresh processes; the others are appended to ``held``."""
        graded = self._repeated(repeatable)
        yield from (self._record(result) for result in graded if not result.is_finding or is_settled(result))
        held += [result for result in graded if result.is_finding and not is_settled(result)]
        suspects = self.order_dependent.union(result.attempt.api for result in held)
        yield from (self._record(result) for result in on_controls if result.attempt.api not in suspects)
        held += [result for result in on_controls if result.attempt.api in suspects]

    @property
    def _compiles(self) -> bool:
        """Whether first calls are expensive, so that draws are not minimized."""
        return is_expensive(self.attempts.started.prepared.mode.shape)

    def _repeated(self, results: Sequence[AttemptResult]) -> Sequence[AttemptResult]:
        """Calls with duplicate indices with their grades; without grades if the target gives up or is stopped."""
        try:
            size = self.together.size if self.together is not None else 1
            repeats = repeated(self.repeating, results, compiles=self._compiles, kept=self.kept, together=size)
            return list(self._reported("repeating", repeats, len(results)))
        except (GaveUp, TargetBlocked) as error:
            self.not_repeated(str(error).splitlines()[0])
            return results
        except Stopped:
            return results

    def _announced(self, pairs: Sequence[Pair]) -> Iterator[Attempt]:
        """The attempts, whose calls are announced to the worker ahead of time where possible."""
        ahead: deque[Attempt] = deque()
        for number, pair in enumerate(pairs, 1):
            ahead.append(self.attempts.attempt(*pair))
            if len(ahead) < _WINDOW and number < len(pairs):
                continue
            # Half a window at once, before the worker is idle, since sending takes as long as a call.
            self._announce(ahead)
            while len(ahead) > _WINDOW // 2:
                yield ahead.popleft()
        yield from ahead

    def _announce(self, ahead: Iterable[Attempt]) -> None:
        """Announce the attempts in order, up to the first that cannot be announced or will not be run."""
        for attempt in islice(ahead, self.client.announced, None):
            if self._is_never_called(attempt.case.id, attempt.api) or self.hangs.reason_not_to_run(attempt) is not None:
                return
            if not attempt.announce(self.client):
                return

    def _is_never_called(self, case: str, api: str) -> bool:
        """Whether the call ends the machine, or its known divergence has ``run: false``."""
        return (case, api) in self.fatal or self.ledger.not_run(case, api) is not None

    def confirmed(self, held: Sequence[AttemptResult]) -> Iterator[Output]:
        """The results of what was held.

        Findings are confirmed as far as that is possible, and counterexamples come with them, each preceded by its case. What
        conforms by a control is judged anew on APIs whose results depend on earlier calls.
        """
        findings = [result for result in held if result.is_finding]
        record = _once(self._record)
        reported: dict[int, AttemptResult] = {}
        smallest: dict[int, CaseRecord] = {}
        """Of findings on drawn programs, the case of the smallest one that diverges as they do."""
        try:
            # A repeated call is confirmed with as many threads as it was repeated with.
            for client, is_repeated_one in ((self.client, False), (self.repeating, True)):
                chosen = [one for one in findings if (one.determinism is not None) is is_repeated_one]
                pairs = confirmed(
                    client,
                    chosen,
                    record,
                    compiles=self._compiles,
                    is_intermittent=self.ledger.is_intermittent,
                    may_hang=self._may_hang,
                )
                for finding, report in self._reported("re-checking", pairs, len(chosen)):
                    reported[id(finding)] = report
                    if not report.is_finding:
                        self.interrupted(finding)
            reports = [reported.get(id(finding), finding) for finding in findings]
            self.order_dependent.update(report.attempt.api for report in reports if is_order_dependent(report))
            doubtful = [
                result for result in held if not result.is_finding and result.attempt.api in self.order_dependent
            ]
            reported |= zip(map(id, doubtful), with_lone_controls(self.client, doubtful), strict=True)
            yield from self._counterexamples([report for report in reports if report.is_finding], record)
            for kind in self._kinds_of_programs([report for report in reports if _is_program(report)]):
                program = case_record(kind.smallest.attempt.case)
                yield program
                yield self._record_of_program(kind.smallest, program)
                smallest |= dict.fromkeys(map(id, kind.findings), program)
        except (Stopped, GaveUp, TargetBlocked):
            pass  # the others are reported as they are
        for result in held:
            examined = reported.get(id(result))
            if examined is None:
                yield self._unconfirmed(result)
            elif id(examined) in smallest:
                yield self._record_of_program(examined, smallest[id(examined)])
            else:
                yield record(examined)

    def _counterexamples(self, findings: Sequence[AttemptResult], record: Record) -> Iterator[Output]:
        """The counterexamples of draws; they come before the draws, so that reports show them first."""
        if self._compiles or not any(isinstance(finding.attempt.case.variation, Drawn) for finding in findings):
            return
        from conformance.execution.minimize import alike, counterexamples  # slow to import

        groups = alike(findings, record)
        if not groups:
            return

        def prepare(case: Case, api: str) -> Attempt:
            [own] = [one for one in self.attempts.started.apis_of(case.operation.name) if one["name"] == api]
            return self.attempts.attempt(case, own)

        taken = self._taken("minimizing", groups)
        for group, smallest in counterexamples(self.client, taken, prepare, self._may_hang):
            yield case_record(smallest.attempt.case)
            yield replace(self._record(smallest), known=record(group[0]).known)

    def _kinds_of_programs(self, findings: Sequence[AttemptResult]) -> Sequence[Kind]:
        """The findings on drawn programs by their smallest programs."""
        if not findings:
            return []
        from conformance.execution.shrinking import kinds  # slow to import

        self.report("minimizing", 0, len(findings))
        return list(kinds(self.client, findings, self.attempts, self.together))

    def _may_hang(self) -> bool:
        """Whether there is time for another call that is known to hang."""
        return not self.hangs.are_over

    def _reported(self, activity: Activity, items: Iterable[Item], total: int) -> Iterator[Item]:
        """The items, each reported when it is done."""
        if total:
            self.report(activity, 0, total)
        for done, item in enumerate(items, 1):
            self.report(activity, done, total)
            yield item

    def _taken(self, activity: Activity, items: Sequence[Item]) -> Iterator[Item]:
        """The items, each reported to be done when the next one is taken."""
        for done, item in enumerate(items):
            self.report(activity, done, len(items))
            yield item
        self.report(activity, len(items), len(items))

    def _record(self, result: AttemptResult) -> ResultRecord:
        return self.ledger.known(result_record(result, self.attempts.started.record.id))

    def _record_of_program(self, result: AttemptResult, smallest: CaseRecord) -> ResultRecord:
        """That of a drawn program, with the smallest one that diverges as it does."""
        shrunk = replace(result, smallest=smallest.id)
        return self.ledger.known(result_record(shrunk, self.attempts.started.record.id), smallest)

    def _without_call(self, attempt: Attempt, deaths: DeathsOnDraws) -> ResultRecord | None:
        """The result of an attempt that is not run; None if it is to be run."""
        if (attempt.case.id, attempt.api) in self.fatal:
            return self._died_with_machine(attempt)
        entry = self.ledger.not_run(attempt.case.id, attempt.api)
        if entry is not None:
            return self._not_run(attempt, f"not called: the known divergence {entry.id} has run: false ({entry.link})")
        reason = self.hangs.reason_not_to_run(attempt)
        if reason is not None and self.client.announced:
            self.client.close()  # the announced calls, one of which this is, would be made
        reason = reason or reason_for_memory(attempt.case)
        reason = reason or deaths.reason_not_to_run(attempt, restarts_fast=self.client.restarts_fast)
        return self._not_run(attempt, reason) if reason is not None else None

    def _died_with_machine(self, attempt: Attempt) -> ResultRecord:
        observation = Observation(Died(machine=True))
        judgement = judge(attempt.case, attempt.subject, observation)
        return self._record(AttemptResult(attempt, observation, judgement, History([], 0)))

    def _unconfirmed(self, result: AttemptResult) -> ResultRecord:
        return self._record(unconfirmed(result, "the run ended before"))

    def _not_run(self, attempt: Attempt, cause: Exception | str) -> ResultRecord:
        line = str(cause).splitlines()[0]
        observation, judgement = Observation(Unsupported(line)), Judgement("blocked", explanation=line)
        result = AttemptResult(attempt, observation, judgement, History([], 0))
        return result_record(result, self.attempts.started.record.id)


def _without(pairs: Sequence[Pair], done: Counter[tuple[str, str]]) -> Iterator[Pair]:
    """The pairs that are not done, each of which may be there several times."""
    left = done.copy()
    for case, api in pairs:
        if left[case.id, api["name"]]:
            left[case.id, api["name"]] -= 1
        else:
            yield case, api


def _is_program(finding: AttemptResult) -> bool:
    """Whether a finding is about a drawn program that can be shrunk."""
    is_drawn = isinstance(finding.attempt.case.variation, DrawnProgram)
    return (
        is_drawn
        and finding.judgement.verdict == "diverges"
        and not {"unstable", "contaminated"} & {*finding.judgement.divergences}
    )


def _once(record: Record) -> Record:
    """As ``record``, which is made once for each result: what is held is grouped by its records, and reported later."""
    made: dict[int, tuple[AttemptResult, ResultRecord]] = {}

    def recorded(result: AttemptResult) -> ResultRecord:
        known = made.get(id(result))
        if known is None:
            # The entry keeps the result alive, so that its id is not reused.
            known = made[id(result)] = (result, record(result))
        return known[1]

    return recorded


def _taken_from(findings: list[AttemptResult]) -> list[AttemptResult]:
    taken = list(findings)
    findings.clear()
    return taken
