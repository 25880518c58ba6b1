"""Which API of another framework takes the place of one, on the pages about porting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from conformance.findings.conclusions import Conclusions
from conformance.outcomes.model import Outcome
from conformance.reports.site.facts import Facts
from conformance.reports.site.port_page import Ports
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ClauseRecord, MappingRecord, ResultRecord, RunRecord, TargetRecord
from tests.findings.test_recorded_call import record
from tests.outcomes import UNSUPPORTED, raised, returned
from tests.reports.site_of import Parsed, site_of, words

TORCH, TENSORFLOW = (TargetRecord(f"{name}==1@cpu", name, "1", "cpu", "eager") for name in ("torch", "tensorflow"))
CALLS = [
    replace(record("gather_nd", params={"float32": [5, 6, 7]}, indices={"int64": [[number % 3]]}), id=f"it/{number}")
    for number in range(20)
]


def mapped(api: str, **more: str) -> MappingRecord:
    return replace(MappingRecord(TENSORFLOW.id, api, "gather_nd", False, "..."), **more)  # type: ignore[arg-type] # texts


def results_of(calls: Sequence[CaseRecord], results: list[ResultRecord], mappings: list[MappingRecord]) -> Results:
    return Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[TORCH, TENSORFLOW],
        clauses={"it": ClauseRecord("it", "gather_nd", "behaviour", "It does.", [], "it.yaml:1")},
        cases={case.id: replace(case, clause="it") for case in calls},
        mappings=mappings,
        results=results,
    )


def replacement(takes: Mapping[str, tuple[int, int]], *others: MappingRecord) -> str | None:
    """What takes the place of torch.get.

    takes: of each API of TensorFlow, how many calls it does alike, and how many not. others: mappings with more than a name.
    """

    def outcome(number: int, alike: int, other: int) -> ResultRecord:
        done = returned() if number < alike else raised() if number < alike + other else UNSUPPORTED
        verdict: Any = "unsupported" if done is UNSUPPORTED else "observed"
        return ResultRecord(f"it/{number}", TENSORFLOW.id, "", "it", done, verdict, "own")

    results = [ResultRecord(case.id, TORCH.id, "torch.get", "it", returned(), "observed", "own") for case in CALLS]
    for api, counts in takes.items():
        results += [replace(outcome(number, *counts), api=api) for number in range(len(CALLS))]
    mappings = [MappingRecord(TORCH.id, "torch.get", "gather_nd", False, "...")]
    mappings += others or [mapped(api) for api in takes]
    facts = Facts(Conclusions(results_of(CALLS, results, mappings)))
    found = Ports(facts).closest(facts.apis["torch.get"], "gather_nd", "tensorflow")
    return found.api.name if found else None


@pytest.mark.parametrize(
    ("takes", "chosen"),
    [
        ({"common": (19, 1), "rare": (20, 0)}, "common"),
        ({"common": (15, 5), "rare": (20, 0)}, "rare"),
        ({"one": (1, 0), "most": (18, 2)}, "most"),
        ({"one": (0, 0)}, None),
        ({"one": (0, 9)}, None),
    ],
)
def test_what_does_the_same_in_most_calls_takes_the_place_and_of_nearly_equal_apis_the_first_of_the_adapter(
    takes: dict[str, tuple[int, int]], chosen: str | None
) -> None:
    assert replacement(takes) == chosen


PLAIN, IN_PLACE, FORM = mapped("get"), mapped("get_", in_place="params"), mapped("get(out=)", follows="get")


@pytest.mark.parametrize("order", [*permutations([PLAIN, IN_PLACE, mapped("other")])])
def test_of_nearly_equal_apis_those_that_change_an_argument_come_last(order: tuple[MappingRecord, ...]) -> None:
    first = next(mapping.api for mapping in order if mapping.in_place is None)
    assert replacement(dict.fromkeys(["get", "get_", "other"], (20, 0)), *order) == first


def test_of_nearly_equal_apis_another_form_of_one_mapped_before_comes_after_those_that_are_none() -> None:
    takes = {"get": (10, 10), "get(out=)": (20, 0), "other": (20, 0)}
    assert replacement(takes, PLAIN, FORM, mapped("other")) == "other"
    assert replacement(takes, FORM, PLAIN, mapped("other")) == "get(out=)"


def choosing(reduce: str, number: int) -> CaseRecord:
    return replace(
        record("gather_nd", params={"float32": [5, 6, 7]}, indices={"int64": [[0]]}, reduce=reduce),
        id=f"it/{reduce}-{number}",
    )


def test_for_a_choice_that_an_api_does_not_take_another_one_takes_the_place() -> None:
    """Most calls add, so that the API that adds takes the place of one that can do more."""
    calls = [choosing("add", number) for number in range(6)] + [choosing(word, 0) for word in ("amax", "mean", "amin")]
    takes = {"tf.add": ["add"], "tf.max": ["amax", "mean"]}
    done: dict[tuple[str, str], Outcome] = {("tf.max", "mean"): raised()}
    results = [ResultRecord(case.id, TORCH.id, "torch.reduce", "it", returned(), "observed", "own") for case in calls]
    for api, taken in takes.items():
        for case in calls:
            word = str(case.call["reduce"])
            outcome = done.get((api, word), returned()) if word in taken else UNSUPPORTED
            if word != "amin" or api == "tf.max":  # which of the run left out, and of which nothing is known
                verdict: Any = "unsupported" if outcome is UNSUPPORTED else "observed"
                results.append(ResultRecord(case.id, TENSORFLOW.id, api, "it", outcome, verdict, "own"))
    mappings = [MappingRecord(TORCH.id, "torch.reduce", "gather_nd", False, "..."), *map(mapped, takes)]
    files = site_of(results_of(calls, results, mappings))
    for path in ("port/torch/tensorflow/index.html", "port/torch/tensorflow/gather_nd/index.html"):
        Parsed(files[path])
        text = words(files[path])
        assert "with reduce=amax, tf.max , the same in 1 of 1 call" in text
        assert "with reduce=mean, no API that is tested" in text
        assert "with reduce=add" not in text
        assert "with reduce=amin" not in text


def test_calls_that_one_of_two_refuses_are_none_that_both_take_and_the_page_says_under_what_condition() -> None:
    """torch counts a negative index from the end, and TensorFlow refuses it."""
    negative = replace(record("gather_nd", params={"float32": [5, 6, 7]}, indices={"int64": [[-1]]}), id="it/negative")
    calls = [*CALLS[:4], negative]
    results = [ResultRecord(case.id, TORCH.id, "torch.get", "it", returned(), "observed", "own") for case in calls]
    for case in calls:
        outcome = raised() if case is negative else returned()
        results.append(ResultRecord(case.id, TENSORFLOW.id, "get", "it", outcome, "observed", "own"))
    files = site_of(
        results_of(calls, results, [MappingRecord(TORCH.id, "torch.get", "gather_nd", False, "..."), mapped("get")])
    )
    there = words(files["port/torch/tensorflow/gather_nd/index.html"])
    assert "The same in 4 of 4 calls that both take. get refuses 1 call that torch.get takes." in there
    assert "a negative index in range 1 add the length to negative indices first" in there
    back = words(files["port/tensorflow/torch/gather_nd/index.html"])
    assert "It takes 1 call that get refuses." in back
    assert "a negative index in range 1 check bounds first" in back


def test_an_api_that_only_refuses_what_another_one_refuses_takes_no_place() -> None:
    mappings = [MappingRecord(TORCH.id, "torch.get", "gather_nd", False, "..."), mapped("get")]
    results = [ResultRecord("it/0", TORCH.id, "torch.get", "it", returned(), "observed", "own")]
    results += [ResultRecord(case.id, TORCH.id, "torch.get", "it", raised(), "observed", "own") for case in CALLS[1:]]
    results.append(ResultRecord("it/0", TENSORFLOW.id, "get", "it", UNSUPPORTED, "unsupported", "own"))
    results += [ResultRecord(case.id, TENSORFLOW.id, "get", "it", raised(), "observed", "own") for case in CALLS[1:]]
    facts = Facts(Conclusions(results_of(CALLS, results, mappings)))
    [found] = Ports(facts).replacements("torch", "tensorflow")["gather_nd"]
    assert found.alike is None


def test_an_operation_that_a_framework_has_no_tested_api_for_is_not_said_to_be_missing_in_it() -> None:
    results = [ResultRecord(case.id, TORCH.id, "torch.get", "it", returned(), "observed", "own") for case in CALLS]
    files = site_of(results_of(CALLS, results, [MappingRecord(TORCH.id, "torch.get", "gather_nd", False, "...")]))
    assert "no API of tensorflow is tested for it" in files["port/torch/tensorflow/index.html"]
    assert "No API of tensorflow was called." in files["port/tensorflow/torch/index.html"]
