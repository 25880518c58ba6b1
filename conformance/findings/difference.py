"""The difference of one results file from another: what changed in behaviour, and what changed in the specs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from conformance.findings.compare import WHYS, Aspect, Change, Comparison, Key, Why, compare, sides
from conformance.judging.vocabulary import FailOn
from conformance.results.exit_status import DIVERGES, INTERRUPTED, NOTHING_SELECTED, OK, fails
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord

_NOT_JUDGED = ("unsupported", "blocked")


@dataclass(frozen=True)
class ComparedRun:
    """One of the two files."""

    started: str
    suite_version: str
    complete: bool


@dataclass(frozen=True)
class TargetPair:
    """A target in both files: the same framework, mode and device; the versions may differ."""

    first: str
    second: str

    @property
    def text(self) -> str:
        """``torch==2.12.0@cpu -> torch==2.13.0@cpu``, or the id alone if both are equal."""
        return self.first if self.first == self.second else f"{self.first} -> {self.second}"


@dataclass(frozen=True)
class StoppedTarget:
    """A target that started in the first file and did not in the second."""

    pair: TargetPair
    reason: str


@dataclass(frozen=True)
class PairApi:
    """An API that only one of two paired targets has."""

    pair: TargetPair
    api: str


@dataclass(frozen=True)
class ResultChange:
    """A case whose result on one API differs in the second file, although its spec is unchanged."""

    first: ResultRecord
    second: ResultRecord
    aspects: tuple[Aspect, ...]
    was: str
    now: str
    """Texts of the judgements or of the behaviours, which differ."""
    regression: Literal["own", "any"] | None
    """With which ``--fail-on`` it is one: for ``own``, and then also for ``any``, or only for ``any``."""

    @property
    def pair(self) -> TargetPair:
        return TargetPair(self.first.target, self.second.target)

    @property
    def is_lost(self) -> bool:
        """Whether the call was supported, and is not any more."""
        was_supported = self.first.verdict == "conforms" or self.first.status == "returned"
        return was_supported and self.first.verdict not in _NOT_JUDGED and self.second.verdict == "unsupported"

    def is_regression(self, fail_on: FailOn) -> bool:
        """Whether a run now fails because of it and did not before, or fails for a different kind of reason; or the call is lost."""
        return self.regression is not None and fail_on in (self.regression, "any")


@dataclass(frozen=True)
class SpecCase:
    """A case of the specs."""

    case: str
    clause: str


@dataclass(frozen=True)
class EditedCase(SpecCase):
    """A case whose call or expectation changed in the second file."""

    results: int
    """Comparable results of the case in both files."""
    changed: int
    """Those that differ."""


@dataclass(frozen=True)
class Difference:
    """All differences of a second results file from a first one; behaviour and specs are separate."""

    first: ComparedRun
    second: ComparedRun
    pairs: tuple[TargetPair, ...]
    changes: tuple[ResultChange, ...]
    same: int
    """Results that are the same in both files."""
    not_comparable: Mapping[Why, int]
    """Results in both files that cannot be compared, by reason."""
    gone_targets: tuple[str, ...]
    new_targets: tuple[str, ...]
    stopped: tuple[StoppedTarget, ...]
    started: tuple[TargetPair, ...]
    """Targets that did not start before and start now."""
    gone_apis: tuple[PairApi, ...]
    new_apis: tuple[PairApi, ...]
    gone_cases: tuple[SpecCase, ...]
    new_cases: tuple[SpecCase, ...]
    edited: tuple[EditedCase, ...]
    missing: int
    """Results in only one file although both have the case and the API, usually because a run was interrupted."""
    selected: bool
    """Whether a selection or shard restricts the cases: excluded cases count as neither gone nor new."""

    @property
    def incomplete(self) -> bool:
        """Whether a run was interrupted: what is missing in its file counts as neither gone nor new."""
        return not (self.first.complete and self.second.complete)

    @property
    def compared(self) -> int:
        """The number of results that could be compared."""
        return len(self.changes) + self.same

    def regressions(self, fail_on: FailOn) -> tuple[ResultChange, ...]:
        return tuple(change for change in self.changes if change.is_regression(fail_on))

    def fails(self, fail_on: FailOn) -> bool:
        """Whether there are regressions, including targets that no longer start, and APIs that a target no longer has."""
        return fail_on != "never" and bool(self.stopped or self.gone_apis or self.regressions(fail_on))

    def exit_status(self, fail_on: FailOn) -> int:
        """2 if a file is incomplete, else 5 if nothing could be compared, else 1 if there are regressions, else 0."""
        if self.incomplete:
            return INTERRUPTED
        if not self.compared and not self.stopped:
            return NOTHING_SELECTED
        return DIVERGES if self.fails(fail_on) else OK

    @cached_property
    def is_empty(self) -> bool:
        """Whether the files do not differ."""
        lists = (self.changes, self.gone_targets, self.new_targets, self.stopped, self.started)
        return not any((*lists, self.gone_apis, self.new_apis, self.gone_cases, self.new_cases, self.edited))


def difference(first: Results, second: Results) -> Difference:
    """Return the differences of the second file from the first.

    Targets are matched by framework, mode and device, cases by id.
    """
    pairs, gone_targets, new_targets = _paired(first, second)
    comparisons = _compared(first, second, pairs)
    edited = edited_cases(first, second)
    cases, other_cases = _cases_of_specs(first), _cases_of_specs(second)
    compared = [comparison for _, comparison in comparisons]
    left_out = _left_out(second, first), _left_out(first, second)
    apis = [(_ids(pair), *_apis_of_one(comparison, *left_out)) for pair, comparison in comparisons]
    return Difference(
        _run(first),
        _run(second),
        pairs=tuple(map(_ids, pairs)),
        changes=tuple(
            _result_change(change) for one in compared for change in one.changes if change.second.case not in edited
        ),
        same=sum(case not in edited for one in compared for case, _ in one.same),
        not_comparable=_not_comparable(compared, edited),
        gone_targets=tuple(target.id for target in gone_targets) if second.complete else (),
        new_targets=tuple(target.id for target in new_targets) if first.complete else (),
        stopped=tuple(
            StoppedTarget(_ids((was, now)), now.blocked) for was, now in pairs if now.blocked and not was.blocked
        ),
        started=tuple(_ids((was, now)) for was, now in pairs if was.blocked and not now.blocked),
        gone_apis=tuple(PairApi(pair, api) for pair, gone, _ in apis for api in gone) if second.complete else (),
        new_apis=tuple(PairApi(pair, api) for pair, _, new in apis for api in new) if first.complete else (),
        gone_cases=_only_in(cases, other_cases, is_whole=second.complete and not _leaves_out(second, first)),
        new_cases=_only_in(other_cases, cases, is_whole=first.complete and not _leaves_out(first, second)),
        edited=tuple(_edited_cases(compared, [case for name, case in second.cases.items() if name in edited])),
        missing=sum(_missing(one, first.cases.keys() & second.cases.keys()) for one in compared),
        selected=_leaves_out(first, second) or _leaves_out(second, first),
    )


def edited_cases(first: Results, second: Results) -> set[str]:
    """The cases of both files whose call or expectation differs: their results say nothing about the framework."""
    return {name for name in first.cases.keys() & second.cases if first.cases[name].digest != second.cases[name].digest}


_Pair = tuple[TargetRecord, TargetRecord]


def _run(results: Results) -> ComparedRun:
    return ComparedRun(results.run.started, results.run.suite_version, results.complete)


def _ids(pair: _Pair) -> TargetPair:
    return TargetPair(pair[0].id, pair[1].id)


def _compared(first: Results, second: Results, pairs: Sequence[_Pair]) -> list[tuple[_Pair, Comparison]]:
    of_first, of_second = sides(first), sides(second)
    return [(pair, compare(of_first[pair[0].id], of_second[pair[1].id], "judgement")) for pair in pairs]


def _result_change(change: Change) -> ResultChange:
    regression: Literal["own", "any"] | None = None
    if _regresses(change, "any"):
        regression = "own" if _regresses(change, "own") else "any"
    changed = ResultChange(change.first, change.second, change.aspects, change.was, change.now, regression)
    return replace(changed, regression="own") if changed.is_lost else changed


def _regresses(change: Change, fail_on: FailOn) -> bool:
    if not fails(change.second, fail_on):
        return False
    return not fails(change.first, fail_on) or _kinds(change.first) != _kinds(change.second)


def _kinds(result: ResultRecord) -> tuple[str, str, frozenset[str]]:
    return result.verdict, result.standing, frozenset(result.divergence)


def _keys_of_both(comparison: Comparison) -> set[Key]:
    return {change.key for change in comparison.changes} | {*comparison.same, *comparison.not_comparable}


def _apis_of_one(
    comparison: Comparison, out_of_second: Set[str], out_of_first: Set[str]
) -> tuple[list[str], list[str]]:
    """The APIs without results on the other side, of either side; none if the other side has no results at all.

    out_of_second, out_of_first: cases that the other side left out, whose absence there says nothing of an API.
    """
    both = {api for _, api in _keys_of_both(comparison)}
    first = dict.fromkeys(api for case, api in comparison.only_first if case not in out_of_second)
    second = dict.fromkeys(api for case, api in comparison.only_second if case not in out_of_first)
    gone = [api for api in first if api not in both and api not in second]
    new = [api for api in second if api not in both and api not in first]
    return gone if both or second else [], new if both or first else []


def _not_comparable(comparisons: Sequence[Comparison], edited: Set[str]) -> dict[Why, int]:
    counts = Counter(why for one in comparisons for (case, _), why in one.not_comparable.items() if case not in edited)
    return {why: counts[why] for why in WHYS if counts[why]}


def _leaves_out(results: Results, other: Results) -> bool:
    """Whether its selection or shard excludes cases of the other file: these are then not gone."""
    restriction = (results.run.selection, results.run.shard)
    return restriction not in ((None, None), (other.run.selection, other.run.shard))


def _left_out(results: Results, other: Results) -> Set[str]:
    """The cases of the other file that its selection or shard excludes: on some APIs, or on all."""
    if not _leaves_out(results, other):
        return frozenset()
    selects_apis = "--api" in (results.run.selection or "").split()
    return other.cases.keys() if selects_apis else other.cases.keys() - results.cases.keys()


def _only_in(
    cases: Mapping[str, CaseRecord], others: Mapping[str, CaseRecord], *, is_whole: bool
) -> tuple[SpecCase, ...]:
    """The cases that the others lack; none if the others are not the whole of their run."""
    lacking = (SpecCase(name, case.clause) for name, case in cases.items() if name not in others)
    return tuple(lacking) if is_whole else ()


def _cases_of_specs(results: Results) -> dict[str, CaseRecord]:
    """All cases but the counterexamples of the run, which are not in the specs."""
    return {name: case for name, case in results.cases.items() if not case.is_counterexample}


def _paired(first: Results, second: Results) -> tuple[list[_Pair], list[TargetRecord], list[TargetRecord]]:
    """Pairs by id first, then by framework, mode and device; then the targets without a partner on either side."""
    old, new = _targets(first), _targets(second)
    order = [target.id for target in old]
    pairs = [*_take_pairs(old, new, lambda target: target.id), *_take_pairs(old, new, _configuration)]
    return sorted(pairs, key=lambda pair: order.index(pair[0].id)), old, new


def _take_pairs(
    old: list[TargetRecord], new: list[TargetRecord], key: Callable[[TargetRecord], object]
) -> Iterator[_Pair]:
    """Pairs of targets with equal keys, which are removed from the lists."""
    for target in list(old):
        partner = next((candidate for candidate in new if key(candidate) == key(target)), None)
        if partner is not None:
            old.remove(target)
            new.remove(partner)
            yield target, partner


def _targets(results: Results) -> list[TargetRecord]:
    """Each target once; a target that started and gave up later counts as started, under its full id."""
    targets = {target.id: target for target in results.targets}.values()
    started = {_configuration(target) for target in targets if not target.blocked}
    return [target for target in targets if not target.blocked or _configuration(target) not in started]


def _configuration(target: TargetRecord) -> object:
    return target.framework, target.mode, target.device


def _edited_cases(comparisons: Sequence[Comparison], edited: Sequence[CaseRecord]) -> Iterator[EditedCase]:
    changed = Counter(change.second.case for one in comparisons for change in one.changes)
    same = Counter(case for one in comparisons for case, _ in one.same)
    for case in edited:
        yield EditedCase(case.id, case.clause, changed[case.id] + same[case.id], changed[case.id])


def _missing(comparison: Comparison, shared_cases: Set[str]) -> int:
    """The number of results in only one of the files, of cases and APIs that both files have."""
    both = {api for _, api in _keys_of_both(comparison)}
    first, second = ({api for _, api in keys} for keys in (comparison.only_first, comparison.only_second))
    shared_apis = both | (first & second)
    unmatched = [*comparison.only_first, *comparison.only_second]
    return sum(case in shared_cases and api in shared_apis for case, api in unmatched)
