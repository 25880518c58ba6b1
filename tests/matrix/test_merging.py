"""Results files of several jobs as one run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.matrix.merging import merged
from conformance.matrix.parts import Merged, MergeError, Part
from conformance.results.exit_status import BLOCKED, INTERRUPTED, OK, exit_status
from conformance.results.file import Results
from conformance.results.records import ClaimRecord, ExampleRecord
from tests.matrix.small import CASES, CLAUSES, blocked, case, name, run, target
from tests.outcomes import raised

LATER = "2026-01-02T00:00:00Z"


def together(*runs: Results) -> Merged:
    return merged([Part(f"job{number}", one) for number, one in enumerate(runs, 1)], "conformance report job*")


def statuses(of: Merged) -> list[str]:
    return [result.outcome.status for result in of.results.results]


def test_runs_of_two_versions_are_one_run_of_both() -> None:
    whole = together(run(version="1.0"), run(version="2.0"))
    assert [one.id for one in whole.results.targets] == [name("1.0"), name("2.0")]
    assert whole.results.run.targets == ["mine==1.0", "mine==2.0"]
    assert (whole.results.complete, whole.remarks) == (True, [])
    assert whole.results.end is not None
    assert whole.results.end.counts == {"conforms": 6}
    assert exit_status(whole.results, "own") == OK


def test_of_two_runs_of_the_same_thing_the_later_one_counts_and_that_is_said() -> None:
    later = run({CASES[0]: raised()}, started=LATER)
    for runs in ((run(), later), (later, run())):
        whole = together(*runs)
        assert statuses(whole) == ["raised", "returned", "returned"]
        [remark] = whole.remarks
        assert "mine==1.0 is in job" in remark
        assert "which is later" in remark


@pytest.mark.parametrize("cases", [(0, 1), (0, 1, 2)])
def test_a_complete_run_counts_before_a_later_one_that_is_not(cases: tuple[int, ...]) -> None:
    whole = together(run(), run({CASES[0]: raised()}, cases=cases, complete=False, started=LATER))
    assert statuses(whole) == ["returned"] * 3
    assert "which is complete" in whole.remarks[0]
    assert whole.results.complete


def test_a_target_that_did_not_start_is_forgotten_once_it_did() -> None:
    whole = together(run(records=[blocked("1.0")]), run(started=LATER))
    assert [one.blocked for one in whole.results.targets] == [None]
    assert exit_status(whole.results, "own") == OK


def test_a_target_that_never_started_stays() -> None:
    whole = together(run(version="2.0"), run(records=[blocked("1.0")]))
    assert exit_status(whole.results, "own") == BLOCKED


def test_runs_of_other_cases_complete_each_other() -> None:
    whole = together(run(cases=(2,)), run(cases=(0, 1)))
    assert [one.case for one in whole.results.results] == list(CASES)
    assert whole.results.targets == [target(seconds=3.0)]
    assert not whole.remarks


def test_an_example_that_several_parts_have_run_is_one() -> None:
    first, second = (
        ExampleRecord(name("1.0"), "mine.gather", place, "kklmnopq", ["mine.gather"], "agrees")
        for place in ("example 1", "example 2")
    )
    part, other = run(cases=(0,)), run(cases=(1, 2))
    whole = together(replace(part, examples=[first]), replace(other, examples=[first, second]))
    assert whole.results.examples == [first, second]


def test_runs_that_share_only_some_of_their_cases_are_refused() -> None:
    with pytest.raises(MergeError, match=r"job1 and job2 overlap in 1 cases of mine==1\.0"):
        together(run(cases=(0, 1)), run(cases=(1, 2)))


@pytest.mark.parametrize(
    ("about", "word"),
    [
        ({"seed": 1}, "seed"),
        ({"spec_digest": "other"}, "digest of the specs"),
        ({"suite_version": "9"}, "suite version"),
    ],
)
def test_runs_of_different_things_are_refused_with_what_differs(about: dict[str, Any], word: str) -> None:
    with pytest.raises(MergeError, match=f"job1 and job2 differ in the {word} "):
        together(run(), run(version="2.0", **about))


def test_runs_of_one_epoch_are_merged_whatever_the_version_and_the_text_of_the_specs() -> None:
    later: dict[str, Any] = {"suite_version": "9", "spec_digest": "other", "started": LATER, "epoch": 3}
    first, second = run(epoch=3), run(version="2.0", **later)
    clause = replace(second.clauses[CLAUSES[0]], states="Says it in other words.")
    second = replace(second, clauses={**second.clauses, clause.id: clause})
    for runs in ((first, second), (second, first)):
        merged_run = together(*runs).results
        assert len(merged_run.results) == 6
        assert (merged_run.run.epoch, merged_run.run.suite_version, merged_run.run.spec_digest) == (3, "9", "other")
        assert merged_run.clauses[clause.id].states == "Says it in other words."


def test_of_a_claim_whose_words_changed_within_an_epoch_the_later_words_stay() -> None:
    first, second = (
        replace(
            run(version=version, epoch=1, started=started), claims=[ClaimRecord("d", "D", "note", says, official=True)]
        )
        for version, started, says in (("1.0", "2026-01-01T00:00:00Z", "It adds."), ("2.0", LATER, "It adds up."))
    )
    for runs in ((first, second), (second, first)):
        assert [claim.says for claim in together(*runs).results.claims] == ["It adds up."]


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        ({"epoch": 1}, {"epoch": 2}, "epoch of the specs "),
        ({"epoch": 1}, {"epoch": 1, "seed": 1}, "seed "),
        ({"epoch": 1, "spec_digest": "other"}, {}, "digest of the specs "),
        ({"epoch": 1, "shard": "1/2"}, {"epoch": 1, "shard": "2/2", "suite_version": "9"}, "suite version "),
    ],
)
def test_runs_of_different_epochs_are_refused_and_so_are_shards_of_different_specs(
    first: dict[str, Any], second: dict[str, Any], word: str
) -> None:
    with pytest.raises(MergeError, match=f"job1 and job2 differ in the {word}"):
        together(run(**first), run(version="2.0", **second))


def test_a_case_that_changed_within_an_epoch_is_refused() -> None:
    second = run(version="2.0", epoch=1)
    second = replace(second, cases={**second.cases, CASES[0]: case(0, "changed")})
    with pytest.raises(MergeError, match=f"case {CASES[0]} has different calls"):
        together(run(epoch=1), second)


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("os", "Linux", "Darwin"), ("arch", "x86_64", "arm64"), ("gpu_name", "H100", "A100"), ("gpu_driver", "1", "2")],
)
def test_results_of_one_kind_of_machine_never_replace_those_of_another(name: str, first: str, second: str) -> None:
    with pytest.raises(MergeError) as refused:
        together(run(records=[target(**{name: first})]), run(records=[target(**{name: second})]))
    message = str(refused.value)
    assert f"{name} is {first!r} in job1 and {second!r} in job2" in message
    assert "compare them with `conformance diff`" in message


def test_the_features_of_the_processor_may_differ_between_shards() -> None:
    records = [[target(cpu=["AVX2"])], [target(cpu=["AVX2", "AVX512F"])]]
    shards = [
        run(records=each, cases=cases, shard=shard)
        for each, cases, shard in zip(records, ((0, 1), (2,)), ("1/2", "2/2"), strict=True)
    ]
    assert together(*shards).results.complete


@pytest.mark.parametrize(
    ("of_first", "of_second", "field", "first", "second"),
    [
        ({"packages": {"mine": "1.0", "blas": "3"}}, {"packages": {"mine": "1.0", "blas": "4"}}, "packages", "3", "4"),
        ({"packages": {"blas": "3"}}, {}, "packages", "3", "None"),
        ({"numpy": "1.26.4"}, {"numpy": "2.0.0"}, "numpy", "1.26.4", "2.0.0"),
        ({"python": "3.11.2"}, {"python": "3.12.0"}, "python", "3.11.2", "3.12.0"),
        ({"os": "Linux"}, {"os": "Darwin"}, "os", "Linux", "Darwin"),
        ({"arch": "x86_64"}, {"arch": "arm64"}, "arch", "x86_64", "arm64"),
        ({"gpu_name": "H100"}, {"gpu_name": "A100"}, "gpu_name", "H100", "A100"),
        ({"gpu_driver": "550.1"}, {"gpu_driver": "560.2"}, "gpu_driver", "550.1", "560.2"),
        ({"sources": "abc"}, {"sources": "def"}, "sources", "abc", "def"),
        ({"variables": {"X": "1"}}, {"variables": {"X": "0"}}, "variables", "1", "0"),
        ({"sentences": {"mine.f": ["h"]}}, {"sentences": {"mine.f": ["g"]}}, "sentences", "h", "g"),
    ],
)
def test_shards_whose_targets_differ_are_refused_with_target_field_both_values_and_what_to_do(
    of_first: dict[str, Any], of_second: dict[str, Any], field: str, first: str, second: str
) -> None:
    shards = [
        run(records=[target(**more)], cases=cases, shard=shard)
        for more, cases, shard in ((of_first, (0, 1), "1/2"), (of_second, (2,), "2/2"))
    ]
    with pytest.raises(MergeError) as refused:
        together(*shards)
    message = str(refused.value)
    assert f"job1 and job2 have different targets mine==1.0@cpu: {field}" in message
    values = message.partition(field)[2]
    assert first in values.partition(" in job1")[0]
    assert second in values.partition(" and ")[2].partition(" in job2")[0]
    assert "run both again in the same environment, or merge only one" in message


def test_shards_may_differ_in_how_long_they_took_and_in_how_many_cases_they_left_out() -> None:
    other: dict[str, Any] = {
        "seconds": 9.0,
        "memory": 7,
        "imports": 1,
        "forks": 3,
        "left_out": {"draws": 2},
        "asked": "mine",
    }
    assert together(run(cases=(0, 1)), run(records=[target(**other)], cases=(2,))).results.complete


def test_of_many_missing_shards_ten_are_named() -> None:
    end = together(run(shard="2/1000000")).results.end
    assert end is not None
    named = ", ".join(f"{number}/1000000" for number in (1, *range(3, 12)))
    assert end.reason == f"mine==1.0: missing shards {named} and 999989 more"


def test_a_case_that_is_another_call_in_each_is_refused() -> None:
    other = run(version="2.0")
    other.cases[CASES[0]] = case(0, "other")
    with pytest.raises(MergeError, match=f"case {CASES[0]} has different calls in job2 and job1"):
        together(run(), other)


def test_what_was_interrupted_leaves_the_whole_incomplete_and_is_named() -> None:
    whole = together(run(), run(version="2.0", complete=False)).results
    assert whole.end is not None
    assert whole.end.reason == "the run in job2 is incomplete"
    assert exit_status(whole, "own") == INTERRUPTED


def test_a_target_of_which_nothing_is_there_leaves_the_whole_incomplete() -> None:
    broken = replace(run(version="2.0", records=[], complete=False).run, targets=["mine==2.0"])
    whole = together(run(), replace(run(records=[]), run=broken)).results
    assert whole.end is not None
    assert whole.end.reason == "mine==2.0 was not started"
