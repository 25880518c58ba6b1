"""From results to the entries that a ledger lacks: one for what, as far as can be seen, has one cause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from packaging.version import InvalidVersion, Version

from conformance.cases.model import generated_ids
from conformance.known.matching import Matcher
from conformance.known.model import KnownDivergences, facts_of_records, kinds_of
from conformance.results.exit_status import FailOn, fails
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord
from conformance.specification.model import Provenance


@dataclass(frozen=True)
class Proposal:
    """An entry without its reason and link."""

    id: str
    cases: tuple[str, ...]
    api: str
    when: dict[str, str]
    kinds: tuple[str, ...]
    behaviour: str | None
    seen: str
    """What happened the first time, in a sentence."""


@dataclass(frozen=True)
class UnknownResult:
    """A result that no entry knows, and where."""

    target: TargetRecord
    result: ResultRecord


Alike = tuple[str, tuple[str, ...], tuple[str, ...]]
"""An API, kinds of divergence, and patterns of cases."""


def not_known(
    results: Results, targets: Iterable[TargetRecord], known: KnownDivergences, fail_on: FailOn
) -> list[UnknownResult]:
    """The results that a run would fail on with these known divergences, as they are now."""
    cases = facts_of_records(results.cases.values())
    provenance = _provenance([results])
    unknown = []
    for target in targets:
        apis = [(mapping.api, mapping.operation) for mapping in results.mappings if mapping.target == target.id]
        matcher = Matcher(known, target, cases, apis)
        mine = [matcher.known(replace(result, known=None)) for result in results.results if result.target == target.id]
        generated = {_kind(result) for result in mine if result.known and provenance.get(result.case) == "generated"}
        unknown += [
            UnknownResult(target, result)
            for result in mine
            if fails(result, fail_on) and not (_is_counterexample(results, result) and _kind(result) in generated)
        ]
    return unknown


def _provenance(files: Iterable[Results]) -> Mapping[str, Provenance]:
    return {case.id: case.provenance for results in files for case in results.cases.values()}


def _kind(result: ResultRecord) -> tuple[str, str, frozenset[str]]:
    return result.api, result.clause, kinds_of(result)


def _is_counterexample(results: Results, result: ResultRecord) -> bool:
    """Whether it is of the smallest of generated cases: it is known where these are."""
    case = results.cases.get(result.case)
    return case is not None and case.is_counterexample


def proposals(unknown: Sequence[UnknownResult], files: Sequence[Results], known: KnownDivergences) -> list[Proposal]:
    """An entry for each API, clause and kind, with the versions, devices and modes where it happens."""
    tested = [target for results in files for target in results.targets if target.blocked is None]
    taken = {entry.id for entry in known.entries}
    names = {clause.id: clause.name for results in files for clause in results.clauses.values()}
    proposed = []
    for (api, kinds, patterns), group in _alike(unknown, files).items():
        for targets in _neighbours({each.target.id: each.target for each in group}.values(), tested):
            here = [each.result for each in group if each.target in targets]
            behaviours = {result.behaviour for result in here}
            name = _free(_slug(api, names.get(here[0].clause, "")), taken)
            taken.add(name)
            first = here[0].explanation or here[0].verdict
            behaviour = behaviours.pop() if len(behaviours) == 1 else None
            proposed.append(Proposal(name, patterns, api, _when(targets), kinds, behaviour, first))
    return proposed


def _alike(unknown: Sequence[UnknownResult], files: Sequence[Results]) -> dict[Alike, list[UnknownResult]]:
    grouped: dict[tuple[str, str, str, tuple[str, ...]], list[UnknownResult]] = {}
    for each in unknown:
        kinds = tuple(sorted(kinds_of(each.result), key=_deaths_first))
        grouped.setdefault((each.target.id, each.result.api, each.result.clause, kinds), []).append(each)
    judged: dict[tuple[str, str, str], set[str]] = {}
    for result in (result for results in files for result in results.results):
        if result.verdict == "conforms" or kinds_of(result):
            judged.setdefault((result.target, result.api, result.clause), set()).add(result.case)
    provenance = _provenance(files)
    alike: dict[Alike, list[UnknownResult]] = {}
    for (target, api, clause, kinds), group in grouped.items():
        cases = {case: provenance.get(case) for case in {each.result.case for each in group}}
        patterns = _patterns(clause, cases, judged[target, api, clause])
        alike.setdefault((api, kinds, patterns), []).extend(group)
    return alike


def _deaths_first(kind: str) -> tuple[bool, str]:
    return kind not in ("died", "hung"), kind


def _patterns(clause: str, cases: Mapping[str, Provenance | None], judged: set[str]) -> tuple[str, ...]:
    """The whole clause where no case of it came out otherwise, else each case."""
    if cases.keys() == judged and len(cases) > 1:
        return (f"{clause}/*",)
    if "generated" not in cases.values():
        return tuple(sorted(cases))
    # Generated cases are others with each seed, and what they were made smaller to with them.
    written = sorted(case for case, provenance in cases.items() if provenance not in ("generated", "found"))
    return (*written, generated_ids(clause))


def _neighbours(targets: Iterable[TargetRecord], tested: Sequence[TargetRecord]) -> Iterator[list[TargetRecord]]:
    """The targets, in groups whose versions follow each other among those that were tested."""
    targets = list(targets)
    versions = sorted({one for target in tested if (one := _version(target)) is not None})
    group: list[TargetRecord] = [target for target in targets if _version(target) is None]
    if group:
        yield group
    group = []
    for version in versions:
        here = [target for target in targets if _version(target) == version]
        if not here and group:
            yield group
            group = []
        group += here
    if group:
        yield group


def _when(targets: Sequence[TargetRecord]) -> dict[str, str]:
    """The conditions that hold for these targets, and for as few others as conditions can say."""
    when: dict[str, str] = {}
    versions = sorted(one for target in targets if (one := _version(target)) is not None)
    if versions:
        first, last = versions[0].public, versions[-1].public
        when["version"] = f"=={first}" if first == last else f">={first},<={last}"
    for name, of in (("device", _device), ("mode", _mode)):
        here = {of(target) for target in targets}
        if len(here) == 1:
            when[name] = here.pop()
    return when


def _device(target: TargetRecord) -> str:
    return target.device.partition(":")[0]


def _mode(target: TargetRecord) -> str:
    return target.mode


def _version(target: TargetRecord) -> Version | None:
    try:
        return Version(Version(target.version or "").public)
    except InvalidVersion:
        return None


def _slug(api: str, clause: str) -> str:
    text = f"{api.rpartition('.')[2]}-{clause}"
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-") or "entry"


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free
