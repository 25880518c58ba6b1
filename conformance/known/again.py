"""Matches the results of a file with ledgers again, such as after an entry was written for what the run found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from conformance.cases.facts import CaseFacts
from conformance.known.counts import unexpected
from conformance.known.ledger import Ledger
from conformance.known.model import KnownDivergences
from conformance.results.file import Results
from conformance.results.records import EndRecord, PatternCountRecord, ResultRecord, TargetRecord


def known_again(
    results: Results, ledger_of: Callable[[TargetRecord], KnownDivergences], cases: Sequence[CaseFacts]
) -> Results:
    """The results with the ids that the ledgers of their targets give them, and what did not happen as recorded.

    cases: those of the specs, whether or not they were run.
    """
    known = {target.id: ledger_of(target) for target in results.targets}
    ledgers = {
        target.id: Ledger(known[target.id], target, cases, results.mappings)
        for target in results.targets
        if target.blocked is None
    }
    matched = [_matched(result, ledgers.get(result.target), results) for result in results.results]
    shown = {(result.target, result.smallest, result.api): result.known for result in matched if result.smallest}
    final = [_of_program(result, shown) for result in matched]
    for result in final:
        if result.target in ledgers:
            ledgers[result.target].note(result)
    return replace(
        results,
        results=final,
        known={
            (record.framework, record.id): record
            for target in results.targets
            for record in known[target.id].records(target.framework)
        },
        end=_end(results, [count for ledger in ledgers.values() for count in ledger.pattern_counts()]),
    )


def _matched(result: ResultRecord, ledger: Ledger | None, results: Results) -> ResultRecord:
    if ledger is None:
        return result
    smallest = results.cases[result.smallest] if result.smallest is not None else None
    return ledger.known(replace(result, known=None, elsewhere=None), smallest)


def _of_program(result: ResultRecord, shown: Mapping[tuple[str, str, str], str | None]) -> ResultRecord:
    """The result of the smallest program is known by the entry of those that it stands for."""
    return replace(result, known=shown.get((result.target, result.case, result.api), result.known))


def _end(results: Results, counts: list[PatternCountRecord]) -> EndRecord | None:
    """Of a shard, with the counts of each pattern; of a whole run, with what they show."""
    if results.end is None:
        return None
    if results.run.shard is not None:
        return replace(results.end, pattern_counts=counts)
    return replace(results.end, unexpected=unexpected(counts))
