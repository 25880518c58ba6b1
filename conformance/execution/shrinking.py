"""Draws on which a target diverges, dies or hangs, made as small as they can be on the target itself.

Draws that go wrong alike on one API (the same clause, the same kinds) have one counterexample. Hypothesis begins with the
choices that led to the first of them. A death or a hang costs a process, so there the simplest calls are tried first, and
only so many processes are spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.cases.draws.minimize import smaller_draws
from conformance.cases.draws.plans import DrawnCall
from conformance.cases.draws.source import drawn_case
from conformance.cases.model import Case, Origin
from conformance.cases.reference import ReferenceFailed
from conformance.execution.attempt import Attempt, AttemptResult
from conformance.execution.client import Client, GaveUp, Stopped
from conformance.results.describe import case_record
from conformance.specification.case_files import PREFIX
from conformance.specification.literals import Tensor
from conformance.specification.model import Call
from conformance.targets.errors import TargetBlocked

SECONDS_EACH = 10.0
SECONDS_IN_ALL = 180.0
"""For all the counterexamples of one target; of what is left then, the draw itself is the counterexample."""
SECONDS_EACH_ENDING = 60.0
SECONDS_OF_ENDINGS = 300.0
"""The same for deaths and hangs, which come after."""
MOST_ENDINGS = {"died": 10, "hung": 4}
"""Processes that may end for one counterexample; a hang takes as long as a call may."""
_KEY = b"a draw"
_CHANCE = ("unstable", "contaminated")
"""Kinds of divergence that a single call does not show."""

Prepare = Callable[[Case, str], Attempt]
"""An attempt of a case on the API of this name."""
Key = tuple[Hashable, ...]


def alike(findings: Sequence[AttemptResult]) -> list[list[AttemptResult]]:
    """The findings on draws, those together that one counterexample stands for; deaths and hangs last."""
    groups: dict[Key, list[AttemptResult]] = {}
    for found in findings:
        attempt, judgement = found.attempt, found.judgement
        drawn = attempt.case.origin is not None and attempt.case.operation.layout is not None
        if not drawn or set(judgement.divergences) & {*_CHANCE}:
            continue
        key = (attempt.api, attempt.case.clause.id, judgement.verdict, *judgement.divergences)
        groups.setdefault(key, []).append(found)
    return sorted(groups.values(), key=lambda group: _ended(group[0]))


def counterexamples(
    client: Client, groups: Sequence[list[AttemptResult]], prepare: Prepare
) -> Iterator[tuple[list[AttemptResult], AttemptResult]]:
    """Each group with its counterexample, confirmed in a fresh worker; none for a group that it does not show again.

    All are confirmed together, which costs one process, and only those that then come out otherwise are tried alone.
    GaveUp, Stopped and TargetBlocked as ``client`` raises them.
    """
    smallest: list[tuple[list[AttemptResult], Attempt]] = []
    spent = {True: 0.0, False: 0.0}
    client.forget()
    for group in groups:
        first, started = group[0], time.monotonic()
        each, in_all = _seconds(first)
        left = in_all - spent[_ended(first)]
        case = _Search(client, first, prepare, min(left, each)).run() if left > 0 else None
        spent[_ended(first)] += time.monotonic() - started
        smallest.append((group, prepare(_named(case or first.attempt.case), first.attempt.api)))
    client.forget()
    for group, attempt in smallest:
        if _ended(group[0]):
            client.forget()
        found = attempt.run(client)
        if not found.has_same_verdict(group[0]):
            client.forget()
            found = attempt.run(client)
        if found.has_same_verdict(group[0]):
            yield group, found


def _ended(found: AttemptResult) -> bool:
    return found.judgement.verdict in ("died", "hung")


def _seconds(found: AttemptResult) -> tuple[float, float]:
    """For one counterexample, and for all of its sort."""
    return (SECONDS_EACH_ENDING, SECONDS_OF_ENDINGS) if _ended(found) else (SECONDS_EACH, SECONDS_IN_ALL)


@dataclass
class _Search:
    """Tries smaller and smaller draws on the worker, for so many seconds."""

    client: Client
    first: AttemptResult
    prepare: Prepare
    seconds: float
    tried: dict[Key, Case | None] = field(default_factory=dict)
    """By call: its case where it goes wrong alike."""
    endings: int = 0
    """Processes that ended on the way."""
    error: GaveUp | Stopped | TargetBlocked | None = None

    def run(self) -> Case | None:
        """The smallest call that was found; None where none goes wrong alike."""
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
        from hypothesis.errors import NoSuchExample

        from conformance.strategies import drawn_calls

        case = self.first.attempt.case
        origin = _origin(case)
        self._end = time.monotonic() + self.seconds
        known = InMemoryExampleDatabase()
        # With a choice too many: what is kept exactly as it was drawn counts as shrunk already.
        known.save(_KEY, choices_to_bytes((*self._first_choices(origin), 0)))
        how = settings(
            database=known,
            phases=[Phase.reuse, Phase.shrink],
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        try:
            strategy = drawn_calls(case.operation, origin.rule)
            drawn = find(strategy, self._is_alike, settings=how, database_key=_KEY)
        except NoSuchExample:
            drawn = None
        if self.error is not None:
            raise self.error
        return self.tried[_key(drawn)] if drawn is not None else None

    def _first_choices(self, origin: Origin) -> Sequence[int]:
        """Where a try costs a process: those of the simplest call with a part of the draw's choices that ends one too."""
        if not _ended(self.first):
            return origin.choices
        some = smaller_draws(self.first.attempt.case.operation, origin.rule, origin.choices)
        return next((choices for drawn, choices in some if self._is_alike(drawn)), origin.choices)

    def _is_alike(self, drawn: DrawnCall) -> bool:
        """The same each time that it is asked of a call: Hypothesis relies on it."""
        key = _key(drawn)
        if key not in self.tried and self._goes_on():
            try:
                self.tried[key] = self._tried(drawn)
            except (GaveUp, Stopped, TargetBlocked) as error:
                # Raised once Hypothesis is done: to it, any error is one to look for smaller examples of.
                self.error = error
        return self.tried.get(key) is not None

    def _goes_on(self) -> bool:
        most = MOST_ENDINGS.get(self.first.judgement.verdict)
        return time.monotonic() < self._end and self.error is None and (most is None or self.endings < most)

    def _tried(self, drawn: DrawnCall) -> Case | None:
        case = self.first.attempt.case
        try:
            smaller = drawn_case(case.operation, case.clause, case.id, drawn, _origin(case))
        except ReferenceFailed:
            return None
        found = self.prepare(smaller, self.first.attempt.api).run(self.client)
        if _ended(found):
            self.endings += 1
            self.client.forget()
        return smaller if found.has_same_verdict(self.first) else None


def _origin(case: Case) -> Origin:
    assert case.origin is not None, "only draws are looked at"
    return case.origin


def _named(case: Case) -> Case:
    """The case under an id that is always the same for the same call; without an origin, as it is no draw."""
    name = f"{PREFIX}{case_record(case).digest[:8]}"
    written = replace(case.written, name=name, provenance="found")
    return replace(case, id=f"{case.clause.id}/{name}", written=written, origin=None)


def _key(drawn: DrawnCall) -> Key:
    return (_call_key(drawn.call), _call_key(drawn.control) if drawn.control else None)


def _call_key(call: Call) -> Key:
    return tuple(
        (name, value.dtype, value.shape, value.array.tobytes()) if isinstance(value, Tensor) else (name, repr(value))
        for name, value in call.arguments.items()
    )
