"""Known divergences, and which results they record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatchcase, translate
from functools import cached_property
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.cases.facts import CaseFacts
from conformance.judging.vocabulary import Behaviour
from conformance.known.file_format import UNREPORTED
from conformance.results.records import CaseRecord, KnownRecord, ResultRecord, TargetRecord
from conformance.results.variations import DrawnRecord, PassedRecord, constants_of, needs_of, transformation_of
from conformance.specification.problems import Location
from conformance.specification.vocabulary import Transformation

NAME = "divergences.yaml"

_INTERMITTENT = frozenset({"unstable", "contaminated"})
"""Kinds that describe when a divergence happens and not what it is."""
_ALONE = frozenset({"contaminated"})
"""The one of them that says that the call is right as the only one of a process."""


@dataclass(frozen=True)
class Pattern:
    """A pattern of case ids, with its file and line."""

    text: str
    location: Location

    def matches(self, case: str) -> bool:
        return self._expression.match(case) is not None

    @cached_property
    def beginning(self) -> str:
        """What each case that it matches begins with: the text before the first wildcard."""
        return re.split(r"[*?[]", self.text, maxsplit=1)[0]

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        return re.compile(translate(self.text))


@dataclass(frozen=True)
class Conditions:
    """When an entry applies; None always holds."""

    versions: SpecifierSet | None = None
    devices: tuple[str, ...] | None = None
    """``cuda`` also stands for ``cuda:1``."""
    modes: tuple[str, ...] | None = None
    dtype: str | None = None
    os: str | None = None
    arch: str | None = None
    gpu: str | None = None
    """A pattern of models."""
    python: SpecifierSet | None = None
    numpy: SpecifierSet | None = None
    transforms: tuple[Transformation, ...] | None = None
    """What is computed of a call; None for its result."""

    def hold(self, target: TargetRecord) -> bool:
        """Whether they hold for this target; ``dtype`` and ``transform`` are conditions on each call, see ``concerns``."""
        return (
            (self.devices is None or not {target.device, target.device.partition(":")[0]}.isdisjoint(self.devices))
            and (self.modes is None or target.mode in self.modes)
            and (self.versions is None or _contains(self.versions, target.version))
            and self.os in (None, target.os)
            and self.arch in (None, target.arch)
            and (self.gpu is None or fnmatchcase(target.gpu_name or "", self.gpu))
            and (self.python is None or _contains(self.python, target.python))
            and (self.numpy is None or _contains(self.numpy, target.numpy))
        )

    def words(self) -> dict[str, str | list[str]]:
        """Those that are set, as in the file."""
        written = {
            "version": self.versions and str(self.versions),
            "device": _words(self.devices),
            "mode": _words(self.modes),
            "dtype": self.dtype,
            "os": self.os,
            "arch": self.arch,
            "gpu": self.gpu,
            "python": self.python and str(self.python),
            "numpy": self.numpy and str(self.numpy),
            "transform": _words(self.transforms),
        }
        return {key: value for key, value in written.items() if value}


def _is_of_form(form: str, pattern: str) -> bool:
    """Whether a pattern matches a form, in which brackets stand for slices, so that ``*`` alone is special."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), form) is not None


def _words(words: Sequence[str] | None) -> list[str] | None:
    return [*map(str, words)] if words is not None else None


@dataclass(frozen=True)
class KnownDivergence:
    """One known divergence."""

    id: str
    patterns: tuple[Pattern, ...]
    programs: tuple[str, ...]
    """Patterns of the forms of drawn programs; a form says itself what is called, so ``apis`` are not about them."""
    apis: tuple[str, ...]
    """Patterns of names."""
    conditions: Conditions
    kinds: frozenset[str]
    behaviour: Behaviour | None
    sometimes: bool
    since: date | None
    expires: date | None
    """The last day on which it applies."""
    run: bool
    """Whether its calls are made."""
    triaged: bool
    """Whether somebody has looked for the cause."""
    reason: str
    link: str
    searched: tuple[str, ...]
    """Where a report was looked for and by which words, without finding one."""
    location: Location

    def is_about(self, api: str) -> bool:
        return any(fnmatchcase(api, pattern) for pattern in self.apis)

    def is_about_programs(self, smallest: CaseRecord) -> bool:
        """Whether it is about the drawn programs that were shrunk to one."""
        form = smallest.form
        return (
            form is not None
            and self.conditions.dtype in (None, *smallest.dtypes.values())
            and any(_is_of_form(form, pattern) for pattern in self.programs)
        )

    def has_expired(self, day: date) -> bool:
        return self.expires is not None and day > self.expires

    def records(self, result: ResultRecord) -> bool:
        """Whether the kinds and the behaviour of a result are those of the entry.

        One that names results that are right alone records no others.
        """
        kinds = kinds_of(result)
        ignored = _INTERMITTENT - (self.kinds & _ALONE) if self.sometimes else frozenset()
        return bool(kinds) and kinds - ignored == self.kinds - ignored and self.behaviour in (None, result.behaviour)


@dataclass(frozen=True)
class KnownDivergences:
    """The known divergences of an adapter, in the order of their file."""

    file: Path | None = None
    entries: tuple[KnownDivergence, ...] = ()

    def records(self, framework: str) -> list[KnownRecord]:
        """A record for each entry; the adapter names the framework."""
        return [KnownRecord(framework, one.id, one.reason, one.link, str(one.location)) for one in self.entries]


def facts_of_records(cases: Iterable[CaseRecord]) -> list[CaseFacts]:
    shared: dict[frozenset[str], frozenset[str]] = {}

    def dtypes(case: CaseRecord) -> frozenset[str]:
        of_case = frozenset(case.dtypes.values())
        return shared.setdefault(of_case, of_case)

    return [
        CaseFacts(
            case.id,
            case.clause,
            case.operation,
            dtypes(case),
            isinstance(case.variation, DrawnRecord),
            case.device,
            original=case.variation.base if isinstance(case.variation, PassedRecord) else None,
            needs=needs_of(case.variation),
            constants=constants_of(case.variation),
            transformation=transformation_of(case.variation),
        )
        for case in cases
    ]


def kinds_of(result: ResultRecord) -> frozenset[str]:
    """The kinds that an entry must name to record the result; empty if the result is not a failure."""
    match result.verdict:
        case "died" | "hung":
            return frozenset((*result.divergence, result.verdict))
        case "diverges":
            return frozenset(result.divergence)
        case _:
            return frozenset()


def _contains(versions: SpecifierSet, version: str | None) -> bool:
    try:
        return versions.contains(Version(version or ""), prereleases=True)
    except InvalidVersion:
        return False


PATIENCE = timedelta(days=30)
"""How long an entry may be without the link of an upstream issue."""


def today() -> date:
    return datetime.now(UTC).date()


def is_overdue(entry: KnownDivergence, day: date) -> bool:
    """Whether an entry is unreported for too long; one without a date has no excuse."""
    return entry.link == UNREPORTED and (entry.since is None or day - entry.since > PATIENCE)
