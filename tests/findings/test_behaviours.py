"""What each framework does in each situation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from conformance.findings.behaviours import Behaviour
from conformance.findings.conclusions import Conclusions
from conformance.findings.verbs import VERBS
from conformance.outcomes.model import Died, Outcome, Returned
from conformance.results.file import Results, read_results, record_line
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClaimRecord,
    ClauseRecord,
    ControlRecord,
    DocumentRecord,
    DtypeClaimRecord,
    KnownRecord,
    MappingRecord,
    Record,
    ResultRecord,
    RunRecord,
    TargetRecord,
)
from conformance.results.variations import InDtypeRecord, InProgramRecord
from conformance.specification.literals import Tensor, written_form
from tests.findings.generated import results as generated
from tests.findings.naive.compare import naive_since
from tests.findings.naive.records import Json, Records
from tests.findings.naive.situations import naive_situations
from tests.findings.naive.verbs import Key, naive_verbs
from tests.findings.published import lines_about
from tests.findings.test_recorded_call import record
from tests.outcomes import NOT_EXPORTED, SEGFAULT, UNSUPPORTED, raised, returned

OPERATIONS, FRAMEWORKS = ("gather_elements", "index_add"), ("torch", "tensorflow", "onnxruntime")
GATHER = {"params": {"float32": [5, 6, 7]}, "indices": {"int64": [[1]]}}
WRITE = {"tensor": {"int32": [1, 2, 3]}, "indices": {"int64": [[1], [1]]}, "updates": {"int32": [10, 20]}}
OLD, NEW = (TargetRecord(f"torch=={version}@cpu", "torch", version, "cpu", "eager") for version in ("2.1", "2.13"))


def table_of(
    case: CaseRecord, *rows: tuple[TargetRecord, str, Outcome], verdict: Any = "conforms", **more: Any
) -> Conclusions:
    """What is concluded from one case, with a result for each row."""
    clause = ClauseRecord("it", case.operation, "behaviour", "It does.", [], "it.yaml:1")
    return Conclusions(
        Results(
            RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
            targets=list({target.id: target for target, _, _ in rows}.values()),
            clauses={"it": clause},
            cases={case.id: case},
            mappings=[MappingRecord(target.id, api, case.operation, False, "...") for target, api, _ in rows],
            results=[
                ResultRecord(case.id, target.id, api, "it", outcome, verdict, "portability", **more)
                for target, api, outcome in rows
            ],
        )
    )


def newest(conclusions: Conclusions, situation: str) -> Sequence[Behaviour]:
    """What the newest versions do in a situation."""
    targets = {column.target.id for column in conclusions.columns}
    return [each for each in conclusions.behaviours if each.target in targets and each.situation.name == situation]


def situations(conclusions: Conclusions) -> set[str]:
    return {each.situation.name for each in conclusions.behaviours} - {"arguments"}


def gather(**call: Any) -> CaseRecord:
    return replace(record("gather_nd", **{**GATHER, **call}), expectation={"returns": {}})


@pytest.mark.parametrize(
    ("call", "situation"),
    [
        ({}, "usual"),
        ({"indices": {"int64": [[3]]}}, "past-the-end"),
        ({"indices": {"int64": [[5]]}}, "past-the-end"),
        ({"indices": {"int64": [[6]]}}, "far-outside"),
        ({"indices": {"int64": [[-3]]}}, "below-zero"),
        ({"indices": {"int64": [[-4]]}}, "far-outside"),
        ({"indices": {"int64": "zeros([0, 1])"}}, "no-indices"),
        ({"indices": {"int64": "zeros([1, 0])"}}, "depth-zero"),
        ({"params": {"float32": [[], []]}}, "empty-axis"),
        ({"params": {"float32": [5, "nan", 7]}}, "non-finite"),
    ],
)
def test_the_situation_is_the_one_thing_that_is_unusual(call: dict[str, Any], situation: str | None) -> None:
    case = gather(**call)
    names = situations(table_of(case, (NEW, "f", raised())))
    assert names - {"int64-indices"} == ({situation} if situation else set())


@pytest.mark.parametrize(
    ("index", "found"),
    [([[0, 1]], {"shorter-index"}), ([[0, 1], [1, 0]], {"usual", "int64-indices"}), ([[0], [1]], {"usual", "int64-indices"})],
)  # fmt: skip
def test_what_an_api_does_with_an_index_that_covers_a_part_of_the_input_says_nothing_of_its_dtype(
    index: list[list[int]], found: set[str]
) -> None:
    """NumPy broadcasts such an index, and PyTorch selects from the part: neither is about int64."""
    call = record("gather_elements", input={"float32": [[5, 6], [7, 8]]}, index={"int64": index}, dim=1)
    assert situations(table_of(replace(call, expectation={"returns": {}}), (NEW, "f", raised()))) == found


def test_a_call_in_which_two_things_are_unusual_is_in_no_situation() -> None:
    for indices in ({"int64": [[3], [-1]]}, {"uint8": [[3]]}):
        assert situations(table_of(gather(indices=indices), (NEW, "f", raised()))) == set()


@pytest.mark.parametrize(
    ("values", "verb"),
    [([1, 32, 3], "adds"), ([1, 20, 3], "keeps-last"), ([1, 10, 3], "keeps-first"), ([1, 30, 3], "other"),
     ([1, 7, 3], "other")],
)  # fmt: skip
def test_the_verb_says_what_became_of_two_updates_to_one_position(values: list[int], verb: str) -> None:
    table = table_of(record("tensor_scatter_nd_update", **WRITE), (NEW, "f", returned(values)))
    assert [line.verb for line in newest(table, "written-twice")] == [verb]


@pytest.mark.parametrize(
    ("reduction", "values", "verb"),
    [("sum", [-3, -19], "adds"), ("prod", [-3, 320], "multiplies"), ("prod", [-3, 0], "other"),
     ("amax", [-3, -2], "keeps-largest"), ("amax", [-3, 0], "other"), ("mean", [-3, -4.75], "averages"),
     ("mean", [-3, -3.8], "other")],
)  # fmt: skip
def test_a_segment_is_reduced_from_its_slices_alone(reduction: str, values: list[float], verb: str) -> None:
    """And from no zero before them."""
    data, ids = {"float32": [-4, -3, -2, -8, -5]}, {"int64": [1, 0, 1, 1, 1]}
    case = record("unsorted_segment_reduce", data=data, segment_ids=ids, num_segments=2, reduce=reduction)
    table = table_of(case, (NEW, "f", returned(values, "float32")))
    assert [line.verb for line in newest(table, f"written-twice-reduce={reduction}")] == [verb]


def test_the_smallest_of_slices_is_no_update_that_was_kept_for_its_place() -> None:
    data, ids = {"float32": [5, 3, 4, 7]}, {"int64": [0, 0, 1, 1]}
    case = record("unsorted_segment_reduce", data=data, segment_ids=ids, num_segments=2, reduce="amin")
    table = table_of(case, (NEW, "f", returned([3, 4], "float32")))
    assert [line.verb for line in newest(table, "written-twice-reduce=amin")] == ["keeps-smallest"]


def test_what_a_path_cannot_export_is_a_behaviour_and_says_nothing_about_arguments() -> None:
    table = table_of(gather(), (NEW, "f", NOT_EXPORTED), (NEW, "u", UNSUPPORTED), verdict="unsupported")
    assert [(line.verb, line.api) for line in newest(table, "usual")] == [("not-exported", "f")]
    assert "arguments" not in {each.situation.name for each in table.behaviours}


@pytest.mark.parametrize("values", [[1], [1, 20, 3, 4]])
def test_a_result_of_another_shape_does_not_tell_which_update_was_kept(values: list[int]) -> None:
    table = table_of(record("tensor_scatter_nd_update", **WRITE), (NEW, "f", returned(values)))
    assert "written-twice" not in situations(table)


def reducing(reduce: str, updates: list[int], *, base: list[int] | None = None, more: str = "") -> CaseRecord:
    """Updates of one position, of a tensor, or of a result that the call creates."""
    indices, values = [[1] for _ in updates], {"int32": updates}
    choices = {"reduce": reduce, **({"include_self": more} if more else {})}
    if base is None:
        call: dict[str, Any] = {"indices": {"int64": indices}, "updates": values, "shape": [3], **choices}
        return replace(record("scatter_nd", **call), id=f"{reduce}{updates}")
    call = {"tensor": {"int32": base}, "indices": {"int64": indices}, "updates": values, **choices}
    return replace(record("tensor_scatter_nd_update", **call), id=f"{reduce}{updates}{base}{more}")


def verbs_of(*calls: tuple[CaseRecord, Outcome], verdict: Any = "conforms") -> dict[str, int]:
    """Of calls of one API that write positions twice, the number of those with each verb."""
    operation = calls[0][0].operation
    table = Conclusions(
        Results(
            RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
            targets=[NEW],
            clauses={"it": ClauseRecord("it", operation, "behaviour", "It does.", [], "it.yaml:1")},
            cases={case.id: case for case, _ in calls},
            results=[
                ResultRecord(case.id, NEW.id, "f", "it", outcome, verdict, "portability") for case, outcome in calls
            ],
        )
    )
    return {
        each.verb: len(each.results) for each in table.behaviours if each.situation.name.startswith("written-twice")
    }


@pytest.mark.parametrize(
    ("choice", "element", "verb"),
    [("prod", 384, "multiplies"), ("mean", 5, "averages"), ("amin", 2, "keeps-smallest"), ("amax", 8, "keeps-largest"),
     ("add", 20, "adds")],
)  # fmt: skip
def test_a_result_that_the_call_creates_has_no_element_before_the_updates(choice: str, element: int, verb: str) -> None:
    """From zeros the product would be 0, and 0 would be the least of positive numbers."""
    assert verbs_of((reducing(choice, [6, 2, 8, 4]), returned([0, element, 0]))) == {verb: 1}


def test_a_reduction_that_leaves_out_what_is_there_is_told_by_a_result_that_is_right() -> None:
    """Of a tensor with -9 the mean of 3, 2 and 7 alone is 4, and their product 42."""
    for choice, element, verb in (("mean", 4, "averages"), ("prod", 42, "multiplies"), ("amin", 2, "keeps-smallest")):
        call = reducing(choice, [3, 2, 7], base=[1, -9, 3], more="no")
        assert verbs_of((call, returned([1, element, 3]))) == {verb: 1}
        wrong = "keeps-one" if choice == "amin" else "other"
        assert verbs_of((call, returned([1, element, 3])), verdict="diverges") == {wrong: 1}


def test_calls_that_several_words_explain_are_told_by_the_word_that_explains_all_of_them() -> None:
    """The largest is the last update of one call, and the first one of the other."""
    last, first = (
        reducing("amax", [3, 5], base=[1, 9, 3], more="no"),
        reducing("amax", [8, 5], base=[1, 9, 3], more="no"),
    )
    assert verbs_of((last, returned([1, 5, 3])), (first, returned([1, 8, 3]))) == {"keeps-largest": 2}
    assert verbs_of((last, returned([1, 5, 3]))) == {}


def test_errors_are_not_all_that_calls_do_whose_results_several_words_explain() -> None:
    """The largest is the last update, so that the call that returns does not tell; it did not raise, however."""
    ambiguous, other = reducing("amax", [3, 5], base=[1, 2, 3]), reducing("amax", [6, 4, 5], base=[1, 2, 3])
    assert verbs_of((ambiguous, returned([1, 5, 3])), (other, raised())) == {"returns": 1, "raises": 1}
    assert verbs_of((ambiguous, returned([1, 5, 3])), (other, returned([1, 6, 3]))) == {"keeps-largest": 2}


def test_an_index_of_64_bits_points_far_outside() -> None:
    for number in (2**63 - 1, -(2**63)):
        literal = written_form(Tensor("int64", np.array([[number]]), None))
        assert "far-outside" in situations(table_of(gather(indices=literal), (NEW, "f", raised())))


def outside(number: int, outcome: Outcome, behaviour: Any = None) -> tuple[CaseRecord, ResultRecord]:
    """A read past the end, and its result."""
    case = replace(gather(indices={"int64": [[3]]}), id=f"it/{number}")
    verdict: Any = "died" if isinstance(outcome, Died) else "diverges"
    kinds: Any = ["accepted", "value"] if isinstance(outcome, Returned) else []
    return case, ResultRecord(
        case.id, NEW.id, "f", "it", outcome, verdict, "portability", divergence=kinds, behaviour=behaviour
    )


@pytest.mark.parametrize(
    ("others", "verbs"),
    [
        ([], {"fills": 2}),
        ([(returned([1e-30], "float32"), "other")], {"fills": 2, "other": 1}),
        ([(returned([7], "float32"), "other"), (returned([5], "float32"), "other")], {"fills": 2, "other": 2}),
        ([(returned([1e-30], "float32"), "other"), (returned([3e8], "float32"), "other")], {"other": 4}),
        ([(returned([1e-30], "float32"), "other"), (SEGFAULT, None)], {"other": 3, "dies": 1}),
    ],
)  # fmt: skip
def test_a_zero_is_a_fill_value_only_where_fewer_calls_read_memory(
    others: list[tuple[Outcome, Any]], verbs: dict[str, int]
) -> None:
    zeros = [(returned([0], "float32"), "fills")] * 2
    calls = [outside(number, *each) for number, each in enumerate([*zeros, *others])]
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        clauses={"it": ClauseRecord("it", "gather_nd", "rule", "It does.", [], "it.yaml:1")},
        cases={case.id: case for case, _ in calls},
        results=[result for _, result in calls],
    )
    assert {each.verb: len(each.results) for each in newest(Conclusions(results), "past-the-end")} == verbs


def test_equal_updates_do_not_tell_which_one_was_kept() -> None:
    equal = {**WRITE, "updates": {"int32": [10, 10]}}
    table = table_of(record("tensor_scatter_nd_update", **equal), (NEW, "f", returned([1, 10, 3])))
    assert "written-twice" not in situations(table)


@pytest.mark.parametrize(
    ("updates", "situation"),
    [([5], "broadcastable-updates"), ([5, 7], "too-few-updates"), ([5, 7, 9, 11], "too-many-updates"),
     ([[5], [7], [9]], "reshaped-updates")],
)  # fmt: skip
def test_updates_of_a_wrong_shape_are_told_apart_by_the_call_that_would_be_right(updates: Any, situation: str) -> None:
    right = {"indices": {"int64": [[1], [0], [2]]}, "updates": {"int32": [5, 7, 9]}, "shape": [4]}
    valid = replace(record("scatter_nd", **right), id="it/valid")
    wrong = record("scatter_nd", **{**right, "updates": {"int32": updates}})
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        clauses={"it": ClauseRecord("it", "scatter_nd", "rule", "It does.", [], "it.yaml:1")},
        cases={"it/valid": valid, "it/1": replace(wrong, control=right)},
        results=[ResultRecord("it/1", NEW.id, "f", "it", raised(), "conforms", "portability")],
    )
    assert situations(Conclusions(results)) == {situation}


def test_each_api_does_what_it_does_and_one_without_the_form_does_nothing() -> None:
    case = gather(indices={"int64": [[3]]})
    table = table_of(case, (NEW, "f", raised()), (NEW, "g", SEGFAULT), (NEW, "h", raised()), (NEW, "u", UNSUPPORTED))
    assert {each.api: each.verb for each in newest(table, "past-the-end")} == {
        "f": "raises",
        "g": "dies",
        "h": "raises",
    }


def since_of(table: Conclusions, situation: str = "past-the-end") -> list[tuple[Any, ...]]:
    """Of each line: the verb, from when on, and what was before."""
    return [
        (line.verb, line.since and line.since.text, line.since and line.since.before)
        for line in newest(table, situation)
    ]


def test_since_names_the_first_version_that_does_it_and_the_last_that_does_not() -> None:
    case = gather(indices={"int64": [[3]]})
    middle = TargetRecord("torch==2.9@cpu", "torch", "2.9", "cpu", "eager")
    table = table_of(case, (NEW, "f", raised()), (middle, "f", raised()), (OLD, "f", SEGFAULT))
    assert since_of(table) == [("raises", "2.9 or earlier, after 2.1", ("dies",))]
    table = table_of(case, (NEW, "f", raised()), (middle, "f", UNSUPPORTED), (OLD, "f", SEGFAULT))
    assert since_of(table) == [("raises", "2.13 or earlier, after 2.1", ("dies",))]


def test_since_names_releases_and_no_builds() -> None:
    old, new = (replace(target, version=f"{target.version}+cu124") for target in (OLD, NEW))
    table = table_of(gather(indices={"int64": [[3]]}), (new, "f", raised()), (old, "f", SEGFAULT))
    assert since_of(table) == [("raises", "2.13 or earlier, after 2.1", ("dies",))]


def test_there_is_no_since_if_no_call_that_both_versions_made_changed() -> None:
    case = gather(indices={"int64": [[3]]})
    same = table_of(case, (NEW, "f", raised()), (OLD, "f", raised("ValueError")))
    assert since_of(same) == [("raises", None, None)]
    # The older version made another call of the same situation, which returned.
    other = replace(case, id="it/other")
    added = table_of(case, (NEW, "f", raised()))
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[OLD, NEW],
        clauses={"it": ClauseRecord("it", case.operation, "behaviour", "It does.", [], "it.yaml:1")},
        cases={case.id: case, other.id: other},
        results=[
            ResultRecord(case.id, NEW.id, "f", "it", raised(), "conforms", "portability"),
            ResultRecord(other.id, OLD.id, "f", "it", returned(), "conforms", "portability"),
        ],
    )
    assert since_of(Conclusions(results)) == since_of(added) == [("raises", None, None)]


def test_there_is_no_since_if_some_of_the_calls_did_it_before() -> None:
    case = gather(indices={"int64": [[3]]})
    other = replace(case, id="it/other")
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[OLD, NEW],
        clauses={"it": ClauseRecord("it", case.operation, "behaviour", "It does.", [], "it.yaml:1")},
        cases={case.id: case, other.id: other},
        results=[
            ResultRecord(name, target.id, "f", "it", outcome, "conforms", "portability")
            for name, target, outcome in (
                *((case.id, OLD, raised()), (other.id, OLD, returned())),
                *((case.id, NEW, raised()), (other.id, NEW, raised())),
            )
        ],
    )
    assert since_of(Conclusions(results)) == [("raises", None, None)]


def test_another_judgement_of_the_same_result_is_no_since() -> None:
    case = gather()
    table = table_of(case, (NEW, "f", returned()), (OLD, "f", returned()))
    [line] = newest(table, "usual")
    assert (line.verb, line.since) == ("returns", None)
    judged = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[OLD, NEW],
        clauses={"it": ClauseRecord("it", case.operation, "behaviour", "It does.", [], "it.yaml:1")},
        cases={case.id: case},
        results=[
            ResultRecord(case.id, OLD.id, "f", "it", returned(), "conforms", "portability"),
            ResultRecord(case.id, NEW.id, "f", "it", returned(), "diverges", "portability", divergence=["value"]),
        ],
    )
    assert since_of(Conclusions(judged), "usual") == [("returns-other", None, None)]


def test_a_call_whose_indices_were_cast_counts_for_the_dtype_of_the_cast() -> None:
    case = gather(indices={"int32": [[1]]})
    table = table_of(case, (NEW, "f", returned()), cast={"indices": "int64"})
    assert situations(table) == {"usual", "int64-indices"}


def test_what_a_call_does_after_another_one_is_not_what_it_does() -> None:
    case = record("tensor_scatter_nd_update", **WRITE)
    added = table_of(case, (NEW, "f", returned([1, 32, 3])), divergence=["value", "contaminated"])
    assert [line.verb for line in newest(added, "written-twice")] == ["varies"]
    outside = gather(indices={"int64": [[3]]})
    control = ControlRecord("returned", "raised")
    poisoning = table_of(outside, (NEW, "f", raised()), divergence=["contaminated"], control=control)
    assert [line.verb for line in newest(poisoning, "past-the-end")] == ["raises"]


def test_a_case_about_the_dtype_of_data_is_in_no_situation() -> None:
    claim = DtypeClaimRecord({"params": "int8"}, "no", None)
    assert situations(table_of(gather(), (NEW, "f", returned()), dtype_claim=claim)) == set()


def test_a_changed_argument_is_a_row_of_its_own_unless_the_api_changes_it_in_place() -> None:
    table = table_of(gather(), (NEW, "f", returned(changed=("params",))))
    assert [line.verb for line in newest(table, "arguments")] == ["changes-arguments"]


def test_what_a_program_around_a_call_changes_is_not_changed_by_the_call() -> None:
    """As one that fills the input with zeros after the call; what the call itself changes there is a divergence."""
    program = InProgramRecord("def program(params, indices):\n    ...\n")
    around = replace(gather(), variation=program)
    changed = (NEW, "f", returned(changed=("params",)))
    assert [*newest(table_of(around, changed), "arguments")] == []
    by_call = table_of(around, changed, verdict="diverges", divergence=["input-changed"])
    assert [line.verb for line in newest(by_call, "arguments")] == ["changes-arguments"]


def behaviours_of(case: CaseRecord, *results: ResultRecord, **more: Any) -> list[Behaviour]:
    clause = ClauseRecord("it", case.operation, "behaviour", "It does.", [CLAIM], "it.yaml:1")
    run = RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0")
    mappings = [MappingRecord(NEW.id, api, case.operation, False, "...") for api in "fg"]
    documents = [DocumentRecord("f.doc", "torch", ["f"])]
    parts: dict[str, Any] = {"targets": [NEW], "documents": documents, **more}
    return [
        *Conclusions(
            Results(run, clauses={"it": clause}, cases={case.id: case}, mappings=mappings, results=[*results], **parts)
        ).behaviours
    ]


CLAIM = CitationRecord("f.doc", "negative", "A negative index counts from the end.", official=True)


def counting(api: str, **more: Any) -> ResultRecord:
    """A negative index, counted from the end."""
    fields = {"verdict": "conforms", "standing": "own", "behaviour": "wraps-negative", **more}
    return ResultRecord("it/1", NEW.id, api, "it", returned(changed=("indices",)), **fields)


NEGATIVE = replace(gather(indices={"int64": [[-1]]}), id="it/1", clause="it")


def test_an_overwritten_argument_leaves_no_mark_on_what_the_call_did_with_its_indices() -> None:
    result = counting("f", verdict="diverges", divergence=["input-changed"], known="overwrites")
    entry = KnownRecord("torch", "overwrites", "It overwrites.", "https://example.org/1", "divergences.yaml:1")
    does, changes = behaviours_of(NEGATIVE, result, known={("torch", "overwrites"): entry})
    assert (does.situation.name, does.verb, does.sort, does.known) == ("below-zero", "wraps-negative", "conforms", ())
    assert (changes.situation.name, changes.verb, changes.sort) == ("arguments", "changes-arguments", "own")
    assert (changes.known, changes.links, changes.claims) == (("overwrites",), ("https://example.org/1",), ())


def test_an_api_that_breaks_nothing_is_not_coloured_by_another_that_does_the_same() -> None:
    wrong = counting("g", verdict="diverges", divergence=["accepted"])
    of_api = {each.api: each for each in behaviours_of(NEGATIVE, counting("f"), wrong) if each.verb == "wraps-negative"}
    assert {api: each.sort for api, each in of_api.items()} == {"f": "conforms", "g": "own"}
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        clauses={"it": ClauseRecord("it", "gather_nd", "behaviour", "It does.", [], "it.yaml:1")},
        cases={"it/1": NEGATIVE},
        results=[counting("f"), wrong],
    )
    of_line = [(line.api, line.sort) for line in newest(Conclusions(results), "below-zero")]
    assert sorted(of_line) == [("f", "conforms"), ("g", "own")]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, True),
        ({"standing": "portability"}, False),
        ({"api": "g"}, False),
        ({"claim": replace(CLAIM, versions="<2.13")}, False),
        ({"claim": replace(CLAIM, versions=">=2.13")}, True),
        ({"claim": replace(CLAIM, device="gpu")}, False),
        ({"target": replace(NEW, unread={"f": ["f.doc#negative"]})}, False),
    ],
)
def test_the_documentation_says_what_a_claim_about_this_api_in_this_version_says(
    more: dict[str, Any], says: bool
) -> None:
    claim, target = more.pop("claim", CLAIM), more.pop("target", NEW)
    clause = ClauseRecord("it", "gather_nd", "behaviour", "It does.", [claim], "it.yaml:1")
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[target],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        clauses={"it": clause},
        cases={"it/1": NEGATIVE},
        mappings=[MappingRecord(NEW.id, api, "gather_nd", False, "...") for api in "fg"],
        results=[counting(**{"api": "f", **more})],
    )
    [does] = [each for each in Conclusions(results).behaviours if each.verb == "wraps-negative"]
    assert does.claims == ((claim,) if says else ())


@pytest.mark.parametrize(("situations", "says"), [(["below-zero"], True), (["past-the-end"], False)])
def test_the_documentation_says_what_a_claim_about_the_situation_says_though_no_call_is_held_to_it(
    situations: Any, says: bool
) -> None:
    """A program tests it, so that no clause cites it."""
    claim = ClaimRecord("f.doc", "F", "mode", "It is filled.", official=True, program="assert 1", situations=situations)
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        claims=[claim],
        clauses={"it": ClauseRecord("it", "gather_nd", "behaviour", "It does.", [], "it.yaml:1")},
        cases={"it/1": NEGATIVE},
        mappings=[MappingRecord(NEW.id, api, "gather_nd", False, "...") for api in "fg"],
        results=[counting(api, standing="portability") for api in "fg"],
    )
    does = {each.api: each for each in Conclusions(results).behaviours if each.verb == "wraps-negative"}
    assert [each.locator for each in does["f"].claims] == (["mode"] if says else [])
    assert does["g"].claims == ()


def test_a_claim_about_few_calls_comes_before_one_about_all() -> None:
    common = replace(CLAIM, locator="purpose")
    clauses = [
        ClauseRecord("it", "gather_nd", "behaviour", "It does.", [common, CLAIM], "it.yaml:1"),
        ClauseRecord("other", "gather_nd", "behaviour", "It does.", [common], "it.yaml:1"),
    ]
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        clauses={clause.id: clause for clause in clauses},
        cases={"it/1": NEGATIVE},
        mappings=[MappingRecord(NEW.id, "f", "gather_nd", False, "...")],
        results=[counting("f")],
    )
    [does] = [each for each in Conclusions(results).behaviours if each.verb == "wraps-negative"]
    assert does.claims == (CLAIM, common)


@pytest.mark.parametrize(("behaviour", "says"), [("wraps-negative", True), ("clamps", False)])
def test_what_is_said_of_an_api_in_one_operation_is_said_of_calls_of_another_that_do_the_same(
    behaviour: Any, says: bool
) -> None:
    """The calls of the second operation are held to nothing, as where several calls stand in for one."""
    other = replace(NEGATIVE, id="it/2", operation="index_select", clause="other")
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        clauses={
            "it": ClauseRecord("it", "gather_nd", "behaviour", "It does.", [CLAIM], "it.yaml:1"),
            "other": ClauseRecord("other", "index_select", "behaviour", "It does.", [], "it.yaml:1"),
        },
        cases={"it/1": NEGATIVE, "it/2": other},
        mappings=[
            MappingRecord(NEW.id, "f", operation, composed, "...")
            for operation, composed in (("gather_nd", False), ("index_select", True))
        ],
        results=[
            counting("f"),
            replace(counting("f", standing="portability", behaviour=behaviour), case="it/2", clause="other"),
        ],
    )
    [does] = [
        each
        for each in Conclusions(results).behaviours
        if each.operation == "index_select" and each.situation.name == "below-zero"
    ]
    assert does.claims == ((CLAIM,) if says else ())


@pytest.mark.parametrize("situation", ["below-zero", "written-twice"])
def test_a_clause_that_leaves_calls_open_says_nothing_of_them_but_of_positions_written_twice(situation: str) -> None:
    case = NEGATIVE if situation == "below-zero" else record("tensor_scatter_nd_update", **WRITE)
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        clauses={"it": ClauseRecord("it", case.operation, "behaviour", "Nobody says.", [CLAIM], "it.yaml:1")},
        cases={"it/1": replace(case, id="it/1", clause="it", expectation={"observed": "nobody says"})},
        mappings=[MappingRecord(NEW.id, "f", case.operation, False, "...")],
        results=[ResultRecord("it/1", NEW.id, "f", "it", raised(), "observed", "own")],
    )
    [does] = [each for each in Conclusions(results).behaviours if each.situation.name == situation]
    assert (does.claims, does.said.of_all_calls) == (((CLAIM,), False) if situation == "written-twice" else ((), True))


@pytest.mark.parametrize(
    ("expectation", "verdict", "is_told"),
    [({"returns": {}}, "conforms", False), ({"returns": {}}, "diverges", True), ({"raises": True}, "conforms", True)],
)
def test_what_is_said_of_all_calls_says_nothing_of_a_situation_unless_it_forbids_it_or_is_broken(
    expectation: dict[str, Any], verdict: Any, is_told: bool
) -> None:
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        clauses={"it": ClauseRecord("it", "gather_nd", "rule", "It does.", [CLAIM], "it.yaml:1")},
        cases={"it/1": replace(NEGATIVE, expectation=expectation), "it/2": replace(gather(), id="it/2")},
        mappings=[MappingRecord(NEW.id, "f", "gather_nd", False, "...")],
        results=[counting("f", verdict=verdict), replace(counting("f"), case="it/2", behaviour=None)],
    )
    does = {
        each.situation.name: each for each in Conclusions(results).behaviours if each.claims or each.said.of_all_calls
    }
    assert (does["below-zero"].claims, does["below-zero"].said.of_all_calls) == (
        ((CLAIM,), False) if is_told else ((), True)
    )
    assert (does["usual"].claims, does["usual"].said.of_all_calls) == ((CLAIM,), False)


@pytest.mark.parametrize(
    ("more", "is_said", "is_named"),
    [
        ({}, True, True),
        ({"dtypes": {"indices": ["int32"]}}, True, False),
        ({"dtypes": {"indices": ["integer"]}}, True, False),
        ({"dtypes": {"params": ["int64"]}}, False, False),
        ({"official": False}, False, False),
        ({"versions": "<2.13"}, False, False),
        ({"document": "g.doc"}, False, False),
        ({"composed": True}, False, False),
        ({"cast": {"indices": "int32"}}, False, False),
    ],
)
def test_the_dtype_in_which_the_specs_write_indices_is_documented_if_a_claim_lists_it(
    more: dict[str, Any], is_said: bool, is_named: bool
) -> None:
    """A claim that lists other dtypes of indices, or a family, speaks of them too."""
    composed, cast = more.pop("composed", False), more.pop("cast", {})
    claim = replace(ClaimRecord("f.doc", "F", "dtypes", "They are int64.", True, dtypes={"indices": ["int64"]}), **more)
    derived = replace(gather(indices={"int8": [[1]]}), id="it/1.int8", variation=InDtypeRecord("it/1"))
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"]), DocumentRecord("g.doc", "torch", ["g"])],
        claims=[claim],
        clauses={"it": ClauseRecord("it", "gather_nd", "example", "It does.", [CLAIM], "it.yaml:1")},
        cases={"it/1": replace(gather(), dtypes={"indices": "int64"}), derived.id: derived},
        mappings=[MappingRecord(NEW.id, "f", "gather_nd", composed, "...")],
        results=[
            replace(counting("f", cast=cast), behaviour=None),
            replace(counting("f"), case=derived.id, dtype_claim=DtypeClaimRecord({"indices": "int8"}, "no", None)),
        ],
    )
    conclusions = Conclusions(results)
    [does] = [each for each in conclusions.behaviours if each.situation.of == "index-dtype" and each.cases == ("it/1",)]
    assert [each.locator for each in does.claims] == (["dtypes"] if is_said else [])
    if not cast:
        [support] = [each for each in conclusions.dtypes if each.dtype == "int64"]
        assert (support.claimed, support.by) == (("yes", "f.doc#dtypes") if is_named else ("example", None))


SUM, PRODUCT = (
    CitationRecord("f.doc", word, f"Updates are {word}.", official=True) for word in ("added", "multiplied")
)


def of_reductions(*, rests: dict[str, str], held: list[CitationRecord]) -> list[str]:
    """What the documentation of the API f says of updates that are added: the locators of claims.

    All calls of one clause add, and all of another multiply. Those of the third do either; a call of f that adds is of this one.

    rests: by its locator, the object on whose sentences a claim rests.
    held: what the third clause cites. If empty, the call is held to nothing.
    """
    adds, multiplies = (reducing(word, [3, 4], base=[1, 2, 3]) for word in ("add", "prod"))
    cases = {"sum/1": adds, "prod/1": multiplies, "all/1": adds, "all/2": multiplies}
    cited = {"sum": [SUM], "prod": [PRODUCT], "all": held}
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        claims=[
            ClaimRecord("f.doc", "F", each.locator, each.says, official=True, rests={rests[each.locator]: ["a"]})
            for each in (SUM, PRODUCT)
        ],
        clauses={
            name: ClauseRecord(name, adds.operation, "behaviour", "It does.", citations, "it.yaml:1")
            for name, citations in cited.items()
        },
        cases={name: replace(case, id=name, clause=name.partition("/")[0]) for name, case in cases.items()},
        mappings=[MappingRecord(NEW.id, "f", adds.operation, False, "...")],
        results=[
            ResultRecord("all/1", NEW.id, "f", "all", returned([1, 9, 3]), "conforms", "own" if held else "portability")
        ],
    )
    [does] = [each for each in Conclusions(results).behaviours if each.situation.of == "written-twice"]
    return [each.locator for each in does.claims]


def test_what_is_said_of_a_reduction_holds_of_its_calls_that_are_held_to_nothing() -> None:
    assert of_reductions(rests={"added": "f", "multiplied": "f"}, held=[]) == ["added"]


def test_a_document_on_several_apis_does_not_say_of_one_what_it_says_of_another() -> None:
    """A clause about all reductions cites what is said of each, and the calls of one API are held to it."""
    both = [PRODUCT, SUM]
    assert of_reductions(rests={"added": "f", "multiplied": "f_prod"}, held=both) == ["added"]
    # What is said of the reduction that the calls choose comes first.
    assert of_reductions(rests={"added": "f", "multiplied": "f"}, held=both) == ["added", "multiplied"]
    # The documentation of f may say no more than that f does what another API does.
    assert of_reductions(rests={"added": "g", "multiplied": "g"}, held=both) == ["added", "multiplied"]
    assert of_reductions(rests={"added": "g", "multiplied": "f"}, held=both) == ["multiplied", "added"]


def test_what_is_said_of_the_dtype_of_indices_is_said_of_indices_of_floats_too() -> None:
    """They are no dtype that the suite tries, but a mistake, so that their result records no claim."""
    right = gather()
    wrong = replace(
        gather(indices={"float32": [[1]]}), id="it/2", clause="it", control=right.call, expectation={"raises": True}
    )
    claim = ClaimRecord("f.doc", "F", "dtypes", "They are int64.", official=True, dtypes={"indices": ["int64"]})
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        claims=[claim],
        clauses={"it": ClauseRecord("it", "gather_nd", "rule", "It does.", [CLAIM], "it.yaml:1")},
        cases={"it/1": replace(right, id="it/1"), "it/2": wrong},
        mappings=[MappingRecord(NEW.id, "f", "gather_nd", False, "...")],
        results=[ResultRecord("it/2", NEW.id, "f", "it", raised(), "conforms", "portability")],
    )
    [does] = [each for each in Conclusions(results).behaviours if each.situation.name == "float32-indices"]
    assert [each.locator for each in does.claims] == ["dtypes"]


@pytest.mark.parametrize(("claimed", "by"), [("family", "f.doc#indices"), ("no", None)])
def test_the_documentation_says_nothing_of_a_dtype_of_indices_that_no_claim_about_dtypes_names(
    claimed: Any, by: str | None
) -> None:
    """Though the clause, of which the call is a derived case, cites an example in another dtype."""
    claim = ClaimRecord("f.doc", "F", "indices", "Indices are integers.", official=True)
    results = Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
        targets=[NEW],
        documents=[DocumentRecord("f.doc", "torch", ["f"])],
        claims=[claim],
        clauses={"it": ClauseRecord("it", "gather_nd", "example", "It does.", [CLAIM], "it.yaml:1")},
        cases={"it/1": replace(gather(indices={"int8": [[1]]}), clause="it")},
        mappings=[MappingRecord(NEW.id, "f", "gather_nd", False, "...")],
        results=[
            replace(counting("f"), dtype_claim=DtypeClaimRecord({"indices": "int8"}, claimed, by), behaviour=None)
        ],
    )
    [does] = [each for each in Conclusions(results).behaviours if each.situation.name == "int8-indices"]
    assert [each.locator for each in does.claims] == (["indices"] if by else [])


@pytest.fixture(scope="module")
def published() -> list[str]:
    """Some of the lines of the published results."""
    return lines_about(OPERATIONS, FRAMEWORKS)


def test_every_verb_and_number_is_what_a_naive_count_of_the_published_results_gives(
    published: list[str], tmp_path: Path
) -> None:
    (tmp_path / "results.jsonl").write_text("".join(published), encoding="utf-8")
    results = read_results(tmp_path)
    assert stated_since(results, published) > 5


@settings(max_examples=150, deadline=None)
@given(generated())
def test_every_since_of_generated_results_is_what_a_naive_comparison_finds(results: Results) -> None:
    calls = {name: replace(gather(indices={"int64": [[3]]}), id=name, clause=name[:-2]) for name in results.cases}
    results = replace(results, cases=calls)
    records: list[Record] = [
        results.run,
        *results.targets,
        *results.clauses.values(),
        *calls.values(),
        *results.mappings,
        *results.results,
    ]
    stated_since(results, list(map(record_line, records)))


def stated_since(results: Results, lines: Sequence[str]) -> int:
    """Checks every number and every since against a naive count of the lines; the number that have a since."""
    conclusions = Conclusions(results)
    records = Records(lines)
    naive = naive_verbs(records, naive_situations(records))
    columns = {column.target.id: column for column in conclusions.columns}
    stated = [each for each in conclusions.behaviours if each.target in columns]
    counts: Counter[Key] = Counter()
    for each in stated:
        counts[_key(each)] += len(each.results)
    assert counts == Counter({key: len(found) for key, found in naive.items() if key[2] in columns})
    for each in stated:
        operation, situation, target, api, word = _key(each)
        column = columns[target]
        verbs: list[dict[str, tuple[str, Json]]] = [
            {
                result["case"]: (verb, result)
                for verb in VERBS
                for result in naive.get((operation, situation, version.id, api, verb), ())
            }
            for version in column.versions
        ]
        expected = naive_since(verbs, word, by_word_alone=situation == "arguments")
        since = each.since
        assert expected == (since and (column.versions.index(since.first), column.versions.index(since.not_in)))
    return sum(each.since is not None for each in stated)


def _key(behaviour: Behaviour) -> Key:
    return behaviour.operation, behaviour.situation.name, behaviour.target, behaviour.api, behaviour.verb
