"""A ledger as the rest of the suite uses it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.cases.model import Case
from conformance.judging.vocabulary import Behaviour, Divergence
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord
from conformance.specification.literals import Tensor
from conformance.specification.problems import Location

NAME = "divergences.yaml"

_HOW_OFTEN = frozenset({"unstable", "contaminated"})
"""Kinds that say when something happens rather than what."""


@dataclass(frozen=True)
class Pattern:
    """A pattern of case ids, and where it is written."""

    text: str
    location: Location

    def matches(self, case: str) -> bool:
        return fnmatchcase(case, self.text)


@dataclass(frozen=True)
class Conditions:
    """Where an entry applies; None is not asked about."""

    versions: SpecifierSet | None = None
    device: str | None = None
    mode: str | None = None
    dtype: str | None = None

    def hold(self, target: TargetRecord) -> bool:
        """Whether they speak of this target; the dtype is asked of each call."""
        return (
            (self.device is None or self.device in (target.device, target.device.partition(":")[0]))
            and self.mode in (None, target.mode)
            and (self.versions is None or _contains(self.versions, target.version))
        )


@dataclass(frozen=True)
class KnownDivergence:
    """One known divergence."""

    id: str
    patterns: tuple[Pattern, ...]
    apis: tuple[str, ...]
    """Patterns of names."""
    conditions: Conditions
    kinds: frozenset[str]
    behaviour: Behaviour | None
    sometimes: bool
    reason: str
    link: str
    location: Location

    def is_about(self, api: str) -> bool:
        return any(fnmatchcase(api, pattern) for pattern in self.apis)

    def records(self, result: ResultRecord) -> bool:
        """Whether a result came out as the entry says."""
        kinds = kinds_of(result)
        as_said = kinds - _HOW_OFTEN == self.kinds - _HOW_OFTEN if self.sometimes else kinds == self.kinds
        return bool(kinds) and as_said and self.behaviour in (None, result.behaviour)


@dataclass(frozen=True)
class KnownDivergences:
    """The known divergences of an adapter, in the order of their file."""

    file: Path | None = None
    entries: tuple[KnownDivergence, ...] = ()


@dataclass(frozen=True)
class CaseFacts:
    """What of a case a known divergence can ask about."""

    id: str
    clause: str
    operation: str
    dtypes: frozenset[str]
    generated: bool
    device: str | None = None
    """The kind of device that it is for; None for all."""


def facts(cases: Iterable[Case]) -> list[CaseFacts]:
    return [
        CaseFacts(
            case.id,
            case.clause.id,
            case.operation.name,
            frozenset(value.dtype for value in case.call.arguments.values() if isinstance(value, Tensor)),
            case.provenance == "generated",
            case.device,
        )
        for case in cases
    ]


def facts_of_records(cases: Iterable[CaseRecord]) -> list[CaseFacts]:
    return [
        CaseFacts(
            case.id,
            case.clause,
            case.operation,
            frozenset(case.dtypes.values()),
            case.provenance == "generated",
            case.device,
        )
        for case in cases
    ]


def kinds_of(result: ResultRecord) -> frozenset[str]:
    """What an entry would have to name; empty where there is nothing to be known."""
    found: frozenset[Divergence | str] = frozenset(result.divergence)
    if result.verdict in ("died", "hung"):
        return found | {result.verdict}
    return found if result.verdict == "diverges" else frozenset()


def _contains(versions: SpecifierSet, version: str | None) -> bool:
    try:
        return versions.contains(Version(version or ""), prereleases=True)
    except InvalidVersion:
        return False
