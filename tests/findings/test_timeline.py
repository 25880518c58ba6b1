"""What changed from version to version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from pydantic import TypeAdapter

from conformance.findings.timeline import MappedApi, Step, Timeline, timelines
from conformance.judging.vocabulary import Determinism
from conformance.matrix.merging import merged
from conformance.matrix.parts import Part
from conformance.outcomes.model import Outcome
from conformance.results.codec import encoded
from conformance.results.file import Results, read_results, record_line
from conformance.results.records import MappingRecord, ResultRecord
from tests.findings.generated import TARGETS, results
from tests.findings.naive.compare import naive_steps
from tests.findings.published import lines_about
from tests.matrix.small import API, CASES, blocked, name, returned, run
from tests.outcomes import ABORT, UNSUPPORTED, raised

OPERATION, FRAMEWORKS = "gather_elements", ("torch", "openvino")
"""Of the published results, which have several versions of eight frameworks."""
ONE, TWO, THREE = CASES


def timeline(*runs: Results) -> Timeline:
    [found] = timelines(merged([Part(str(number), one) for number, one in enumerate(runs)], "a test").results)
    return found


def told(step: Step) -> list[tuple[str, str, list[str]]]:
    return [(change.was, change.now, list(change.cases)) for change in step.changes]


def with_fields(results: Results, case: str, **fields: Any) -> Results:
    results.results[:] = [replace(one, **fields) if one.case == case else one for one in results.results]
    return results


def test_a_behaviour_that_became_another_is_a_change_also_if_both_versions_pass() -> None:
    [step] = timeline(run(), run({TWO: raised(), THREE: raised()}, "2.0")).steps
    assert (step.first, step.second) == (name("1.0"), name("2.0"))
    [change] = step.changes
    assert (change.first, change.second, change.api) == (name("1.0"), name("2.0"), API)
    assert told(step) == [("returns", "raises IndexError", [TWO, THREE])]
    assert (change.same, change.not_comparable, change.varies) == (1, 0, 0)
    assert (step.changed, step.same, step.not_comparable) == (2, 1, {})


def test_versions_are_ordered_as_versions_and_not_as_they_were_run() -> None:
    found = timeline(run(version="2.13.0"), run({ONE: raised()}, "2.1.2"), run(version="2.9.0"))
    assert [version.version for version in found.versions] == ["2.1.2", "2.9.0", "2.13.0"]
    assert [len(step.changes) for step in found.steps] == [1, 0]


@pytest.mark.parametrize(
    ("outcome", "verdict", "why"),
    [
        (UNSUPPORTED, "unsupported", "unsupported"),
        (raised(), "blocked", "blocked"),
        (raised("TypeError", phase="arguments"), "unsupported", "arguments"),
    ],
)
def test_a_call_that_tells_nothing_is_no_change_and_does_not_hide_one(outcome: Outcome, verdict: str, why: str) -> None:
    middle = with_fields(run({TWO: outcome}, "2.0"), TWO, verdict=verdict)
    first, last = timeline(run(), middle, run({TWO: raised()}, "3.0")).steps
    assert (told(first), first.same, first.not_comparable) == ([], 2, {why: 1})
    assert told(last) == [("returns", "raises IndexError", [TWO])]


def test_a_change_names_the_last_version_that_made_the_call() -> None:
    without = run(version="2.0", cases=(0, 2))
    first, last = timeline(run(), without, run({TWO: raised()}, "3.0")).steps
    assert (first.changes, first.not_comparable) == ((), {"one only": 1})
    [change] = last.changes
    assert (change.first, change.second) == (name("1.0"), name("3.0"))


def test_a_version_that_did_not_start_has_its_place_and_no_step() -> None:
    found = timeline(run(), run(records=[blocked("1.5")]), run(version="2.0"))
    assert [version.blocked is None for version in found.versions] == [True, False, True]
    assert [step.second for step in found.steps] == [name("2.0")]


def test_an_api_that_is_new_or_gone_is_named_and_its_calls_are_not_compared() -> None:
    newer = run(version="2.0")
    newer.mappings[:] = [replace(newer.mappings[0], api="mine.take")]
    newer.results[:] = [replace(one, api="mine.take") for one in newer.results]
    [step] = timeline(run(), newer).steps
    assert (step.new, step.gone) == ((MappedApi("gather_nd", "mine.take"),), (MappedApi("gather_nd", API),))
    assert (step.changes, step.same, step.not_comparable) == ((), 0, {"one only": 6})


def test_calls_whose_indices_were_cast_in_one_version_only_are_not_compared() -> None:
    cast = with_fields(run({ONE: returned([7])}, "2.0"), ONE, cast={"indices": "int64"})
    [step] = timeline(run(), cast).steps
    assert (told(step), step.not_comparable) == ([], {"cast": 1})


@pytest.mark.parametrize("varying", ["1.0", "2.0", "3.0"])
def test_elements_that_vary_in_any_version_are_no_change_in_another(varying: str) -> None:
    determinism = Determinism(4, 3, "varies", permitted=True)
    runs = [run(), run({ONE: returned([1, 7])}, "2.0"), run({ONE: returned([1, 8])}, "3.0")]
    runs = [
        with_fields(each, ONE, determinism=determinism) if each.targets[0].version == varying else each for each in runs
    ]
    steps = timeline(*runs).steps
    assert [(told(step), step.not_comparable) for step in steps] == [([], {"varies": 1})] * 2


def test_a_flaky_result_is_no_change_whatever_it_was() -> None:
    flaky = with_fields(run({ONE: raised()}, "2.0"), ONE, verdict="diverges", divergence=["unstable"])
    first, last = timeline(run(), flaky, run(version="3.0")).steps
    assert (told(first), first.not_comparable) == ([], {"varies": 1})
    assert (told(last), last.same) == ([], 3)


def test_a_death_is_no_change_of_elements() -> None:
    died = with_fields(run({ONE: ABORT}), ONE, verdict="died", divergence=["contaminated"])
    [step] = timeline(died, with_fields(run({ONE: ABORT}, "2.0"), ONE, verdict="died")).steps
    assert (told(step), step.not_comparable) == ([], {"varies": 1})
    [step] = timeline(run({ONE: ABORT}), run({ONE: ABORT}, "2.0")).steps
    assert (told(step), step.same) == ([], 3)


def test_deaths_come_first_and_an_error_instead_of_another_last() -> None:
    before = run({ONE: raised("TypeError")})
    [step] = timeline(before, run({ONE: raised(), TWO: raised(), THREE: ABORT}, "2.0")).steps
    assert [change.statuses for change in step.changes] == [
        ("returned", "died"), ("returned", "raised"), ("raised", "raised"),
    ]  # fmt: skip


def test_one_version_alone_has_no_timeline() -> None:
    assert timelines(run()) == []


def test_modes_of_a_framework_have_timelines_of_their_own() -> None:
    compiled = run(version="2.0")
    compiled.targets[:] = [replace(one, mode="compile") for one in compiled.targets]
    both = merged([Part("1", run()), Part("2", compiled)], "a test").results
    assert timelines(both) == []
    both.mappings.append(MappingRecord("torch", "torch.gather", "gather_nd", composed=False, source=""))
    assert timelines(both) == []


def test_what_programs_get_is_read_as_the_same_timelines() -> None:
    found = [timeline(run(), run(records=[blocked("1.5")]), run({ONE: ABORT, TWO: UNSUPPORTED}, "2.0"))]
    assert TypeAdapter(list[Timeline]).validate_json(encoded(found)) == found


def agrees(found: Timeline, lines: Sequence[str]) -> None:
    """Whether a timeline states what a naive comparison of the lines finds."""
    started = [version.target for version in found.versions if version.blocked is None]
    for step, naive in zip(found.steps, naive_steps(lines, started), strict=True):
        stated = [(change.first, case, change.api) for change in step.changes for case in change.cases]
        assert len(stated) == len({*stated})
        assert {*stated} == naive.changed
        assert (step.same, Counter(dict(step.not_comparable))) == (naive.same, naive.why)
        assert all(change.was != change.now for change in step.changes)


@settings(max_examples=200, deadline=None)
@given(results())
def test_every_change_and_number_is_what_a_naive_comparison_finds(made: Results) -> None:
    [found] = timelines(made)
    assert [version.target for version in found.versions] == list(TARGETS)
    agrees(found, [record_line(result) for result in made.results])


def test_every_change_of_the_published_results_is_what_a_naive_comparison_finds(tmp_path: Path) -> None:
    text = lines_about([OPERATION], FRAMEWORKS)
    (tmp_path / "results.jsonl").write_text("".join(text), encoding="utf-8")
    found = timelines(read_results(tmp_path))
    assert sum(step.changed for each in found for step in each.steps) > 50
    for each in found:
        agrees(each, text)


def test_the_naive_comparison_tells_a_change_from_what_varies() -> None:
    """So that the two can not agree because both find nothing."""
    made = [ResultRecord("a/1", target, API, "a", returned([int(target)]), "observed", "own") for target in "123"]
    lines = list(map(record_line, [*made[:2], replace(made[2], divergence=["unstable"])]))
    [first, second] = naive_steps(lines, ["1", "2", "3"])
    assert (first.changed, first.why) == (set(), Counter({"varies": 1}))
    assert naive_steps(lines[:2], ["1", "2"])[0].changed == {("1", "a/1", API)}
    assert second.why == Counter({"varies": 1})
