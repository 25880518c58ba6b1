"""Changes grouped by cause, worst transitions first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.diff.model import ResultChange
from conformance.judging.vocabulary import BINDING
from conformance.outcomes.model import Abstract, Died, Raised, Returned
from conformance.results.records import ResultRecord

_FINDINGS = ("diverges", "died", "hung")
_SECTIONS = (
    "Conformed, now dies or hangs",
    "Conformed, now breaks its own documentation",
    "Conformed, now differs from another API's documentation",
    "Conformed, now not judged",
    "Not judged before, now a finding",
    "Still a finding, but different",
    "Conforms now",
    "No longer a finding",
    "Changed, never a finding",
)
"""Transitions, worst first."""


@dataclass(frozen=True)
class ChangeGroup:
    """Changes of one API under one clause with the same transition."""

    section: str
    before: str
    after: str
    changes: tuple[ResultChange, ...]

    @property
    def is_finding(self) -> bool:
        """Whether the new result is a divergence, a death or a hang."""
        return self.first.after.verdict in _FINDINGS

    @property
    def first(self) -> ResultChange:
        return self.changes[0]


def grouped(changes: Sequence[ResultChange]) -> list[ChangeGroup]:
    """One group per cause (target, API, clause and transition), the worst transitions first."""
    causes: dict[tuple[int, str, str, str, str, str], list[ResultChange]] = {}
    for change in changes:
        before, after = states(change)
        key = (_section(change), change.pair.text, change.after.api, change.after.clause, before, after)
        causes.setdefault(key, []).append(change)
    ordered = sorted(causes.items(), key=lambda item: item[0][0])
    return [ChangeGroup(_SECTIONS[key[0]], key[4], key[5], tuple(members)) for key, members in ordered]


def states(change: ResultChange) -> tuple[str, str]:
    """Texts for before and after that differ: with the outcomes if the verdicts are the same."""
    before, after = verdict_text(change.before), verdict_text(change.after)
    if before != after:
        return before, after
    before, after = f"{before}, {_outcome_text(change.before)}", f"{after}, {_outcome_text(change.after)}"
    return (before, after) if before != after else (before, "the same, with a different result")


def verdict_text(result: ResultRecord) -> str:
    """``conforms``, ``diverges (own: value)``, ``died (SIGSEGV)``."""
    if result.verdict == "diverges":
        text = f"diverges ({result.standing}: {', '.join(result.divergence)}"
        return f"{text}; {result.behaviour})" if result.behaviour else f"{text})"
    if result.verdict == "died":
        return f"died ({result.outcome.ending})" if isinstance(result.outcome, Died) else "died"
    return f"{result.verdict} ({result.behaviour})" if result.behaviour else result.verdict


def _outcome_text(result: ResultRecord) -> str:
    outcome = result.outcome
    if isinstance(outcome, Raised):
        return f"raises {outcome.error.type}"
    if isinstance(outcome, Returned | Abstract):
        return f"returns {outcome.dtype} {list(outcome.shape)}"
    return outcome.status


def _section(change: ResultChange) -> int:
    before, after = change.before.verdict, change.after.verdict
    if before == "conforms" and after != "conforms":
        if after in ("died", "hung"):
            return 0
        if after == "diverges":
            return 1 if change.after.standing in BINDING else 2
        return 3
    if after in _FINDINGS:
        return 5 if before in _FINDINGS else 4
    if after == "conforms" and before != "conforms":
        return 6
    return 7 if before in _FINDINGS else 8
