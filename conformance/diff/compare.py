"""Compare two results files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from conformance.diff.model import Difference, EditedCase, ResultChange, TargetPair
from conformance.findings.behaviour import has_same_outcome, has_same_policy
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord

Key = tuple[str, str]
"""Case and API."""


@dataclass(frozen=True)
class _PairResults:
    """The results of a pair of targets."""

    pair: TargetPair
    before: dict[Key, ResultRecord]
    after: dict[Key, ResultRecord]

    def unconfirmed(self) -> int:
        """The number of results in both files of which one was not confirmed, so that they are not compared."""
        return sum(
            not (result.confirmed and self.after[key].confirmed)
            for key, result in self.before.items()
            if key in self.after
        )

    def in_both(self) -> Iterator[tuple[ResultRecord, ResultRecord]]:
        for key, result in self.before.items():
            if key in self.after and result.confirmed and self.after[key].confirmed:
                yield result, self.after[key]


def _missing_apis(results: dict[Key, ResultRecord], other_results: dict[Key, ResultRecord]) -> list[str]:
    """APIs without results on the other side; none if the other side has no results at all."""
    other_apis = {api for _, api in other_results}
    return list(dict.fromkeys(api for _, api in results if other_apis and api not in other_apis))


def compare_results(before: Results, after: Results) -> Difference:
    """Return the differences of ``after`` from ``before``.

    Targets are matched by framework, mode and device, cases by id.
    """
    pairs, gone, new = _paired(before, after)
    pair_results = [_PairResults(pair, _by_key(before, pair.before), _by_key(after, pair.after)) for pair in pairs]
    old_cases, new_cases = _cases_of_specs(before), _cases_of_specs(after)
    edited = {
        name: after.cases[name]
        for name, case in before.cases.items()
        if name in after.cases and case.digest != after.cases[name].digest
    }
    changes, same = _changes(pair_results, set(edited))
    gone_apis = ((one.pair, api) for one in pair_results for api in _missing_apis(one.before, one.after))
    new_apis = ((one.pair, api) for one in pair_results for api in _missing_apis(one.after, one.before))
    return Difference(
        pairs=tuple(pairs),
        changes=tuple(changes),
        same=same,
        gone_targets=gone if after.complete else (),
        new_targets=new if before.complete else (),
        stopped=tuple(pair for pair in pairs if pair.after.blocked and not pair.before.blocked),
        started=tuple(pair for pair in pairs if pair.before.blocked and not pair.after.blocked),
        gone_apis=tuple(gone_apis) if after.complete else (),
        new_apis=tuple(new_apis) if before.complete else (),
        gone_cases=_only_in(old_cases, new_cases, is_whole=after.complete and not _leaves_out(after, before)),
        new_cases=_only_in(new_cases, old_cases, is_whole=before.complete and not _leaves_out(before, after)),
        edited=tuple(_edited_case(case, pair_results) for case in edited.values()),
        missing=_missing_results(before, after, pair_results),
        unconfirmed=sum(one.unconfirmed() for one in pair_results),
        selected=_leaves_out(before, after) or _leaves_out(after, before),
        incomplete=not (before.complete and after.complete),
    )


def _leaves_out(results: Results, other: Results) -> bool:
    """Whether its selection or shard excludes cases of the other file: these are then not gone."""
    restriction = (results.run.selection, results.run.shard)
    return restriction not in ((None, None), (other.run.selection, other.run.shard))


def _only_in(cases: dict[str, CaseRecord], others: dict[str, CaseRecord], *, is_whole: bool) -> tuple[CaseRecord, ...]:
    """The cases that the others lack; none if the others are not the whole of their run."""
    return tuple(case for name, case in cases.items() if name not in others) if is_whole else ()


def _cases_of_specs(results: Results) -> dict[str, CaseRecord]:
    """All cases but the counterexamples of the run, which are not in the specs."""
    return {name: case for name, case in results.cases.items() if not case.is_counterexample}


def is_same_result(before: ResultRecord, after: ResultRecord) -> bool:
    """Whether nothing changed: the same judgement of the same outcome.

    Times, warnings, error messages and elements that vary from call to call are ignored. The behaviour towards
    out-of-bounds indices counts only if both files name it.
    """
    return (
        _judgement(before) == _judgement(after) and has_same_outcome(before, after) and has_same_policy(before, after)
    )


def _judgement(result: ResultRecord) -> tuple[object, ...]:
    standing = result.standing if result.verdict == "diverges" else None
    return result.verdict, standing, frozenset(result.divergence)


def _paired(
    before: Results, after: Results
) -> tuple[list[TargetPair], tuple[TargetRecord, ...], tuple[TargetRecord, ...]]:
    """Pairs by id first, then by framework, mode and device; then the targets without a partner on either side."""
    old, new = _targets(before), _targets(after)
    order = [target.id for target in old]
    pairs = [*_take_pairs(old, new, lambda target: target.id), *_take_pairs(old, new, _configuration)]
    return sorted(pairs, key=lambda pair: order.index(pair.before.id)), tuple(old), tuple(new)


def _take_pairs(
    old: list[TargetRecord], new: list[TargetRecord], key: Callable[[TargetRecord], object]
) -> Iterator[TargetPair]:
    """Pairs of targets with equal keys, which are removed from the lists."""
    for target in list(old):
        partner = next((candidate for candidate in new if key(candidate) == key(target)), None)
        if partner is not None:
            old.remove(target)
            new.remove(partner)
            yield TargetPair(target, partner)


def _targets(results: Results) -> list[TargetRecord]:
    """Each target once; a target that started and gave up later counts as started, under its full id."""
    targets = {target.id: target for target in results.targets}.values()
    started = {_configuration(target) for target in targets if not target.blocked}
    return [target for target in targets if not target.blocked or _configuration(target) not in started]


def _configuration(target: TargetRecord) -> object:
    return target.framework, target.mode, target.device


def _by_key(results: Results, target: TargetRecord) -> dict[Key, ResultRecord]:
    # an API may implement two operations, but a case belongs to a single operation
    return {(result.case, result.api): result for result in results.results if result.target == target.id}


def _changes(pair_results: Sequence[_PairResults], edited: set[str]) -> tuple[list[ResultChange], int]:
    """The changes of cases that were not edited, and the number of results that did not change."""
    comparable = [
        ResultChange(results.pair, before, after)
        for results in pair_results
        for before, after in results.in_both()
        if before.case not in edited
    ]
    changes = [change for change in comparable if not is_same_result(change.before, change.after)]
    return changes, len(comparable) - len(changes)


def _edited_case(case: CaseRecord, pair_results: Sequence[_PairResults]) -> EditedCase:
    both = [(before, after) for one in pair_results for before, after in one.in_both() if before.case == case.id]
    return EditedCase(case, len(both), sum(not is_same_result(before, after) for before, after in both))


def _missing_results(before: Results, after: Results, pair_results: Sequence[_PairResults]) -> int:
    """The number of results in only one of the files, of cases and APIs that both files have."""
    shared_cases = before.cases.keys() & after.cases.keys()
    count = 0
    for results in pair_results:
        shared_apis = {api for _, api in results.before} & {api for _, api in results.after}
        unmatched = results.before.keys() ^ results.after.keys()
        count += sum(case in shared_cases and api in shared_apis for case, api in unmatched)
    return count
