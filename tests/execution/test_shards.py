"""A run in shards is the same run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.cases.shards import Shard, parse_shard
from conformance.cases.variation import Drawn
from conformance.matrix.merging import merged
from conformance.matrix.parts import Part
from conformance.results.file import Results
from tests.execution.sharded import carried_out, cases, plan, without_times

THREE = [Shard(number, 3) for number in (1, 2, 3)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("whole")
    return carried_out(plan(), folder)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Results]:
    folders = [tmp_path_factory.mktemp(f"shard{shard.number}") for shard in THREE]
    return [carried_out(plan(shard), folder) for folder, shard in zip(folders, THREE, strict=True)]


def together(parts: list[Results]) -> Results:
    return merged([Part(f"part {number}", one) for number, one in enumerate(parts)], "a test").results


def unexpected(results: Results) -> list[str]:
    return [record.entry for record in results.end.unexpected] if results.end else []


def test_every_case_is_in_exactly_one_shard() -> None:
    assert all(sum(shard.holds(case) for shard in THREE) == 1 for case in cases())
    assert all(any(shard.holds(case) for case in cases()) for shard in THREE)


def test_the_draws_of_one_clause_are_in_one_shard() -> None:
    drawn = next(case for case in cases() if isinstance(case.variation, Drawn))
    draws = [replace(drawn, id=f"{drawn.clause.id}/draw.{number}") for number in range(50)]
    assert all(sum(map(shard.holds, draws)) in (0, 50) for shard in THREE)


@pytest.mark.parametrize(
    ("text", "why"), [("2", "invalid shard"), ("0/3", "between 1 and 3"), ("4/3", "between 1 and 3")]
)
def test_what_is_no_shard_is_told_with_what_would_be_one(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_shard(text)


def test_the_shards_together_are_the_whole_run_but_for_times(whole: Results, parts: list[Results]) -> None:
    assert any("/found." in case for case in whole.cases), "the test needs counterexamples"
    assert without_times(together(parts)) == without_times(whole)


def test_the_order_in_which_shards_are_put_together_makes_no_difference(parts: list[Results]) -> None:
    assert without_times(together(parts[::-1])) == without_times(together(parts))


def test_a_shard_alone_calls_no_entry_of_a_ledger_stale(whole: Results, parts: list[Results]) -> None:
    assert unexpected(whole) == ["never-happens", "happens-otherwise"]
    assert [unexpected(part) for part in parts] == [[], [], []]


def test_a_shard_that_is_missing_makes_the_whole_incomplete_and_is_named(parts: list[Results]) -> None:
    without = together([parts[0], parts[2]])
    assert not without.complete
    assert without.end is not None
    assert without.end.reason == "wrong_on_draws: missing shards 2/3"
    assert "never-happens" not in unexpected(without), "its cases were not all run"
