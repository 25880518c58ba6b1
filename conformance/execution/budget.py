"""The cases that are not run.

These are what an expensive mode skips, draws after too many died, calls after too many hung, and large calls on a small machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.cases.model import LARGE, Case
from conformance.cases.variation import Drawn, is_expensive
from conformance.environments.definition import Mode
from conformance.execution.attempt import Attempt
from conformance.judging.vocabulary import Verdict
from conformance.outcomes.model import Hung, Outcome, memory_text
from conformance.processes.memory import free_memory
from conformance.specification.vocabulary import LeftOut


def form_count(cases: Iterable[Case], cost: float) -> int | None:
    """The number of forms of the draws among cases to run; None in a mode that is not expensive, or without draws."""
    forms = {(case.clause.id, case.variation.form_number) for case in cases if isinstance(case.variation, Drawn)}
    return len(forms) if is_expensive(cost) and forms else None


def sampling_cost(mode: Mode) -> float:
    """Seconds per call of a new shape in a mode that makes a sample of the calls; 0 in one that makes all."""
    makes_sample = is_expensive(mode.shape) and mode.together == 1 if mode.sampled is None else mode.sampled
    return mode.shape if makes_sample else 0.0


def left_out(cases: Iterable[Case], cost: float, api: int = 0) -> dict[LeftOut, list[Case]]:
    """The cases to skip on an API in a mode of this cost, by what they vary. api: its place among those of the operation.

    This depends on each case and on the API only, so that all shards of a run skip the same cases.
    """
    skipped: dict[LeftOut, list[Case]] = {}
    for case in cases:
        if case.variation.left_out is not None and case.variation.is_left_out(cost, api):
            skipped.setdefault(case.variation.left_out, []).append(case)
    return skipped


COPIES = 3
"""How many times the size of its arrays a large call may need in memory: they are sent, converted, computed and read again."""


def reason_for_memory(case: Case, free: Callable[[], int | None] = free_memory) -> str | None:
    """Why a large call is not made on a machine with so little memory; None if it is made.

    free: the available memory, in bytes.
    """
    if case.size < LARGE:
        return None
    needed, available = COPIES * case.size, free()
    if available is None or available >= needed:
        return None
    return f"not run: it may need {memory_text(needed)} of memory, and {memory_text(available)} are free"


MOST_DEATHS = 50
"""Deaths of the draws of a clause on one API, after which its remaining draws are not run there, if a new process costs
little; only if ``DEADLY`` is reached too."""
MOST_DEATHS_IF_SLOW = 3
"""The same, if a new process has to import the framework."""
DEADLY = 0.1
"""Fraction of the draws. If fewer end the process, all are run, as the others are worth the new processes."""


class DeathsOnDraws:
    """Counts the draws of each clause on each API, and those that ended the process."""

    def __init__(self) -> None:
        self._runs: Counter[tuple[str, str]] = Counter()
        self._deaths: Counter[tuple[str, str]] = Counter()

    def note(self, attempt: Attempt, verdict: Verdict) -> None:
        """Count an attempt that was run, if its case is a draw."""
        if isinstance(attempt.case.variation, Drawn):
            group = attempt.api, attempt.case.clause.id
            self._runs[group] += 1
            if verdict == "died":
                self._deaths[group] += 1

    def reason_not_to_run(self, attempt: Attempt, *, restarts_fast: bool) -> str | None:
        """Why an attempt is not run; None if it is."""
        if not self._deaths or not isinstance(attempt.case.variation, Drawn):
            return None
        group = attempt.api, attempt.case.clause.id
        died = self._deaths[group]
        if died < max(MOST_DEATHS if restarts_fast else MOST_DEATHS_IF_SLOW, DEADLY * self._runs[group]):
            return None
        return f"not run: {died} draws of this clause already ended the process"


@dataclass(frozen=True)
class HangLimits:
    """How many calls may hang, each for the time limit of a call, before those that are alike are not made."""

    of_clause: int = 3
    """On one API; after that, calls of this clause are not made on it."""
    of_target: int = 10
    """After that, no call is made on an API that hung in a call of which the same is expected: that it raises, or returns.
    After twice as many, none on any API."""
    seconds: float = 180.0
    """The time for which all workers of a target may be waited for that hang, on the clock. Half of it is the other limit of a
    target, since a call that hung is repeated in a fresh process, which takes as long."""


class Hangs:
    """Counts the calls of a target that hung, and the time that they took."""

    def __init__(self, limits: HangLimits, waited: Callable[[], float] = lambda: 0.0) -> None:
        """waited: for how many seconds all clients of the target have waited for workers that hung."""
        self._limits = limits
        self._waited = waited
        self._of_clauses: Counter[tuple[str, str]] = Counter()
        """By API and clause."""
        self._expected: set[tuple[str, type]] = set()
        """The APIs that hung, and what was expected of them."""

    @property
    def are_over(self) -> bool:
        """Whether all time is spent, so that what is known to hang is not even repeated."""
        return self._waited() >= self._limits.seconds

    def note(self, attempt: Attempt, outcome: Outcome) -> None:
        """Count an attempt that was run, if it hung."""
        if isinstance(outcome, Hung):
            self._of_clauses[attempt.api, attempt.case.clause.id] += 1
            self._expected.add((attempt.api, type(attempt.case.expectation)))

    def reason_not_to_run(self, attempt: Attempt) -> str | None:
        """Why an attempt is not run; None if it is."""
        if not self._of_clauses:
            return None
        limits, case = self._limits, attempt.case
        of_clause, of_target = self._of_clauses[attempt.api, case.clause.id], self._of_clauses.total()
        if of_clause >= limits.of_clause:
            return f"not run: {of_clause} calls of this clause already hung on this API (--hangs-per-clause)"
        seconds = self._waited()
        spent = max(of_target / limits.of_target, seconds / (_OF_THE_RUN * limits.seconds))
        expected = type(case.expectation)
        alike = any(sort is expected and (api == attempt.api or spent >= _OTHER_APIS) for api, sort in self._expected)
        if spent < 1 or not alike:
            return None
        by = f"{of_target} calls of this target already hung, for {seconds:.0f} s in all"
        return f"not run: {by}, some of them alike (--hangs-per-target, --hang-seconds)"


_OF_THE_RUN = 0.5
"""The part of the time that is not kept for repetitions."""
_OTHER_APIS = 2
"""Multiple of the limits of a target from which they hold for APIs that have not hung yet."""
