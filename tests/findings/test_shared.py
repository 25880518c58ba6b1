"""What failing calls share and right ones do not, and that it makes one cause of what differs in its document alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.findings.conclusions import Conclusions
from conformance.findings.shared import Shared
from conformance.reports.document import Items, text_of
from conformance.reports.sections import all_levels, entries
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, ResultRecord, RunRecord
from tests.findings.test_findings import EAGER, result
from tests.findings.test_recorded_call import record

OPERATION = "gather_elements"
RULE = f"{OPERATION}.rule.a"
Called = tuple[Mapping[str, Any], str]
"""The arguments that differ from the usual ones, and the kinds of divergence."""


def conclusions(calls: Sequence[Called], **more: str) -> Conclusions:
    """more: by its kinds of divergence, the standing of a result."""
    cases, results = {}, []
    for number, (arguments, kinds) in enumerate(calls):
        usual: dict[str, Any] = {"input": {"int64": [[1, 2], [3, 4]]}, "dim": 0, "index": {"int64": [[0, 1]]}}
        case = replace(record(OPERATION, **{**usual, **arguments}), id=f"{RULE}/{number}", clause=RULE)
        cases[case.id] = replace(case, expectation={"returns": {}} if "accepted" not in kinds else {"raises": True})
        one = result(kinds.partition(" ")[0], clause=RULE, standing=kinds.partition(" ")[2] or "own")
        results.append(replace(one, case=case.id))
    clause = ClauseRecord(RULE, OPERATION, "rule", "It is so.", [], "it.yaml:1")
    run = RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0")
    return Conclusions(Results(run, targets=[EAGER], clauses={RULE: clause}, cases=cases, results=results))


def shared(calls: Sequence[Called]) -> Shared | None:
    found = conclusions(calls)
    failing: list[ResultRecord] = [one for finding in found.findings for one in finding.results]
    return found.shared.of(failing)


def view(kind: str = "transposed") -> Mapping[str, Any]:
    return {"input": {"int64": [[1, 2], [3, 4]], "view": kind}}


def floats(dtype: str) -> Mapping[str, Any]:
    return {"input": {dtype: [[1.0, 2.0], [3.0, 4.0]]}}


RIGHT: list[Called] = [({}, ""), ({"dim": 1, "index": {"int64": [[0], [1]]}}, ""), (floats("float32"), "")] * 10


@pytest.mark.parametrize(
    ("failing", "condition"),
    [
        ([(view(), "value"), (view("strided"), "value")] * 3, "a view"),
        ([(floats("float64"), "value")] * 4, "data in float64"),
        ([({"dim": -1}, "value")] * 4, "dim=-1"),
        ([({"index": {"int32": [[0, 1]]}}, "value")] * 4, "indices in int32"),
        ([({"index": {"int64": [[5, 1]]}}, "value")] * 4, "an index greater than the length"),
    ],
)
def test_what_all_failing_calls_have_and_no_right_one_is_named(failing: list[Called], condition: str) -> None:
    assert shared([*RIGHT, *failing]) == Shared((condition,), len(failing), 0, len(RIGHT))


def test_right_calls_that_have_it_too_are_counted() -> None:
    failing: list[Called] = [(view(), "value")] * 4
    assert shared([*RIGHT, *failing, (view(), "")]) == Shared(("a view that is transposed",), 4, 1, len(RIGHT) + 1)


def test_two_conditions_are_named_if_only_both_tell_failing_calls_from_right_ones() -> None:
    both = {**view(), "dim": -1}
    calls: list[Called] = [*RIGHT, (view(), ""), ({"dim": -1}, ""), *[(both, "value")] * 4]
    found = shared(calls)
    assert found is not None
    assert {*found.conditions} == {"dim=-1", "a view that is transposed"}
    assert found.right == 0


@pytest.mark.parametrize(
    "calls",
    [
        [*RIGHT, (view(), "value")],
        [(view(), "value")] * 4,
        [*RIGHT, (view(), "value"), (floats("float64"), "value"), ({}, "value")],
        [*RIGHT, *[({}, "value")] * 4],
    ],
    ids=["one call", "nothing right", "nothing shared", "what right calls have"],
)
def test_nothing_is_said_where_nothing_tells(calls: list[Called]) -> None:
    assert shared(calls) is None


def test_what_is_taken_is_compared_with_what_is_refused_and_not_with_valid_calls() -> None:
    outside = {"index": {"int64": [[5, 1]]}}
    failing: list[Called] = [({**outside, **view()}, "accepted")] * 4
    refused: list[Called] = [(outside, "")] * 20
    found = conclusions([*RIGHT, *refused, *failing])
    cases = {
        one.case: replace(found.results.cases[one.case], expectation={"raises": True})
        for one in found.results.results[30:]
    }
    again = Conclusions(replace(found.results, cases={**found.results.cases, **cases}))
    common = again.shared.of(again.findings[0].results)
    assert common is not None
    assert (common.conditions, common.of) == (("a view that is transposed",), 20)


def test_one_bug_is_one_cause_whichever_document_its_calls_break() -> None:
    of_views: list[Called] = [(view(), "value own")] * 4 + [(view(), "value portability")] * 9
    [cause] = conclusions([*RIGHT, *of_views]).causes
    assert [finding.sort for finding in cause.findings] == ["own", "portability"]
    of_another = conclusions([*RIGHT, *of_views[:4], *[(floats("float64"), "value portability")] * 9])
    assert len(of_another.causes) == 2
    other_kind = conclusions([*RIGHT, *of_views[:4], *[(view(), "dtype portability")] * 9])
    assert len(other_kind.causes) == 2


def test_a_cause_that_is_counted_above_is_said_to_be() -> None:
    of_views: list[Called] = [(view(), "value own")] * 4 + [(view(), "value portability")] * 9
    [_, items] = all_levels(conclusions([*RIGHT, *of_views]))
    assert isinstance(items, Items)
    assert [text_of(item.line) for item in items.items] == [
        "Breaks its own documentation: 1 cause, 1 finding",
        "Differs from another API's documentation: 1 cause, 1 finding (1 cause counted above)",
    ]


def test_an_entry_says_what_the_calls_of_its_cause_share_and_says_it_once() -> None:
    of_views: list[Called] = [(view(), "value own")] * 4 + [(view(), "value portability")] * 9
    found = conclusions([*RIGHT, *of_views])
    texts = [text_of(below) for item in entries(found.findings, found) for below in item.below]
    assert [text for text in texts if " have " in text] == [
        f"all 13 of its cause have a view that is transposed; none of {len(RIGHT)} right calls has"
    ]


def test_an_entry_of_several_apis_counts_the_calls_of_all_of_them() -> None:
    of_one = conclusions([*RIGHT, *[(view(), "value own")] * 4])
    other = [replace(one, api="torch.other") for one in of_one.results.results]
    right_in_views = conclusions([(view(), "")] * 3).results
    cases = {f"{name}/more": replace(case, id=f"{name}/more") for name, case in right_in_views.cases.items()}
    more = [replace(one, case=f"{one.case}/more", api="torch.other") for one in right_in_views.results]
    results = replace(
        of_one.results,
        cases={**of_one.results.cases, **cases},
        results=[*of_one.results.results, *other, *more],
    )
    found = Conclusions(results)
    [item] = entries([replace(finding, of=4) for finding in found.findings], found)
    said = [text_of(below) for below in item.below if " have " in text_of(below)]
    assert said == [f"all 8 have a view that is transposed; so have 3 of {2 * len(RIGHT) + 3} right calls"]


def test_what_two_calls_share_may_be_chance_where_many_conditions_were_tried() -> None:
    failing: list[Called] = [({"dim": -1}, "value")] * 2
    few, many = RIGHT, RIGHT * 4
    assert shared([*few, *failing]) is None
    assert shared([*many, *failing]) == Shared(("dim=-1",), 2, 0, len(many))
