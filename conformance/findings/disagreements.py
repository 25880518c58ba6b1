"""Where two modes, or two devices, of one framework and version behave differently.

Two targets are compared if framework, version and device are equal but the modes differ (``modes``), or if framework,
version and mode are equal but the devices differ (``devices``). The target in the default mode, or else the first that was
requested, is compared with each of the others.

Two results of the same case and API disagree if their status differs (returned, raised, died or hung), if both returned and
dtype, shape or elements differ, or if the behaviours towards out-of-bounds indices differ. Types and messages of errors
are ignored because compilers raise their own. Blocked and unsupported results are ignored. For a mode that computes no
elements only dtype and shape are compared, and only if the other result returned. Elements that vary from call to call and
NaN payloads are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.findings.behaviour import is_informative, varies
from conformance.outcomes.equivalence import form, is_same
from conformance.outcomes.model import Abstract, Returned
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord

Kind = Literal["modes", "devices"]
Aspect = Literal["status", "dtype", "shape", "value", "behaviour"]
_Key = tuple[str, str]
"""Case and API."""


@dataclass(frozen=True)
class Disagreement:
    """The cases of one clause in which one API behaves differently on two targets."""

    kind: Kind
    framework: str
    version: str | None
    targets: tuple[str, str]
    """Their ids; the target in the default mode, or requested first, comes first."""
    clause: str
    api: str
    aspects: tuple[Aspect, ...]
    """What differs in any of the cases."""
    cases: tuple[str, ...]
    """Ids of the cases with a disagreement, in the order of the first target's results; never empty."""
    of: int
    """Number of cases of the clause that were compared."""
    example: tuple[ResultRecord, ResultRecord]
    """The results of the first of ``cases``, in the order of ``targets``."""


def disagreements(results: Results) -> list[Disagreement]:
    """All disagreements of a run, in the order of targets, then of results."""
    by_target: dict[str, dict[_Key, ResultRecord]] = {}
    for result in results.results:
        if is_informative(result) and result.verdict != "unsupported":
            by_target.setdefault(result.target, {})[result.case, result.api] = result
    return [
        disagreement
        for kind, first, second in _pairs(_in_order(results))
        for disagreement in _between(
            kind, first, second, _in_both(by_target.get(first.id, {}), by_target.get(second.id, {}))
        )
    ]


def _in_order(results: Results) -> list[TargetRecord]:
    """The targets that started, those in their default mode first, then as requested."""
    started = {target.id: target for target in results.targets if target.blocked is None}.values()
    order = {requested: index for index, requested in enumerate(results.run.targets)}
    return sorted(started, key=lambda target: (not target.default_mode, order.get(target.asked or "", len(order))))


def _pairs(started: Sequence[TargetRecord]) -> Iterator[tuple[Kind, TargetRecord, TargetRecord]]:
    for index, second in enumerate(started):
        for kind in _KINDS:
            first = next((target for target in started[:index] if _is_pair(kind, target, second)), None)
            if first is not None:
                yield kind, first, second


_KINDS: tuple[Kind, ...] = ("modes", "devices")


def _is_pair(kind: Kind, first: TargetRecord, second: TargetRecord) -> bool:
    if (first.framework, first.version) != (second.framework, second.version):
        return False
    same_mode, same_device = first.mode == second.mode, first.device == second.device
    return same_device and not same_mode if kind == "modes" else same_mode and not same_device


def _in_both(
    first: Mapping[_Key, ResultRecord], second: Mapping[_Key, ResultRecord]
) -> Iterator[tuple[ResultRecord, ResultRecord]]:
    return ((result, second[key]) for key, result in first.items() if key in second)


def _between(
    kind: Kind, first: TargetRecord, second: TargetRecord, pairs: Iterable[tuple[ResultRecord, ResultRecord]]
) -> Iterator[Disagreement]:
    by_clause: dict[tuple[str, str], list[tuple[ResultRecord, ResultRecord]]] = {}
    for result, other in pairs:
        by_clause.setdefault((result.clause, result.api), []).append((result, other))
    for (clause, api), compared in by_clause.items():
        disagreeing = [(pair, aspects) for pair in compared if (aspects := differing(*pair))]
        if disagreeing:
            yield Disagreement(
                kind,
                first.framework,
                first.version,
                (first.id, second.id),
                clause,
                api,
                tuple(dict.fromkeys(aspect for _, aspects in disagreeing for aspect in aspects)),
                tuple(result.case for (result, _), _ in disagreeing),
                len(compared),
                disagreeing[0][0],
            )


def differing(result: ResultRecord, other: ResultRecord) -> list[Aspect]:
    """What differs between two informative results of one case and API; empty if they agree."""
    outcome, other_outcome = result.outcome, other.outcome
    abstract = isinstance(outcome, Abstract) or isinstance(other_outcome, Abstract)
    if outcome.status != other_outcome.status:
        return [] if abstract else ["status"]
    aspects: list[Aspect] = []
    if isinstance(outcome, Returned | Abstract) and isinstance(other_outcome, Returned | Abstract):
        aspects += ["dtype"] if outcome.dtype != other_outcome.dtype else []
        aspects += ["shape"] if outcome.shape != other_outcome.shape else []
    if abstract:
        return aspects
    with_elements = not (varies(result) or varies(other))
    if form(outcome, "status") == form(other_outcome, "status") and not is_same(
        outcome, other_outcome, "status", with_elements=with_elements
    ):
        aspects.append("value")
    if result.behaviour and other.behaviour and result.behaviour != other.behaviour:
        aspects.append("behaviour")
    return aspects
