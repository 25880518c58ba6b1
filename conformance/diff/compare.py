"""Two results files compared: a pure function of both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from conformance.diff.model import Change, Difference, Edited, Pair
from conformance.findings.behaviour import has_same_outcome, has_same_policy
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord

Key = tuple[str, str]
"""Case and API."""


@dataclass(frozen=True)
class _Joined:
    """One pair of targets, with the results of each."""

    pair: Pair
    before: dict[Key, ResultRecord]
    after: dict[Key, ResultRecord]

    def both(self) -> Iterator[tuple[ResultRecord, ResultRecord]]:
        for key, result in self.before.items():
            if key in self.after:
                yield result, self.after[key]

    def lone_apis(self, one: dict[Key, ResultRecord], other: dict[Key, ResultRecord]) -> list[str]:
        """APIs of one side that the other lacks, unless the other side has no results at all."""
        there = {api for _, api in other}
        return list(dict.fromkeys(api for _, api in one if there and api not in there))


def compare_results(before: Results, after: Results) -> Difference:
    """What ``after`` differs from ``before`` in: targets by framework, mode and device, cases by id."""
    pairs, gone, new = _paired(before, after)
    joined = [_Joined(pair, _by_key(before, pair.before), _by_key(after, pair.after)) for pair in pairs]
    cases, later = _cases_of_specs(before), _cases_of_specs(after)
    edited = {
        name: after.cases[name]
        for name, was in before.cases.items()
        if name in after.cases and was.digest != after.cases[name].digest
    }
    changes, same = _changes(joined, set(edited))
    return Difference(
        pairs=tuple(pairs),
        changes=tuple(changes),
        same=same,
        gone_targets=gone,
        new_targets=new,
        stopped=tuple(pair for pair in pairs if pair.after.blocked and not pair.before.blocked),
        started=tuple(pair for pair in pairs if pair.before.blocked and not pair.after.blocked),
        gone_apis=tuple((one.pair, api) for one in joined for api in one.lone_apis(one.before, one.after)),
        new_apis=tuple((one.pair, api) for one in joined for api in one.lone_apis(one.after, one.before)),
        gone_cases=()
        if _leaves_out(after, before)
        else tuple(case for name, case in cases.items() if name not in later),
        new_cases=()
        if _leaves_out(before, after)
        else tuple(case for name, case in later.items() if name not in cases),
        edited=tuple(_edit(case, joined) for case in edited.values()),
        missing=_missing(before, after, joined),
        selected=_leaves_out(before, after) or _leaves_out(after, before),
    )


def _leaves_out(results: Results, other: Results) -> bool:
    """Whether only some of the cases were asked for, and others there: what it lacks is then not gone."""
    mine, others = ((one.run.selection, one.run.shard) for one in (results, other))
    return mine not in ((None, None), others)


def _cases_of_specs(results: Results) -> dict[str, CaseRecord]:
    """Without the counterexamples that the run made itself, which are no text of the specs."""
    return {name: case for name, case in results.cases.items() if not case.is_counterexample}


def is_same_result(before: ResultRecord, after: ResultRecord) -> bool:
    """Whether nothing changed: the same judgement of the same outcome.

    Times, warnings and the wording of messages do not count, nor do elements that vary from call to call; a word for what
    was done with an index outside counts only where both files have one.
    """
    return (
        _judgement(before) == _judgement(after) and has_same_outcome(before, after) and has_same_policy(before, after)
    )


def _judgement(result: ResultRecord) -> tuple[object, ...]:
    standing = result.standing if result.verdict == "diverges" else None
    return result.verdict, standing, frozenset(result.divergence)


def _paired(before: Results, after: Results) -> tuple[list[Pair], tuple[TargetRecord, ...], tuple[TargetRecord, ...]]:
    """Targets of the same id first, then what is left by framework, mode and device, in the order of the files."""
    left, right = _targets(before), _targets(after)
    found: dict[str, Pair] = {}
    for same in (lambda one: one.id, _place):
        _take(found, left, right, same)
    order = [target.id for target in _targets(before)]
    pairs = sorted(found.values(), key=lambda pair: order.index(pair.before.id))
    return pairs, tuple(left), tuple(right)


def _take(
    found: dict[str, Pair],
    left: list[TargetRecord],
    right: list[TargetRecord],
    key: Callable[[TargetRecord], object],
) -> None:
    for one in list(left):
        other = next((each for each in right if key(each) == key(one)), None)
        if other is not None:
            found[one.id] = Pair(one, other)
            left.remove(one)
            right.remove(other)


def _targets(results: Results) -> list[TargetRecord]:
    """Each target once; one that started and gave up later counts as started, under its full name."""
    targets = {target.id: target for target in results.targets}.values()
    started = {_place(target) for target in targets if not target.blocked}
    return [target for target in targets if not target.blocked or _place(target) not in started]


def _place(target: TargetRecord) -> object:
    return target.framework, target.mode, target.device


def _by_key(results: Results, target: TargetRecord) -> dict[Key, ResultRecord]:
    # one API may stand for two operations; a case belongs to one of them
    return {(one.case, one.api): one for one in results.results if one.target == target.id}


def _changes(joined: Sequence[_Joined], edited: set[str]) -> tuple[list[Change], int]:
    changes: list[Change] = []
    same = 0
    for one in joined:
        for before, after in one.both():
            if before.case in edited:
                continue
            if is_same_result(before, after):
                same += 1
            else:
                changes.append(Change(one.pair, before, after))
    return changes, same


def _edit(case: CaseRecord, joined: Sequence[_Joined]) -> Edited:
    both = [pair for one in joined for pair in one.both() if pair[0].case == case.id]
    return Edited(case, len(both), sum(not is_same_result(before, after) for before, after in both))


def _missing(before: Results, after: Results, joined: Sequence[_Joined]) -> int:
    shared = before.cases.keys() & after.cases.keys()
    counts: defaultdict[bool, int] = defaultdict(int)
    for one in joined:
        apis = {api for _, api in one.before} & {api for _, api in one.after}
        for case, api in one.before.keys() ^ one.after.keys():
            counts[case in shared and api in apis] += 1
    return counts[True]
