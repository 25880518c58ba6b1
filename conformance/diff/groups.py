"""Changes grouped by cause, worst transitions first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.diff.model import Change
from conformance.outcomes.model import Abstract, Died, Raised, Returned
from conformance.results.records import ResultRecord

_FINDINGS = ("diverges", "died", "hung")
_SECTIONS = (
    "Conformed, and now dies or hangs",
    "Conformed, and now breaks its own documentation",
    "Conformed, and now differs from what another API documents",
    "Conformed, and is no longer known to",
    "Was not judged before, and is a finding now",
    "A finding before and now, in another way",
    "Conforms now",
    "Is no longer a finding",
    "No finding before or now, and not the same",
)
"""Transitions, worst first."""


@dataclass(frozen=True)
class Group:
    """Changes of one API under one clause that go from the same to the same."""

    section: str
    before: str
    after: str
    changes: tuple[Change, ...]

    @property
    def is_finding(self) -> bool:
        """Whether a divergence, a death or a hang came of it."""
        return self.first.after.verdict in _FINDINGS

    @property
    def first(self) -> Change:
        return self.changes[0]


def grouped(changes: Sequence[Change]) -> list[Group]:
    """One group for each cause: target, API, clause and transition; transitions come worst first."""
    found: dict[tuple[int, str, str, str, str, str], list[Change]] = {}
    for change in changes:
        before, after = states(change)
        one = change.after
        key = (_section(change), change.pair.text, one.api, one.clause, before, after)
        found.setdefault(key, []).append(change)
    ordered = sorted(found.items(), key=lambda item: item[0][0])
    return [Group(_SECTIONS[key[0]], key[4], key[5], tuple(some)) for key, some in ordered]


def states(change: Change) -> tuple[str, str]:
    """Both sides in words that differ: with what was done where the verdicts alone are the same."""
    before, after = verdict_text(change.before), verdict_text(change.after)
    if before != after:
        return before, after
    before, after = f"{before}, {_done(change.before)}", f"{after}, {_done(change.after)}"
    return (before, after) if before != after else (before, "the same with another result")


def verdict_text(result: ResultRecord) -> str:
    """``conforms``, ``diverges (own: value)``, ``died (SIGSEGV)``."""
    if result.verdict == "diverges":
        text = f"diverges ({result.standing}: {', '.join(result.divergence)}"
        return f"{text}; {result.behaviour})" if result.behaviour else f"{text})"
    if result.verdict == "died":
        return f"died ({result.outcome.ending})" if isinstance(result.outcome, Died) else "died"
    return f"{result.verdict} ({result.behaviour})" if result.behaviour else result.verdict


def _done(result: ResultRecord) -> str:
    outcome = result.outcome
    if isinstance(outcome, Raised):
        return f"raises {outcome.error.type}"
    if isinstance(outcome, Returned | Abstract):
        return f"returns {outcome.dtype} {list(outcome.shape)}"
    return outcome.status


def _section(change: Change) -> int:
    before, after = change.before.verdict, change.after.verdict
    if before == "conforms" and after != "conforms":
        if after in ("died", "hung"):
            return 0
        if after == "diverges":
            return 1 if change.after.standing == "own" else 2
        return 3
    if after in _FINDINGS:
        return 5 if before in _FINDINGS else 4
    if after == "conforms" and before != "conforms":
        return 6
    return 7 if before in _FINDINGS else 8
