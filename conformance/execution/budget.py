"""The cases that are not run.

These are what an expensive mode skips, draws after too many died, calls after too many hung, and large calls on a small machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.cases.model import LARGE, Case
from conformance.cases.turns import SAMPLE, is_sampled
from conformance.execution.attempt import Attempt
from conformance.judging.vocabulary import Verdict
from conformance.outcomes.model import Hung, Outcome, memory_text
from conformance.processes.memory import free_memory
from conformance.specification.literals import Tensor

EXPENSIVE = 0.01
"""Seconds per call of a new shape from which a mode is expensive."""
SLOW = 0.5
"""Seconds per call of a new shape from which an expensive mode is slow: such as torch.compile, which generates and compiles C++."""
SLOW_SAMPLE = SAMPLE * SAMPLE
"""Of this many cases that take turns, a slow mode runs one."""
SECONDS_OF_DRAWS = 0.5
"""Time for the forms of the draws of one clause on one API in an expensive mode."""
DTYPES = frozenset({"float32", "int64"})
"""Dtypes of the derived cases that all run in an expensive mode."""
VIEW = "strided"
"""The view of the derived cases that run in an expensive mode: no axis is dense, and there are gaps to write into."""


def is_expensive(cost: float) -> bool:
    """Whether a mode is expensive whose calls of a new shape take ``cost`` seconds."""
    return cost >= EXPENSIVE


def most_forms(cost: float) -> int:
    """Maximum number of forms of the draws of a clause in an expensive mode, which compiles each."""
    return max(1, int(SECONDS_OF_DRAWS / cost))


def form_count(cases: Iterable[Case], cost: float) -> int | None:
    """The number of forms of the draws among cases to run; None in a mode that is not expensive, or without draws."""
    forms = {(case.clause.id, case.origin.form) for case in cases if case.origin is not None}
    return len(forms) if is_expensive(cost) and forms else None


def left_out(cases: Iterable[Case], cost: float) -> dict[str, list[Case]]:
    """The cases to skip in a mode of this cost, by what they vary, such as ``draws``, ``forms``, ``dtypes`` and ``views``.

    Of derivatives (``transforms``) those are skipped that are not in the sample, in a mode of any cost.

    This depends on each case only, so that all shards of a run skip the same cases.
    """
    skipped: dict[str, list[Case]] = {}
    for case in cases:
        reason = _reason(case, cost) if is_expensive(cost) else "transforms" if case.is_extra else None
        if reason is not None:
            skipped.setdefault(reason, []).append(case)
    return skipped


def _reason(case: Case, cost: float) -> str | None:
    if case.turn is not None:
        of = SLOW_SAMPLE if cost >= SLOW else SAMPLE
        return None if is_sampled(case.turn, of) and not case.is_extra else _kind(case)
    if case.origin is not None:
        return "draws" if case.origin.form > most_forms(cost) else None
    if case.provenance != "derived":
        return None
    tensors = {name: value for name, value in case.call.arguments.items() if isinstance(value, Tensor)}
    dtypes = {tensors[name].dtype for name in case.about_dtype}
    if dtypes:
        return "dtypes" if not (dtypes <= DTYPES or _always_runs(case)) else None
    views = {value.view for value in tensors.values() if value.view is not None}
    return "views" if views and views != {VIEW} else None


def _kind(case: Case) -> str:
    """What a case varies that takes turns with others."""
    if case.call.transform is not None:
        return "transforms"
    return "passing" if case.call.passed else "forms"


def _always_runs(case: Case) -> bool:
    """Whether a derived case in another dtype runs in every mode.

    It does if it is the first of its operation in the dtype or, as narrow indices go wrong more easily, the last in that of indices.
    """
    about_indices = any(case.operation.arguments[name].index for name in case.about_dtype)
    ends = (*case.alike[:1], *case.alike[-1:]) if about_indices else case.alike[:1]
    return any(end.id == case.id for end in ends)


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
        if attempt.case.origin is not None:
            group = attempt.api, attempt.case.clause.id
            self._runs[group] += 1
            self._deaths[group] += verdict == "died"

    def reason_not_to_run(self, attempt: Attempt, *, restarts_fast: bool) -> str | None:
        """Why an attempt is not run; None if it is."""
        if attempt.case.origin is None:
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
