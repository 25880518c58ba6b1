"""Makes calls many at once, in a mode that compiles: each result is judged as ever, and what is not as expected is made again alone.

A call is made alone from the beginning if it should raise, if it is large, if it raises without being compiled, or if on a path
no call of its API and dtypes has been exported yet. Of the calls that conform together, one in ``CHECKED`` is made alone as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.cases.expectations import Returning
from conformance.cases.model import ApiCall
from conformance.environments.errors import TargetBlocked
from conformance.execution.attempt import Attempt, AttemptResult, CallAttempt, History
from conformance.execution.client import Client, GaveUp, Stopped
from conformance.judging.judgement import Judgement
from conformance.outcomes.model import Abstract, Died, Hung, NotExported, Raised, Returned, Unsupported
from conformance.outcomes.observation import Observation
from conformance.specification.model import Observed

CHECKED = 20
"""Of this many calls that conform together, one is made alone as well."""
LARGEST = 1 << 20
"""The maximum size of a call that is compiled with others, in bytes: an error in a large one may end the process."""
TRIED = 64
"""The number of calls that are tried without compiling in one request."""
LEAST = 4
"""The number of calls that are made alone rather than in two halves."""
FAILING = 3
"""After so many calls of a form in a row that were not as expected together, or groups that hung, its next ones are made alone."""
MOST_TRIALS = 24
"""How many smaller groups are made to find the smallest one in which a call is wrong."""


def can_be_together(attempt: Attempt) -> bool:
    """Whether the call of an attempt can be compiled with others: it should return, and is not large."""
    return (
        isinstance(attempt, CallAttempt)
        and attempt.control is None
        and isinstance(attempt.case.expectation, Returning | Observed)
        and attempt.case.size <= LARGEST
    )


class _Held:
    """Results that are held until all those of their API are there, since one may cast doubt on the others."""

    def __init__(self, attempts: Sequence[CallAttempt], is_left: Callable[[CallAttempt], bool]) -> None:
        self._missing = Counter(map(_of_api, attempts))
        self._results: dict[Hashable, list[AttemptResult]] = {}
        self._is_left = is_left

    def leaves(self, attempt: CallAttempt) -> bool:
        """Whether an attempt is left, so that there will be no result of it."""
        if not self._is_left(attempt):
            return False
        self._missing[_of_api(attempt)] -= 1
        return True

    def with_result(self, result: AttemptResult) -> Sequence[AttemptResult]:
        """All results of an API, if this is the last of them."""
        api = _of_api(result.attempt)
        self._results.setdefault(api, []).append(result)
        self._missing[api] -= 1
        return [] if self._missing[api] else self._results.pop(api)

    def rest(self) -> Sequence[AttemptResult]:
        """Those that are held."""
        return [result for results in self._results.values() for result in results]


@dataclass
class Learned:
    """What the calls made so far have shown, for all workers of a target."""

    taken: dict[Hashable, bool] = field(default_factory=dict)
    """Whether a call of an API with these dtypes returned."""
    failing: Counter[Hashable] = field(default_factory=Counter)
    """By form, the calls in a row that were not as expected together, and the groups without a result."""
    alone: set[Hashable] = field(default_factory=set)
    """The kinds of calls that are made alone, since one of them conformed only together."""


@dataclass
class Together:
    """The calls of a worker that are compiled at once."""

    client: Client
    size: int
    """The maximum number of calls in a group."""
    tried: bool
    """Whether each call is made without compiling first; where that costs as much as compiling, it is not."""
    learns: bool
    """Whether a call is made with others only if one of its API and dtypes was exported alone."""
    notice: Callable[[str], None]
    """Is told of kinds of calls that are made alone, and why."""
    learned: Learned
    groups: int = 0
    """The number of groups that were compiled, or tried to."""
    again: int = 0
    """The number of calls that were made alone after they were made together."""
    _conforming: int = 0

    def results(
        self,
        attempts: Sequence[CallAttempt],
        is_left: Callable[[CallAttempt], bool],
        note: Callable[[AttemptResult], None],
    ) -> Iterator[AttemptResult]:
        """The results of those that are not left, with those of an API one after the other.

        is_left: is asked again before each call alone. note: is told of each result at once, before those of its API are there.
        """
        ordered = sorted(attempts, key=lambda attempt: (attempt.api, attempt.case.operation.name))
        held = _Held(ordered, is_left)
        try:
            for result in self._made(ordered, held):
                note(result)
                yield from self._trusted(held.with_result(result), is_left, note)
        except (Stopped, GaveUp, TargetBlocked):
            yield from (result for result in held.rest() if not self._is_doubtful(result))
            raise
        yield from self._trusted(held.rest(), is_left, note)

    def made(self, attempts: Sequence[CallAttempt]) -> list[AttemptResult | None]:
        """The result of each of these, made together as far as that is possible; None for one that raises without being compiled."""
        taken = self.client.taken([attempt.api_call for attempt in attempts]) if attempts else ()
        chosen = [attempt for attempt, found in zip(attempts, taken, strict=True) if found is True]
        results: dict[int, AttemptResult] = {}
        for start in range(0, len(chosen), self.size):
            for attempt, result, _ in self._together(chosen[start : start + self.size]):
                results[id(attempt)] = result or attempt.run(self.client)
        return [results.get(id(attempt)) for attempt in attempts]

    def _made(self, attempts: Sequence[CallAttempt], held: _Held) -> Iterator[AttemptResult]:
        group: list[CallAttempt] = []
        for attempt in self._taken(attempts, held):
            if isinstance(attempt, AttemptResult):
                yield attempt
                continue
            group.append(attempt)
            if len(group) == self.size:
                yield from self._of_group(group, held)
                group = []
        yield from self._of_group(group, held)

    def _taken(self, attempts: Sequence[CallAttempt], held: _Held) -> Iterator[CallAttempt | AttemptResult]:
        """The attempts that are to be made with others, and the results of the others."""
        for start in range(0, len(attempts), TRIED):
            several = []
            for attempt in attempts[start : start + TRIED]:
                if self._is_made_alone(attempt):
                    yield from self._unless_left(attempt, held)
                elif held.leaves(attempt):
                    continue
                else:
                    several.append(attempt)
            history = History.of(self.client)
            taken: Sequence[bool | Observation] = [True] * len(several)
            if self.tried and several:
                taken = self.client.taken([one.api_call for one in several])
            for attempt, found in zip(several, taken, strict=True):
                if isinstance(found, Observation):
                    yield attempt.judged(self.client, found, history)
                elif found:
                    yield attempt
                else:
                    yield from self._unless_left(attempt, held)

    def _is_made_alone(self, attempt: CallAttempt) -> bool:
        if _kind(attempt) in self.learned.alone or self.learned.failing[_form(attempt)] >= FAILING:
            return True
        return not self.learned.taken.get(_dtypes(attempt), not self.learns)

    def _unless_left(self, attempt: CallAttempt, held: _Held) -> Iterator[AttemptResult]:
        """The result of an attempt that is made alone, if it is not left, such as since others like it hung."""
        if not held.leaves(attempt):
            yield self._made_alone(attempt)

    def _made_alone(self, attempt: CallAttempt) -> AttemptResult:
        result = attempt.run(self.client)
        # Dtypes that were taken once may be refused for other reasons.
        if isinstance(result.observation.outcome, Unsupported | NotExported | Raised):
            self.learned.taken.setdefault(_dtypes(attempt), False)
        elif isinstance(result.observation.outcome, Returned | Abstract):
            self.learned.taken[_dtypes(attempt)] = True
        return result

    def _trusted(
        self,
        results: Sequence[AttemptResult],
        is_left: Callable[[CallAttempt], bool],
        note: Callable[[AttemptResult], None],
    ) -> Iterator[AttemptResult]:
        """The results; last those of kinds that are not to be compiled with others any more, whose calls are made alone."""
        for result in sorted(results, key=self._is_doubtful):
            if not self._is_doubtful(result):
                yield result
                continue
            assert isinstance(result.attempt, CallAttempt)
            if not is_left(result.attempt):
                self.again += 1
                alone = result.attempt.run(self.client)
                note(alone)
                yield alone

    def _is_doubtful(self, result: AttemptResult) -> bool:
        return result.together is not None and not result.company and _kind(result.attempt) in self.learned.alone

    def _of_group(self, group: Sequence[CallAttempt], held: _Held) -> Iterator[AttemptResult]:
        for attempt, result, compiled in self._together(group):
            if result is not None:
                yield self._examined(result, compiled)
            else:
                yield from self._unless_left(attempt, held)

    def _together(
        self, group: Sequence[CallAttempt]
    ) -> Iterator[tuple[CallAttempt, AttemptResult | None, Sequence[CallAttempt]]]:
        """Each attempt with its result, or None if it is to be made alone, and those with which it was made."""
        if len(group) <= 1:
            yield from ((attempt, None, group) for attempt in group)
            return
        history = History.of(self.client)
        self.groups += 1
        made = self.client.together([attempt.api_call for attempt in group])
        if isinstance(made, Died | Hung) or not made.compiled:
            # Each half of a group that hangs would be waited for.
            if isinstance(made, Hung) or len(group) <= LEAST:
                self.learned.failing.update({_form(attempt) for attempt in group})
                yield from ((attempt, None, group) for attempt in group)
                return
            for half in (group[: len(group) // 2], group[len(group) // 2 :]):
                yield from self._together(half)
            return
        for attempt, observation in zip(group, made.observations, strict=True):
            yield attempt, self._judged(attempt, observation, history, made.compiled), group

    def _judged(
        self, attempt: CallAttempt, observation: Observation | None, history: History, number: int
    ) -> AttemptResult | None:
        if observation is None or not isinstance(observation.outcome, Returned | Abstract):
            return None
        return replace(attempt.judged(self.client, observation, history), together=number)

    def _examined(self, result: AttemptResult, group: Sequence[CallAttempt]) -> AttemptResult:
        """The result of a call that was made together: that of the call alone, unless it is as expected, or only alone."""
        assert isinstance(result.attempt, CallAttempt)
        if _is_as_expected(result):
            self._conforming += 1
            self.learned.failing[_form(result.attempt)] = 0
            if self._conforming % CHECKED == 0 and not _is_as_expected(result.attempt.run(self.client)):
                self._distrust(result.attempt)
            return result
        self.again += 1
        alone = self._made_alone(result.attempt)
        self.learned.failing[_form(result.attempt)] += 1
        if not _is_as_expected(alone) or self.learned.failing[_form(result.attempt)] > FAILING:
            return alone
        return self._only_together(result, group) or alone

    def _distrust(self, attempt: CallAttempt) -> None:
        self.learned.alone.add(_kind(attempt))
        self.notice(
            f"calls of {attempt.api} that are varied as {attempt.case.id} are made alone: it conforms only if it is compiled "
            f"together with others"
        )

    def _only_together(self, result: AttemptResult, group: Sequence[CallAttempt]) -> AttemptResult | None:
        """The result of a call that is wrong in the smallest group in which it is; None if it is not wrong there again."""
        assert isinstance(result.attempt, CallAttempt)
        attempt = result.attempt
        self.client.forget()
        fewest, found = self._fewest(attempt, group)
        if found is None:
            return None
        self.client.forget()
        found = self._in_group(attempt, fewest)
        if found is None:
            return None
        company = [other.api_call for other in fewest if other is not attempt]
        return replace(found, judgement=_in_company(found.judgement, company), company=company, confirmed="together")

    def _fewest(
        self, attempt: CallAttempt, group: Sequence[CallAttempt]
    ) -> tuple[Sequence[CallAttempt], AttemptResult | None]:
        """As few of a group, in their order, as are known to make it wrong, with its result; None if all of them do not."""
        found, trials = self._in_group(attempt, group), 1
        others = [other for other in group if other is not attempt]
        size = len(others) // 2
        while found is not None and size and trials < MOST_TRIALS:
            start = 0
            while start < len(others) > size and trials < MOST_TRIALS:
                without = {id(other) for other in others[start : start + size]}
                fewer = [one for one in group if id(one) not in without]
                smaller, trials = self._in_group(attempt, fewer), trials + 1
                if smaller is None:
                    start += size
                else:
                    found, group = smaller, fewer
                    others = [other for other in group if other is not attempt]
            size //= 2
        return group, found

    def _in_group(self, attempt: CallAttempt, group: Sequence[CallAttempt]) -> AttemptResult | None:
        """The result of an attempt that is not as expected if it is compiled in a group; None if it is."""
        history = History.of(self.client)
        self.groups += 1
        made = self.client.together([one.api_call for one in group])
        if isinstance(made, Died | Hung):
            return None
        [observation] = [one for other, one in zip(group, made.observations, strict=True) if other is attempt]
        result = self._judged(attempt, observation, history, made.compiled)
        return None if result is None or _is_as_expected(result) else result


def repetitions(client: Client, results: Sequence[AttemptResult], size: int, rounds: int) -> list[list[AttemptResult]]:
    """The results of calls that returned together, made so again several times; none for one that did not return so again."""
    repeated: list[list[AttemptResult]] = [[] for _ in results]
    for start in range(0, len(results), size):
        group = [result.attempt for result in results[start : start + size]]
        calls = [attempt.api_call for attempt in group if isinstance(attempt, CallAttempt)]
        for _ in range(rounds):
            history = History.of(client)
            made = client.together(calls)
            if isinstance(made, Died | Hung):
                break
            for number, (attempt, observation) in enumerate(zip(group, made.observations, strict=True), start):
                if observation is not None:
                    assert isinstance(attempt, CallAttempt)
                    judged = attempt.judged(client, observation, history)
                    repeated[number].append(replace(judged, together=made.compiled))
    return [runs if len(runs) == rounds else [] for runs in repeated]


def _is_as_expected(result: AttemptResult) -> bool:
    return result.judgement.verdict in ("conforms", "observed")


def _in_company(judgement: Judgement, company: Sequence[ApiCall]) -> Judgement:
    """The judgement of a call that is right alone, and wrong if it is compiled with these."""
    first, more = company[0], len(company) - 1
    named = f"{first.api} with {first.case}" + (f" and {more} more" if more else "")
    text = f"right alone, and wrong if it is compiled together with {named}"
    explanation = "; ".join(filter(None, [text, judgement.explanation]))
    return replace(judgement, divergences=[*judgement.divergences, "together"], explanation=explanation)


def _of_api(attempt: Attempt) -> Hashable:
    return attempt.api, attempt.case.operation.name


def _kind(attempt: Attempt) -> Hashable:
    return attempt.api, attempt.case.operation.name, attempt.case.variation.kind


def _dtypes(attempt: Attempt) -> Hashable:
    tensors = attempt.case.call.tensors.values()
    return attempt.api, attempt.case.operation.name, tuple(one.dtype for one in tensors)


def _form(attempt: Attempt) -> Hashable:
    return _dtypes(attempt), attempt.case.variation.kind
