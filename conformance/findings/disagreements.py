"""Where two modes, or two devices, of one framework and version do not do the same.

Two targets are held beside each other where framework and version are the same and either the device is and the mode is not
(``modes``) or the mode is and the device is not (``devices``). Of several the one in the default mode, or else the first that
was asked for, is what each of the others is held against. On a case and an API that both have a result for they disagree where the status is another one
(returned, raised, died or hung), where both returned and dtype, shape or elements differ, or where the behaviour towards
indices outside has another name. Types and messages of errors do not count, as a compiler words its own. A result that is
blocked or unsupported says nothing. Of what returned in a mode that computes no elements, only dtype and shape count, and
these where the other returned as well. Elements that are others from call to call do not count, nor does the payload of a
NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """The cases of one clause that one API does otherwise on two targets."""

    kind: Kind
    framework: str
    version: str | None
    targets: tuple[str, str]
    """Their ids, that of the target that the other is held against first."""
    clause: str
    api: str
    aspects: tuple[Aspect, ...]
    """In what they differ, in any of the cases."""
    cases: tuple[str, ...]
    """Ids of those on which they disagree, in the order of the first target's results; never empty."""
    of: int
    """Cases of the clause on which both say something."""
    example: tuple[ResultRecord, ResultRecord]
    """The results of the first of ``cases``, in the order of ``targets``."""


def disagreements(results: Results) -> list[Disagreement]:
    """All of a run, in the order of targets, then of results; empty where no two targets can be compared."""
    told: dict[str, dict[_Key, ResultRecord]] = {}
    for result in results.results:
        if is_informative(result) and result.verdict != "unsupported":
            told.setdefault(result.target, {})[result.case, result.api] = result
    return [
        one
        for kind, first, other in _pairs(_in_order(results))
        for one in _between(kind, first, other, told.get(first.id, {}), told.get(other.id, {}))
    ]


def _in_order(results: Results) -> list[TargetRecord]:
    """The targets that started, those in their default mode first, then as they were asked for."""
    started = {one.id: one for one in results.targets if one.blocked is None}.values()
    places = {asked: place for place, asked in enumerate(results.run.targets)}
    return sorted(started, key=lambda one: (not one.default_mode, places.get(one.asked or "", len(places))))


def _pairs(started: Sequence[TargetRecord]) -> Iterator[tuple[Kind, TargetRecord, TargetRecord]]:
    for number, other in enumerate(started):
        for kind in _KINDS:
            first = next((one for one in started[:number] if _is_pair(kind, one, other)), None)
            if first is not None:
                yield kind, first, other


_KINDS: tuple[Kind, ...] = ("modes", "devices")


def _is_pair(kind: Kind, one: TargetRecord, other: TargetRecord) -> bool:
    same = (one.framework, one.version) == (other.framework, other.version)
    modes, devices = one.mode == other.mode, one.device == other.device
    return same and ((devices and not modes) if kind == "modes" else (modes and not devices))


def _between(
    kind: Kind,
    first: TargetRecord,
    other: TargetRecord,
    ones: dict[_Key, ResultRecord],
    others: dict[_Key, ResultRecord],
) -> Iterator[Disagreement]:
    groups: dict[tuple[str, str], list[tuple[ResultRecord, ResultRecord, list[Aspect]]]] = {}
    for key, one in ones.items():
        if key in others:
            groups.setdefault((one.clause, one.api), []).append((one, others[key], differing(one, others[key])))
    for (clause, api), compared in groups.items():
        some = [each for each in compared if each[2]]
        if some:
            yield Disagreement(
                kind,
                first.framework,
                first.version,
                (first.id, other.id),
                clause,
                api,
                tuple(dict.fromkeys(aspect for _, _, aspects in some for aspect in aspects)),
                tuple(one.case for one, _, _ in some),
                len(compared),
                (some[0][0], some[0][1]),
            )


def differing(result: ResultRecord, other: ResultRecord) -> list[Aspect]:
    """In what two informative results of one case and API differ; empty where they agree."""
    mine, others = result.outcome, other.outcome
    abstract = isinstance(mine, Abstract) or isinstance(others, Abstract)
    if mine.status != others.status:
        return [] if abstract else ["status"]
    aspects: list[Aspect] = []
    if isinstance(mine, Returned | Abstract) and isinstance(others, Returned | Abstract):
        aspects += ["dtype"] if mine.dtype != others.dtype else []
        aspects += ["shape"] if mine.shape != others.shape else []
    if abstract:
        return aspects
    with_elements = not (varies(result) or varies(other))
    if form(mine, "status") == form(others, "status") and not is_same(
        mine, others, "status", with_elements=with_elements
    ):
        aspects.append("value")
    if result.behaviour and other.behaviour and result.behaviour != other.behaviour:
        aspects.append("behaviour")
    return aspects
