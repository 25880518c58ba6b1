"""Which draws are not run, since too many earlier ones have ended the process."""

from __future__ import annotations

from collections import Counter

from conformance.execution.attempt import Attempt
from conformance.judging.vocabulary import Verdict

MOST_HANGS = 3
"""Hangs of the draws of a clause on one API, after which its remaining draws are not run there, if ``DEADLY`` or
``MOST_SECONDS`` is reached too."""
MOST_SECONDS = 90.0
"""Time that they may take, as each takes the time limit."""
MOST_DEATHS = 50
"""Deaths, if a new process costs little; only if ``DEADLY`` is reached too."""
MOST_DEATHS_IF_SLOW = 3
"""The same, if a new process has to import the framework."""
DEADLY = 0.1
"""Fraction of the draws. If fewer end the process, all are run, as the others are worth the new processes."""


class EndingsOnDraws:
    """Counts the draws of each clause on each API, and those that ended the process."""

    def __init__(self) -> None:
        self._runs: Counter[tuple[str, str]] = Counter()
        self._endings: dict[tuple[str, str], Counter[Verdict]] = {}
        """Only for groups of which a draw ended the process."""

    def note(self, attempt: Attempt, verdict: Verdict) -> None:
        """Count an attempt that was run, if its case is a draw."""
        if attempt.case.origin is not None:
            group = attempt.api, attempt.case.clause.id
            self._runs[group] += 1
            if verdict in ("died", "hung"):
                self._endings.setdefault(group, Counter())[verdict] += 1

    def reason_not_to_run(self, attempt: Attempt, *, restarts_fast: bool, limit: float) -> str | None:
        """Why an attempt is not run; None if it is.

        limit: seconds that a hang takes.
        """
        if attempt.case.origin is None:
            return None
        group = attempt.api, attempt.case.clause.id
        endings = self._endings.get(group)
        if endings is None:
            return None
        died, hung = endings["died"], endings["hung"]
        deadly = DEADLY * self._runs[group]
        most_deaths = max(MOST_DEATHS if restarts_fast else MOST_DEATHS_IF_SLOW, deadly)
        most_hangs = max(MOST_HANGS, min(deadly, MOST_SECONDS / limit))
        if hung < most_hangs and died < most_deaths:
            return None
        return f"not run: {died + hung} draws of this clause already ended the process"
