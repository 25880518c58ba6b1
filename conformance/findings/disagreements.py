"""Where two modes, or two devices, of one framework and version behave differently.

Two targets are compared if framework, version and device are equal but the modes differ (``modes``), or if framework,
version and mode are equal but the devices differ (``devices``). The target in the default mode, or else the first that was
requested, is compared with each of the others.

Types and messages of errors are ignored because compilers raise their own. For a mode that computes no elements only dtype
and shape are compared, and only if the other result returned; see ``status`` in ``conformance.findings.compare``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.findings.compare import Aspect, Change, Side, compare, sides
from conformance.outcomes.model import Abstract
from conformance.results.file import Results
from conformance.results.records import TargetRecord

Kind = Literal["modes", "devices"]


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
    """Ids of the cases with a disagreement, in the order of the second target's results; never empty."""
    of: int
    """Number of cases of the clause that were compared."""
    example: Change
    """From the first target to the second, in the first of ``cases``."""


@dataclass(frozen=True)
class Compared:
    """Two targets that differ in the mode or in the device alone."""

    kind: Kind
    first: TargetRecord
    """That in the default mode, or requested first."""
    second: TargetRecord
    changed: int
    """The number of calls in which they differ."""
    same: int
    is_abstract: bool
    """The second computes no elements, so that only dtypes and shapes are compared."""
    disagreements: Sequence[Disagreement]


def disagreements(results: Results) -> list[Disagreement]:
    """All disagreements of a run, in the order of targets, then of results."""
    return [disagreement for pair in compared(results) for disagreement in pair.disagreements]


def compared(results: Results) -> Iterator[Compared]:
    """The targets of a run that are compared, in their order."""
    pairs = list(_pairs(_in_order(results)))
    of_targets = sides(results) if pairs else {}
    for kind, first, second in pairs:
        yield _between(kind, of_targets[first.id], of_targets[second.id])


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


def _between(kind: Kind, first: Side, second: Side) -> Compared:
    comparison = compare(first, second, "status")
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in comparison.changes:
        groups.setdefault((change.second.clause, change.second.api), []).append(change)
    same = Counter((second.results[key].clause, key[1]) for key in comparison.same)
    found = [
        Disagreement(
            kind,
            first.target.framework,
            first.target.version,
            (first.target.id, second.target.id),
            clause,
            api,
            tuple(dict.fromkeys(aspect for change in changes for aspect in change.aspects)),
            tuple(change.second.case for change in changes),
            len(changes) + same[clause, api],
            changes[0],
        )
        for (clause, api), changes in groups.items()
    ]
    is_abstract = any(isinstance(result.outcome, Abstract) for result in second.results.values())
    return Compared(
        kind, first.target, second.target, len(comparison.changes), len(comparison.same), is_abstract, found
    )
