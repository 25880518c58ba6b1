"""Counts of known divergences, summed over the shards of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.known.counts import summed, unexpected
from conformance.known.ledger import Ledger
from conformance.results.records import PatternCountRecord, ResultRecord, TargetRecord
from tests.known.small import TARGET, known_divergences, ledger, result

FIRST, SECOND = result("rank/first", "accepted"), result("rank/second", "accepted")


def part(of: Ledger, *results: ResultRecord) -> list[PatternCountRecord]:
    for one in results:
        of.note(of.known(one))
    return of.pattern_counts()


def judged(folder: Path, *parts: list[ResultRecord]) -> list[str]:
    """What is stale of several parts, each of which saw some results."""
    pattern_counts = [
        pattern_count for results in parts for pattern_count in part(ledger(known_divergences(folder)), *results)
    ]
    return [record.how for record in unexpected(summed(pattern_counts))]


def test_an_entry_that_happened_in_one_part_is_not_gone_in_whichever_that_was(tmp_path: Path) -> None:
    right = result("rank/first")
    assert judged(tmp_path, [right], [SECOND]) == []
    assert judged(tmp_path, [SECOND], [right]) == []


def test_an_entry_is_gone_once_all_its_cases_were_run_in_some_part_and_none_came_out_so(tmp_path: Path) -> None:
    first, second = result("rank/first"), result("rank/second")
    assert judged(tmp_path, [first]) == []
    assert judged(tmp_path, [first], [second]) == ["passed"]


def test_an_entry_is_gone_without_calls_that_the_mode_cannot_make(tmp_path: Path) -> None:
    eager, compiled = TARGET, replace(TARGET, mode="compile", passes=["constants"])
    both = result("rank/first"), result("rank/second")

    def told(target: TargetRecord, *results: ResultRecord) -> list[str]:
        of = ledger(known_divergences(tmp_path), target)
        return [record.how for record in unexpected(part(of, *results))]

    assert told(eager, *both) == ["passed"]
    assert told(compiled, *both) == []
    assert told(compiled, *both, result("rank/first.constant.index")) == ["passed"]


def test_an_entry_about_a_function_that_the_version_lacks_is_not_gone(tmp_path: Path) -> None:
    first, second = (result(case, verdict="unsupported") for case in ("rank/first", "rank/second"))
    assert judged(tmp_path, [first, second]) == []
    assert judged(tmp_path, [first], [second]) == []
    assert judged(tmp_path, [first], [result("rank/second")]) == ["passed"]


def test_what_happened_otherwise_is_told_by_the_first_case_and_counted_over_all_parts(tmp_path: Path) -> None:
    first, second = result("rank/first", "value"), result("rank/second", "value")
    parts = [part(ledger(known_divergences(tmp_path)), one) for one in (second, first)]
    [told] = unexpected(summed([*parts[0], *parts[1]]))
    whole = ledger(known_divergences(tmp_path))
    part(whole, first, second)
    assert [told] == whole.unexpected()
    assert "value in gather_elements.rule.rank/first and 1 more; recorded is accepted" in told.says
