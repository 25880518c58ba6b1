"""Results that are matched with ledgers again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.known.again import known_again
from conformance.known.model import KnownDivergences
from conformance.results.file import Results
from conformance.results.records import EndRecord, ResultRecord
from tests.known.small import CASES, TARGET, entry, known_divergences, result, results

ACCEPTED = result("rank/first", "accepted")


def again(of: KnownDivergences, *written: ResultRecord) -> Results:
    run = replace(results(*written), end=EndRecord(complete=True, counts={}))
    return known_again(run, lambda _: of, CASES)


def test_a_result_is_known_by_an_entry_that_was_written_later(tmp_path: Path) -> None:
    matched = again(known_divergences(tmp_path), ACCEPTED)
    assert [each.known for each in matched.results] == ["rank"]
    assert list(matched.known) == [(TARGET.framework, "rank")]


def test_a_result_is_no_longer_known_by_an_entry_that_went(tmp_path: Path) -> None:
    known = replace(ACCEPTED, known="went", elsewhere="went too")
    matched = again(known_divergences(tmp_path, entry(when="{mode: compile}")), known)
    assert [(each.known, each.elsewhere) for each in matched.results] == [(None, "rank")]
    assert [(each.known, each.elsewhere) for each in again(KnownDivergences(), known).results] == [(None, None)]


def test_what_did_not_happen_as_recorded_is_counted_anew(tmp_path: Path) -> None:
    of = known_divergences(tmp_path)
    passes = again(of, result("rank/first"), result("rank/second"))
    assert passes.end is not None
    assert [each.how for each in passes.end.unexpected] == ["passed"]
    both = again(of, ACCEPTED, result("rank/second", "accepted"))
    assert both.end is not None
    assert both.end.unexpected == []
    nothing = again(KnownDivergences(), result("rank/first"))
    assert nothing.end is not None
    assert nothing.end.unexpected == []


def test_a_shard_keeps_its_counts_for_the_whole_run(tmp_path: Path) -> None:
    run = replace(results(ACCEPTED), end=EndRecord(complete=True, counts={}))
    shard = replace(run, run=replace(run.run, shard="1/2"))
    end = known_again(shard, lambda _: known_divergences(tmp_path), CASES).end
    assert end is not None
    assert [(count.entry, count.as_recorded) for count in end.pattern_counts] == [("rank", 1)]


def test_results_of_a_target_that_did_not_start_are_left_alone(tmp_path: Path) -> None:
    run = replace(results(), targets=[replace(TARGET, blocked="it is not installed")])
    assert known_again(run, lambda _: known_divergences(tmp_path), CASES).results == []
