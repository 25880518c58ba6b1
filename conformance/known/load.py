"""Load known divergences, and check them before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import cast

from packaging.specifiers import SpecifierSet

from conformance.cases.facts import CaseFacts
from conformance.judging.vocabulary import Behaviour
from conformance.known.file_format import EntryPart, KnownFile, WhenPart
from conformance.known.model import NAME, Conditions, KnownDivergence, KnownDivergences, Pattern
from conformance.specification.parse import parse
from conformance.specification.problems import Lines, Problem, nearest


def known_beside(adapter: Path) -> KnownDivergences:
    """The known divergences beside an adapter file, empty if there is no such file; SpecError with all problems."""
    file = adapter.parent / NAME
    return load_known(file) if file.is_file() else KnownDivergences()


def load_known(file: Path) -> KnownDivergences:
    """The known divergences of a divergences.yaml; SpecError with all problems."""
    content, lines = parse(file, KnownFile)
    return KnownDivergences(file, tuple(_entry(name, part, lines) for name, part in content.divergences.items()))


def _entry(name: str, part: EntryPart, lines: Lines) -> KnownDivergence:
    at = ("divergences", name)
    return KnownDivergence(
        id=name,
        patterns=tuple(Pattern(text, lines.location((*at, "cases", n))) for n, text in enumerate(part.cases)),
        programs=tuple(part.programs),
        apis=tuple(part.api),
        conditions=_conditions(part.when),
        kinds=frozenset(part.kind),
        behaviour=cast("Behaviour | None", part.behaviour),
        sometimes=part.sometimes,
        since=part.since,
        expires=part.expires,
        run=part.run,
        triaged=part.triaged,
        reason=part.reason,
        link=part.link,
        searched=tuple(part.searched),
        location=lines.location(at),
    )


def _conditions(part: WhenPart) -> Conditions:
    return Conditions(
        versions=_specifier(part.version),
        devices=tuple(part.device) if part.device is not None else None,
        modes=tuple(part.mode) if part.mode is not None else None,
        dtype=part.dtype,
        os=part.os,
        arch=part.arch,
        gpu=part.gpu,
        python=_specifier(part.python),
        numpy=_specifier(part.numpy),
        transforms=tuple(part.transform) if part.transform is not None else None,
    )


def _specifier(text: str | None) -> SpecifierSet | None:
    return SpecifierSet(text) if text is not None else None


def concerns(entry: KnownDivergence, pattern: Pattern, case: CaseFacts) -> bool:
    """Whether a pattern of an entry matches a case, including the entry's conditions on dtypes and transforms."""
    return is_under_conditions(entry, case) and any(map(pattern.matches, names_of(case)))


def is_under_conditions(entry: KnownDivergence, case: CaseFacts) -> bool:
    """Whether an entry's conditions on dtypes and transforms hold for a case."""
    conditions = entry.conditions
    return case.transformation in (conditions.transforms or (None,)) and conditions.dtype in (None, *case.dtypes)


def names_of(case: CaseFacts) -> tuple[str, ...]:
    """The ids by which patterns match a case: its own, earlier ones, and that of the same call."""
    return (case.id, *case.earlier, *filter(None, [case.original]))


def unknown_apis(known_divergences: KnownDivergences, apis: Sequence[str]) -> list[Problem]:
    """A problem for each API of an entry that the adapters beside it do not map."""
    return [
        Problem(
            entry.location, f"{entry.id}: no adapter in this folder maps an API {pattern!r}{nearest(pattern, apis)}"
        )
        for entry in known_divergences.entries
        for pattern in entry.apis
        if not any(fnmatchcase(api, pattern) for api in apis)
    ]
