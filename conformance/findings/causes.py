"""What is wrong, the most dangerous first: one entry for each cause, with all APIs, modes and versions that have it.

Results that a ledger records under one id have one cause. Otherwise, results of one framework and operation have one if
they vary, are outside, or are wrong in the same respect; all others have one for each clause and kind. What a path does
is not a cause of what the framework itself does.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, get_args

from conformance.findings.behaviour import varies
from conformance.judging.vocabulary import BINDING
from conformance.outcomes.model import Died, Hung, Raised, Returned
from conformance.results.file import Results
from conformance.results.records import KnownRecord, ResultRecord, TargetRecord

Danger = Literal["varies", "ends", "outside", "wrong", "accepts", "refuses", "error"]
"""What is wrong, the worst first."""
DANGERS: tuple[Danger, ...] = get_args(Danger)
GRAVE: frozenset[Danger] = frozenset({"varies", "ends", "outside", "wrong"})
"""What is dangerous whatever a document says."""


_RESPECTS = ("contaminated", "unstable", "input-changed", "aliased", "dtype", "shape", "value")
"""Kinds of divergence that distinguish causes; the first one counts."""


@dataclass(frozen=True)
class Cause:
    """Results that are wrong for one reason."""

    danger: Danger
    """The worst of its results."""
    framework: str
    results: tuple[ResultRecord, ...]
    """Never empty; the first one has the worst danger."""
    known: KnownRecord | None
    """The entry of the ledger."""
    on_path: bool = False
    """Only paths have it, so that it is not one of the framework itself."""

    @property
    def first(self) -> ResultRecord:
        return self.results[0]

    @property
    def apis(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(result.api for result in self.results))

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(result.target for result in self.results))

    @property
    def clauses(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(result.clause for result in self.results))

    @property
    def is_own(self) -> bool:
        """Whether any result diverges from a document about its own API."""
        return any(result.verdict == "diverges" and result.standing in BINDING for result in self.results)

    @property
    def is_alarming(self) -> bool:
        """Whether it is dangerous, or breaks a document about its own API."""
        return self.danger in GRAVE or self.is_own


def causes(results: Results) -> list[Cause]:
    """The causes of everything that is wrong: the most dangerous first, then those that break their own documents."""
    frameworks = {target.id: target.framework for target in _targets(results)}
    paths = frozenset(target.id for target in _targets(results) if target.path)
    grouped: dict[Hashable, list[tuple[Danger, ResultRecord]]] = {}
    for result in results.results:
        danger = danger_of(result)
        if danger:
            framework = frameworks.get(result.target, result.target)
            cause = result.known or (result.target in paths, _unrecorded_cause(results, result, danger))
            grouped.setdefault((framework, cause), []).append((danger, result))
    found = [_cause(results, frameworks, paths, members) for members in grouped.values()]
    return sorted(found, key=lambda cause: (DANGERS.index(cause.danger), not cause.is_own))


def _unrecorded_cause(results: Results, result: ResultRecord, danger: Danger) -> Hashable:
    if danger in ("varies", "outside", "wrong"):
        clause = results.clauses.get(result.clause)
        respect = next((kind for kind in _RESPECTS if kind in result.divergence), None)
        return danger, clause.operation if clause else result.clause, result.standing, respect
    return danger, result.clause, result.standing


def _cause(
    results: Results, frameworks: dict[str, str], paths: frozenset[str], members: list[tuple[Danger, ResultRecord]]
) -> Cause:
    ordered = sorted(members, key=lambda member: DANGERS.index(member[0]))
    danger, first = ordered[0]
    framework = frameworks.get(first.target, first.target)
    known = results.known.get((framework, first.known)) if first.known else None
    on_path = all(result.target in paths for _, result in members)
    return Cause(danger, framework, tuple(result for _, result in ordered), known, on_path)


def _targets(results: Results) -> list[TargetRecord]:
    return list({target.id: target for target in results.targets}.values())


def danger_of(result: ResultRecord) -> Danger | None:
    """What is wrong with a result; None if nothing is, or if nothing was judged."""
    outcome = result.outcome
    if isinstance(outcome, Died | Hung):
        return "ends"
    if result.verdict != "diverges":
        return None
    if varies(result) or "contaminated" in result.divergence:
        return "varies"
    if (isinstance(outcome, Returned | Raised) and outcome.spilled) or result.behaviour == "other":
        return "outside"
    if {"value", "shape", "dtype", "input-changed", "aliased"} & {*result.divergence}:
        return "wrong"
    if "accepted" in result.divergence:
        return "accepts"
    return "refuses" if "rejected" in result.divergence else "error"
