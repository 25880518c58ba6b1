"""From results to the entries that a ledger lacks: one for what, as far as can be seen, has one cause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from packaging.version import InvalidVersion, Version

from conformance.known.matching import Book
from conformance.known.model import DRAWN, Ledger, facts_of_records, kinds_of
from conformance.results.exit_status import FailOn, fails
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord
from conformance.specification.case_files import PREFIX


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
class Found:
    """A result that no entry knows, and where."""

    target: TargetRecord
    result: ResultRecord


Alike = tuple[str, tuple[str, ...], tuple[str, ...]]
"""An API, kinds of divergence, and patterns of cases."""


def not_known(results: Results, targets: Iterable[TargetRecord], ledger: Ledger, fail_on: FailOn) -> list[Found]:
    """The results that a run would fail on with this ledger, as it is now."""
    cases = facts_of_records(results.cases.values())
    found = []
    for target in targets:
        apis = [(one.api, one.operation) for one in results.mappings if one.target == target.id]
        book = Book(ledger, target, cases, apis)
        mine = [book.known(replace(one, known=None)) for one in results.results if one.target == target.id]
        drawn = {_kind(one) for one in mine if DRAWN in one.case and one.known is not None}
        unknown = (one for one in mine if fails(one, fail_on))
        found += [Found(target, one) for one in unknown if not (_is_made(results, one) and _kind(one) in drawn)]
    return found


def _kind(result: ResultRecord) -> tuple[str, str, frozenset[str]]:
    return result.api, result.clause, kinds_of(result)


def _is_made(results: Results, result: ResultRecord) -> bool:
    """Whether the run made the case itself, as the smallest of its draws: it is known where these are."""
    case, clause = results.cases.get(result.case), results.clauses.get(result.clause)
    is_found = result.case.startswith(f"{result.clause}/{PREFIX}")
    return is_found and case is not None and clause is not None and case.source == clause.source


def proposals(found: Sequence[Found], everything: Sequence[Results], ledger: Ledger) -> list[Proposal]:
    """An entry for each API, clause and kind, with the versions, devices and modes where it happens."""
    tested = [target for one in everything for target in one.targets if target.blocked is None]
    taken = {entry.id for entry in ledger.entries}
    made = []
    for (api, kinds, patterns), some in _alike(found, everything).items():
        for targets in _neighbours({one.target.id: one.target for one in some}.values(), tested):
            here = [one.result for one in some if one.target in targets]
            behaviours = {result.behaviour for result in here}
            name = _free(_slug(api, here[0].clause), taken)
            taken.add(name)
            seen = here[0].explanation or here[0].verdict
            behaviour = behaviours.pop() if len(behaviours) == 1 else None
            made.append(Proposal(name, patterns, api, _when(targets), kinds, behaviour, seen))
    return made


def _alike(found: Sequence[Found], everything: Sequence[Results]) -> dict[Alike, list[Found]]:
    grouped: dict[tuple[str, str, str, tuple[str, ...]], list[Found]] = {}
    for one in found:
        kinds = tuple(sorted(kinds_of(one.result), key=_deaths_first))
        grouped.setdefault((one.target.id, one.result.api, one.result.clause, kinds), []).append(one)
    judged: dict[tuple[str, str, str], set[str]] = {}
    for result in (one for results in everything for one in results.results):
        if result.verdict == "conforms" or kinds_of(result):
            judged.setdefault((result.target, result.api, result.clause), set()).add(result.case)
    alike: dict[Alike, list[Found]] = {}
    for (target, api, clause, kinds), some in grouped.items():
        patterns = _patterns(clause, {one.result.case for one in some}, judged[target, api, clause])
        alike.setdefault((api, kinds, patterns), []).extend(some)
    return alike


def _deaths_first(kind: str) -> tuple[bool, str]:
    return kind not in ("died", "hung"), kind


def _patterns(clause: str, cases: set[str], judged: set[str]) -> tuple[str, ...]:
    """The whole clause where no case of it came out otherwise, else each case."""
    if cases == judged and len(cases) > 1:
        return (f"{clause}/*",)
    drawn = {case for case in cases if DRAWN in case}
    if not drawn:
        return tuple(sorted(cases))
    # Draws are others with each seed, and what they were made smaller to with them.
    written = {case for case in cases - drawn if not case.startswith(f"{clause}/{PREFIX}")}
    return (*sorted(written), f"{clause}{DRAWN}*")


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
    text = f"{api.rpartition('.')[2]}-{clause.rpartition('.')[2]}"
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-") or "entry"


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free
