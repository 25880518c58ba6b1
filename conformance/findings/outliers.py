"""Where one framework does otherwise than all the others, which agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.findings.newest import newest
from conformance.results.file import Results
from conformance.results.records import ResultRecord

FEWEST_OTHERS = 2
ENDINGS = ("died", "hung")

Outcome = tuple[str, ...]
"""Status and, of what returned, dtype, shape and digest."""


@dataclass(frozen=True)
class Alone:
    """The cases of one clause on which one target stands alone in the same way."""

    target: str
    clause: str
    how: str
    """``raised; the others returned``, ``other elements than the others``."""
    results: tuple[ResultRecord, ...]
    """One for each case, of an API that differs."""
    others: tuple[str, ...]
    """The targets that agree, at least two."""


def standing_alone(results: Results) -> list[Alone]:
    """Each way in which one target stands alone on the cases of a clause, most cases first.

    A framework is represented by the newest version that started, in its first mode and on its first device, and there
    by the APIs that are no composition. A target stands alone on a case where at least two others came to one and
    the same outcome on all their APIs, and none of its own did. What is unsupported or blocked, or has no result, neither
    agrees nor differs. Relations, which compare a target with itself, and cases about dtypes are left out.
    """
    found: dict[tuple[str, str, str, tuple[str, ...]], list[ResultRecord]] = {}
    for some in _by_case(results).values():
        for target, result, how in _alone(some):
            others = tuple(name for name in some if name != target)
            found.setdefault((target, result.clause, how, others), []).append(result)
    made = [Alone(target, clause, how, tuple(some), others) for (target, clause, how, others), some in found.items()]
    return sorted(made, key=lambda one: -len(one.results))


def _by_case(results: Results) -> dict[str, dict[str, list[ResultRecord]]]:
    """Comparable results by case and target."""
    chosen = {target.id for target in newest(results.targets).values()}
    composed = {(one.target, one.api) for one in results.mappings if one.composed}
    found: dict[str, dict[str, list[ResultRecord]]] = {}
    for result in results.results:
        comparable = (
            result.verdict not in ("unsupported", "blocked") and not {"relation", "claim"} & result.outcome.keys()
        )
        if comparable and result.target in chosen and (result.target, result.api) not in composed:
            found.setdefault(result.case, {}).setdefault(result.target, []).append(result)
    return found


def _alone(some: Mapping[str, list[ResultRecord]]) -> Iterator[tuple[str, ResultRecord, str]]:
    if len(some) <= FEWEST_OTHERS:
        return
    outcomes = {target: {_outcome(result): result for result in mine} for target, mine in some.items()}
    for target, mine in outcomes.items():
        others = {outcome for name, theirs in outcomes.items() if name != target for outcome in theirs}
        if len(others) == 1 and not others & mine.keys():
            outcome, result = next(iter(mine.items()))
            yield target, result, _how(outcome, next(iter(others)))


def _outcome(result: ResultRecord) -> Outcome:
    outcome = result.outcome
    if outcome.get("status") != "returned":
        return (str(outcome.get("status")),)
    return "returned", str(outcome.get("dtype")), str(outcome.get("shape")), str(outcome.get("digest"))


def _how(mine: Outcome, theirs: Outcome) -> str:
    if mine[0] != theirs[0]:
        return f"{mine[0]}; the others {theirs[0]}"
    names = ("status", "dtype", "shape", "elements")
    [*_, differs] = [names[at] for at in (3, 2, 1) if mine[at] != theirs[at]]
    return "other elements than the others" if differs == "elements" else f"another {differs} than the others"
