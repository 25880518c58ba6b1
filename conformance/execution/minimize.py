"""Minimizes draws on which a target diverges, dies or hangs, by running smaller draws on the target.

The draws of one finding have one counterexample. Hypothesis starts with the choices of the first of them. A death or a hang costs a process, so there the simplest calls are tried first, and the
number of processes is limited. Each counterexample is confirmed in a process that has made no other call.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import ExampleDatabase, choices_to_bytes

from conformance.cases.draws.drawing import DrawnCall
from conformance.cases.draws.forms import Key, key_of
from conformance.cases.draws.minimize import smaller_draws
from conformance.cases.draws.source import drawn_case
from conformance.cases.model import Case
from conformance.cases.reference import ReferenceFailed
from conformance.cases.variation import Drawn, Found
from conformance.environments.errors import TargetBlocked
from conformance.execution.attempt import Attempt, AttemptResult
from conformance.execution.client import Client, GaveUp, Stopped
from conformance.execution.confirm import Record
from conformance.results.alike import finding_key
from conformance.results.describe import case_digest
from conformance.specification.case_files import PREFIX

Value = TypeVar("Value")
_SEED = 0
_OTHER_KINDS = (b".secondary", b".pareto")
"""Suffixes of the keys of examples that Hypothesis stores besides those that fail."""


class _Found(Exception):
    """A value is wanted."""


class _OneExample(ExampleDatabase):
    """Has the same example for every test, and stores nothing."""

    def __init__(self, choices: Sequence[int]) -> None:
        super().__init__()
        self._example = choices_to_bytes(choices)

    def fetch(self, key: bytes) -> Iterable[bytes]:
        return [] if key.endswith(_OTHER_KINDS) else [self._example]

    def save(self, key: bytes, value: bytes) -> None: ...

    def delete(self, key: bytes, value: bytes) -> None: ...


def smallest(
    strategy: st.SearchStrategy[Value], choices: Sequence[int], is_wanted: Callable[[Value], bool]
) -> Value | None:
    """The smallest value that is wanted; None if that of ``choices``, which is tried first, is not.

    ``hypothesis.find`` does the same with random numbers that differ from run to run, and so do its results.
    """
    found: list[Value] = []

    # Above ``seed``, which removes the database. With one more choice than needed: Hypothesis takes an example with
    # exactly the saved choices as minimal already.
    @settings(
        database=_OneExample((*choices, 0)),
        phases=[Phase.reuse, Phase.shrink],
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @seed(_SEED)
    @given(strategy)
    def search(value: Value) -> None:
        if is_wanted(value):
            found[:] = [value]
            raise _Found

    # As ``find`` does; else the option --hypothesis-seed of pytest disables the database.
    search._hypothesis_internal_database_key = b""  # type: ignore[attr-defined]
    with contextlib.suppress(_Found):
        search()
    return found[0] if found else None


SECONDS_EACH = 10.0
SECONDS_IN_ALL = 180.0
"""Time limit for all counterexamples of one target; after that, a draw is not minimized."""
SECONDS_EACH_ENDING = 60.0
SECONDS_OF_ENDINGS = 300.0
"""The same for hangs, and for deaths if a new process is expensive; they come last."""
MOST_ENDINGS = {"died": 10, "hung": 4}
"""Processes that may end for one counterexample; a hang takes the time limit of a call."""
MOST_DEATHS = 200
"""The same for deaths if a new process costs little."""
_CHANCE = ("unstable", "contaminated")
"""Kinds of divergence that a single call does not reproduce."""

Prepare = Callable[[Case, str], Attempt]
"""An attempt of a case on the API of this name."""


def alike(findings: Sequence[AttemptResult], record: Record) -> list[list[AttemptResult]]:
    """The findings on draws, in groups that share a counterexample; deaths and hangs last."""
    groups: dict[Hashable, list[AttemptResult]] = {}
    for finding in findings:
        attempt, judgement = finding.attempt, finding.judgement
        drawn = isinstance(attempt.case.variation, Drawn) and attempt.case.operation.layout is not None
        if not drawn or set(judgement.divergences) & {*_CHANCE}:
            continue
        groups.setdefault(finding_key(record(finding)), []).append(finding)
    return sorted(groups.values(), key=lambda group: group[0].ended_process)


def counterexamples(
    client: Client,
    groups: Iterable[list[AttemptResult]],
    prepare: Prepare,
    may_hang: Callable[[], bool] = lambda: True,
) -> Iterator[tuple[list[AttemptResult], AttemptResult]]:
    """Each group with its confirmed counterexample, without the groups whose counterexample is not confirmed.

    may_hang: whether there is time for another call that hangs.
    GaveUp, Stopped and TargetBlocked as raised by ``client``.
    """
    spent = {True: 0.0, False: 0.0}
    for group in groups:
        first, started = group[0], time.monotonic()
        if first.judgement.verdict == "hung" and not may_hang():
            continue
        limit, total = _seconds(first, client)
        remaining = total - spent[first.ended_process]
        client.forget()
        search = _Search(client, first, prepare, min(remaining, limit), may_hang)
        case = search.run() if remaining > 0 else None
        spent[first.ended_process] += time.monotonic() - started
        client.forget()
        result = prepare(_named(case or first.attempt.case), first.attempt.api).run(client)
        if _is_like(result, first):
            yield group, replace(result, confirmed="alone")


def _seconds(finding: AttemptResult, client: Client) -> tuple[float, float]:
    """The time limits for one counterexample, and for all of its sort."""
    is_slow = finding.judgement.verdict == "hung" or (finding.ended_process and not client.restarts_fast)
    return (SECONDS_EACH_ENDING, SECONDS_OF_ENDINGS) if is_slow else (SECONDS_EACH, SECONDS_IN_ALL)


@dataclass
class _Search:
    """Searches the smallest draw with the same divergence, within a time limit."""

    client: Client
    first: AttemptResult
    prepare: Prepare
    seconds: float
    may_hang: Callable[[], bool] = lambda: True
    tried: dict[Key, Case | None] = field(default_factory=dict)
    """By call: its case if it has the same divergence, else None."""
    endings: int = 0
    """Number of processes that ended during the search."""
    error: GaveUp | Stopped | TargetBlocked | None = None

    def run(self) -> Case | None:
        """The smallest call with the same divergence; None if there is none."""
        from conformance.strategies import drawn_calls

        case = self.first.attempt.case
        origin = _origin(case)
        self._end = time.monotonic() + self.seconds
        strategy = drawn_calls(case.operation, origin.rule)
        drawn = smallest(strategy, self._first_choices(origin), self._has_same_divergence)
        if self.error is not None:
            raise self.error
        return self.tried[_key(drawn)] if drawn is not None else None

    def _first_choices(self, origin: Drawn) -> Sequence[int]:
        """The choices to start with: for a death or a hang those of the simplest call with the same divergence."""
        if not self.first.ended_process:
            return origin.choices
        simpler_draws = smaller_draws(self.first.attempt.case.operation, origin.rule, origin.choices)
        return next((choices for drawn, choices in simpler_draws if self._has_same_divergence(drawn)), origin.choices)

    def _has_same_divergence(self, drawn: DrawnCall) -> bool:
        """Cached, since Hypothesis requires the same answer for the same call."""
        key = _key(drawn)
        if key not in self.tried and self._is_within_limits():
            try:
                self.tried[key] = self._try(drawn)
            except (GaveUp, Stopped, TargetBlocked) as error:
                # Raised after the search, since Hypothesis would minimize an example that raises.
                self.error = error
        return self.tried.get(key) is not None

    def _is_within_limits(self) -> bool:
        verdict = self.first.judgement.verdict
        most = MOST_DEATHS if verdict == "died" and self.client.restarts_fast else MOST_ENDINGS.get(verdict)
        has_time = time.monotonic() < self._end and (verdict != "hung" or self.may_hang())
        return has_time and self.error is None and (most is None or self.endings < most)

    def _try(self, drawn: DrawnCall) -> Case | None:
        case = self.first.attempt.case
        try:
            smaller = drawn_case(case.clause, case.id, drawn, _origin(case))
        except ReferenceFailed:
            return None
        result = self.prepare(smaller, self.first.attempt.api).run(self.client)
        if result.ended_process:
            self.endings += 1
            self.client.forget()
        return smaller if _is_like(result, self.first) else None


def _is_like(result: AttemptResult, finding: AttemptResult) -> bool:
    """Whether it is of the same finding, and treats an index out of bounds in the same way.

    A smaller call may break a promise that the finding does not, such as one about an index that is further outside.
    """
    of_one_sort = finding.ended_process or result.standing == finding.standing
    same_behaviour = result.judgement.behaviour == finding.judgement.behaviour
    return result.has_same_verdict(finding) and of_one_sort and same_behaviour


def _origin(case: Case) -> Drawn:
    assert isinstance(case.variation, Drawn), "only draws are minimized"
    return case.variation


def _named(case: Case) -> Case:
    """The case with an id that depends only on its call, since it is not a draw."""
    name = f"{PREFIX}{case_digest(case)[:8]}"
    return replace(case, id=f"{case.clause.id}/{name}", variation=Found(breaks=_origin(case).rule is not None))


def _key(drawn: DrawnCall) -> Key:
    return (key_of(drawn.call), key_of(drawn.control) if drawn.control else None)
