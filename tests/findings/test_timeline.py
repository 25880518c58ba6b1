"""What changed from version to version."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.findings.behaviour import behaviour_text, contrasted, is_same_behaviour
from conformance.findings.timeline import Step, Timeline, timelines
from conformance.judging.vocabulary import Determinism
from conformance.matrix.merging import merged
from conformance.matrix.parts import Part
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import MappingRecord
from tests.matrix.small import API, CASES, CLAUSES, blocked, name, result, returned, run
from tests.outcomes import ABORT, SEGFAULT, UNSUPPORTED, raised

ONE, TWO, THREE = CASES


def timeline(*runs: Results) -> Timeline:
    [found] = timelines(merged([Part(str(number), one) for number, one in enumerate(runs)], "a test").results)
    return found


def told(step: Step) -> list[tuple[str | None, str, str, list[str]]]:
    return [(one.clause, one.was, one.now, [after.case for _, after in one.cases]) for one in step.changes]


def test_a_behaviour_that_became_another_is_a_change_also_where_both_versions_pass() -> None:
    [step] = timeline(run(), run({TWO: raised(), THREE: raised()}, "2.0")).steps
    assert (step.before.id, step.after.id) == (name("1.0"), name("2.0"))
    assert told(step) == [(CLAUSES[1], "returns", "raises IndexError", [TWO, THREE])]
    assert (step.same, step.not_comparable) == (1, 0)


def test_versions_are_ordered_as_versions_and_not_as_they_were_run() -> None:
    found = timeline(run(version="2.13.0"), run({ONE: raised()}, "2.1.2"), run(version="2.9.0"))
    assert [target.version for target in found.targets] == ["2.1.2", "2.9.0", "2.13.0"]
    assert [len(step.changes) for step in found.steps] == [1, 0]


def test_a_row_tells_for_each_version_what_it_does_and_from_when_on() -> None:
    found = timeline(run(), run(version="1.1"), run({TWO: raised()}, "2.0"))
    row = found.rows[1]
    assert (row.clause, row.api) == (CLAUSES[1], API)
    cells = [cell for cell in row.cells if cell]
    assert [cell.state for cell in cells] == [0, 0, 1]
    assert [dict(cell.words) for cell in cells][1:] == [{"returns": 2}, {"raises IndexError": 1, "returns": 1}]


@pytest.mark.parametrize("outcome", [UNSUPPORTED, raised()])
def test_a_call_that_tells_nothing_is_no_change_and_does_not_hide_one(outcome: Outcome) -> None:
    middle = run({TWO: outcome}, "2.0")
    middle.results[:] = [replace(one, verdict="blocked") if one.case == TWO else one for one in middle.results]
    first, last = timeline(run(), middle, run({TWO: raised()}, "3.0")).steps
    assert (told(first), first.same, first.not_comparable) == ([], 2, 1)
    assert told(last) == [(CLAUSES[1], "returns", "raises IndexError", [TWO])]


def test_a_version_that_did_not_start_has_its_place_and_no_step() -> None:
    found = timeline(run(), run(records=[blocked("1.5")]), run(version="2.0"))
    assert [target.blocked is None for target in found.targets] == [True, False, True]
    assert [cell is None for cell in found.rows[0].cells] == [False, True, False]
    assert [step.after.id for step in found.steps] == [name("2.0")]


def test_an_api_that_is_new_or_gone_is_a_change_of_its_own_kind() -> None:
    newer = run(version="2.0")
    newer.mappings[:] = [replace(newer.mappings[0], api="mine.take")]
    newer.results[:] = [replace(one, api="mine.take") for one in newer.results]
    [step] = timeline(run(), newer).steps
    assert [(one.kind, one.api, one.clause) for one in step.changes] == [
        ("new", "mine.take", None),
        ("gone", API, None),
    ]
    assert (step.same, step.not_comparable) == (0, 3)


def test_calls_whose_indices_were_cast_in_one_version_only_are_not_compared() -> None:
    cast = run({ONE: returned([7])}, "2.0")
    cast.results[:] = [replace(one, cast={"indices": "int64"}) if one.case == ONE else one for one in cast.results]
    [step] = timeline(run(), cast).steps
    assert (told(step), step.not_comparable) == ([], 1)


def test_one_version_alone_has_no_timeline() -> None:
    assert timelines(run()) == []


def test_modes_of_a_framework_have_timelines_of_their_own() -> None:
    compiled = run(version="2.0")
    compiled.targets[:] = [replace(one, mode="compile") for one in compiled.targets]
    both = merged([Part("1", run()), Part("2", compiled)], "a test").results
    assert timelines(both) == []
    both.mappings.append(MappingRecord("torch", "torch.gather", "gather_nd", composed=False, source=""))
    assert timelines(both) == []


NAN: dict[str, Any] = {"values": ["nan"]}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (returned(), returned(), True),
        (returned([1]), returned([2]), False),
        (returned([1]), returned([1], "int64"), False),
        (returned(digest="a", **NAN), returned(digest="b", **NAN), True),
        (raised("IndexError"), raised("IndexError"), True),
        (raised("IndexError"), raised("ValueError"), False),
        (raised("TypeError"), raised("TypeError", phase="arguments"), False),
        (ABORT, SEGFAULT, False),
    ],
)
def test_the_same_is_what_is_done_and_not_what_is_said(one: Outcome, other: Outcome, *, same: bool) -> None:
    before, after = result(ONE, one), result(ONE, other)
    assert is_same_behaviour(before, after) == same
    if not same:
        was, now = contrasted(before, after)
        assert was != now


def test_a_verdict_that_changed_with_what_a_document_says_is_no_change() -> None:
    assert is_same_behaviour(result(ONE, returned()), result(ONE, returned(), verdict="diverges", divergence=["value"]))


def test_elements_that_vary_from_call_to_call_are_not_compared() -> None:
    varies = Determinism(4, 3, "varies", True)
    before, after = result(ONE, returned([1]), determinism=varies), result(ONE, returned([2]), determinism=varies)
    assert is_same_behaviour(before, after)
    assert not is_same_behaviour(before, result(ONE, returned([1], "int64"), determinism=varies))


def test_the_words_are_those_of_the_behaviour() -> None:
    assert behaviour_text(result(ONE, returned(), behaviour="clamps")) == "clamps"
    assert behaviour_text(result(ONE, returned(), divergence=["input-changed"])) == "returns, input-changed"
    assert (
        behaviour_text(result(ONE, raised("TypeError", phase="arguments"))) == "cannot create the arguments (TypeError)"
    )
    assert contrasted(result(ONE, returned([1])), result(ONE, returned([2]))) == (
        "returns",
        "returns with other elements",
    )
