"""Propose known divergences for findings that are not known yet, one for each cause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count

from packaging.version import InvalidVersion, Version

from conformance.cases.model import generated_ids
from conformance.findings.findings import Finding, causes, findings
from conformance.judging.vocabulary import FailOn
from conformance.known.ledger import Ledger
from conformance.known.model import KnownDivergences, facts_of_records, kinds_of
from conformance.results.exit_status import fails
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord
from conformance.results.table import Table
from conformance.results.variations import DrawnRecord, FoundRecord, VariationRecord


@dataclass(frozen=True)
class Proposal:
    """A known divergence without its reason and link."""

    id: str
    cases: tuple[str, ...]
    programs: tuple[str, ...]
    """The forms of drawn programs."""
    api: str
    when: dict[str, str]
    kinds: tuple[str, ...]
    behaviour: str | None
    explanation: str
    """Of the first of the results, in a sentence."""


@dataclass(frozen=True)
class Unknown:
    """The findings of one cause on one target that no entry records."""

    target: TargetRecord
    findings: tuple[Finding, ...]
    """Never empty; all of one API with the same kinds, or those of drawn programs of one form."""

    @property
    def results(self) -> Iterator[ResultRecord]:
        return (result for finding in self.findings for result in finding.results)


def not_known(
    results: Results, targets: Iterable[TargetRecord], known: KnownDivergences, fail_on: FailOn
) -> list[Unknown]:
    """What a run would fail on with the current known divergences."""
    cases = facts_of_records(results.cases.values())
    unknown = []
    for target in targets:
        ledger = Ledger(known, target, cases, results.mappings)
        # No entry records what is not wrong, and a file may have a million of such results.
        wrong = (result for result in results.results if result.target == target.id and kinds_of(result))
        matched = [
            ledger.known(replace(result, known=None), results.cases.get(result.smallest or "")) for result in wrong
        ]
        generated = {
            _kind(result)
            for result in matched
            if result.known
            and result.case in results.cases
            and isinstance(results.cases[result.case].variation, DrawnRecord)
        }
        failing = [
            result
            for result in matched
            if not result.unconfirmed
            and fails(result, fail_on)
            and not (_is_counterexample(results, result) and _kind(result) in generated)
        ]
        table = Table(replace(results, results=failing))
        unknown += [Unknown(target, cause.findings) for cause in causes(table, findings(table))]
    return unknown


def _kind(result: ResultRecord) -> tuple[str, str, frozenset[str]]:
    return result.api, result.clause, kinds_of(result)


def _is_counterexample(results: Results, result: ResultRecord) -> bool:
    """Whether its case was minimized from generated cases: it is known if these are."""
    case = results.cases.get(result.case)
    return case is not None and case.is_counterexample


def proposals(unknown: Sequence[Unknown], files: Sequence[Results], known: KnownDivergences) -> list[Proposal]:
    """A proposal for each cause, with the versions, devices and modes where all its cases happen."""
    tested = [target for results in files for target in results.targets if target.blocked is None]
    taken = {entry.id for entry in known.entries}
    names = {clause.id: clause.name for results in files for clause in results.clauses.values()}
    proposed = []
    for (api, kinds, patterns, programs), group in _by_patterns(unknown, files).items():
        for targets in _neighbours({item.target.id: item.target for item in group}.values(), tested):
            results_there = [result for item in group if item.target in targets for result in item.results]
            first = results_there[0]
            behaviours = {result.behaviour for result in results_there}
            name = _free_name(_slug(api, names.get(first.clause, "")), taken)
            taken.add(name)
            explanation = first.explanation or first.verdict
            behaviour = behaviours.pop() if len(behaviours) == 1 else None
            proposed.append(Proposal(name, patterns, programs, api, _when(targets), kinds, behaviour, explanation))
    return proposed


_About = tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""API, kinds of divergence, patterns of cases and forms of programs."""


def _by_patterns(unknown: Iterable[Unknown], files: Sequence[Results]) -> dict[_About, list[Unknown]]:
    """By API, kinds and patterns, since an entry holds for all its cases on all its targets."""
    tables = [Table(results) for results in files]
    cases_of_files = {case.id: case for results in files for case in results.cases.values()}
    grouped: dict[_About, list[Unknown]] = {}
    for item in unknown:
        first = item.findings[0]
        clauses: dict[str, dict[str, VariationRecord | None]] = {}
        programs: dict[str, None] = {}
        for result in item.results:
            case, smallest = cases_of_files.get(result.case), cases_of_files.get(result.smallest or "")
            if smallest is not None and smallest.form is not None:
                programs[smallest.form] = None
            else:
                clauses.setdefault(result.clause, {})[result.case] = case.variation if case is not None else None
        patterns = tuple(
            pattern
            for clause, cases in clauses.items()
            for pattern in _patterns(clause, cases, _judged(tables, item.target.id, first.api, clause))
        )
        kinds = tuple(sorted(kinds_of(first.first), key=_deaths_first))
        grouped.setdefault((first.api, kinds, patterns, tuple(programs)), []).append(item)
    return grouped


def _judged(tables: Iterable[Table], target: str, api: str, clause: str) -> set[str]:
    """The cases of a clause whose results on an API of a target were judged."""
    cells = (table.cells.get((target, api, clause), ()) for table in tables)
    return {result.case for cell in cells for result in cell if result.verdict == "conforms" or kinds_of(result)}


def _deaths_first(kind: str) -> tuple[bool, str]:
    return kind not in ("died", "hung"), kind


def _patterns(clause: str, cases: Mapping[str, VariationRecord | None], judged: set[str]) -> tuple[str, ...]:
    """The whole clause if all its judged cases are among ``cases``, else a pattern for each case."""
    if cases.keys() == judged and len(cases) > 1:
        return (f"{clause}/*",)
    if not any(isinstance(variation, DrawnRecord) for variation in cases.values()):
        return tuple(sorted(cases))
    # Generated cases differ with each seed, and so do the counterexamples minimized from them.
    written = sorted(case for case, one in cases.items() if not isinstance(one, DrawnRecord | FoundRecord))
    return (*written, generated_ids(clause))


def _neighbours(targets: Iterable[TargetRecord], tested: Sequence[TargetRecord]) -> Iterator[list[TargetRecord]]:
    """The targets, in groups of versions that are consecutive among the tested versions."""
    targets = list(targets)
    group = [target for target in targets if _version(target) is None]
    if group:
        yield group
    group = []
    for version in _versions(tested):
        same_version = [target for target in targets if _version(target) == version]
        if not same_version and group:
            yield group
            group = []
        group += same_version
    if group:
        yield group


def _when(targets: Sequence[TargetRecord]) -> dict[str, str]:
    """The narrowest conditions that hold for all these targets."""
    when: dict[str, str] = {}
    versions = _versions(targets)
    if versions:
        first, last = versions[0].public, versions[-1].public
        when["version"] = f"=={first}" if first == last else f">={first},<={last}"
    devices = {target.device.partition(":")[0] for target in targets}
    if len(devices) == 1:
        when["device"] = devices.pop()
    modes = {target.mode for target in targets}
    if len(modes) == 1:
        when["mode"] = modes.pop()
    return when


def _versions(targets: Iterable[TargetRecord]) -> list[Version]:
    return sorted({version for target in targets if (version := _version(target)) is not None})


def _version(target: TargetRecord) -> Version | None:
    try:
        return Version(Version(target.version or "").public)
    except InvalidVersion:
        return None


def _slug(api: str, clause: str) -> str:
    text = f"{api.rpartition('.')[2]}-{clause}"
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("_-") or "entry"


def _free_name(name: str, taken: set[str]) -> str:
    candidates = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(candidate for candidate in candidates if candidate not in taken)
