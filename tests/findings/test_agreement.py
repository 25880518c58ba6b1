"""Where implementations agree, against cases that are few enough to be judged by eye."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from conformance.findings.agreement import Takes, pair_facts, porting, takes
from conformance.findings.conditions import CLAUSES, EMPTINESS, INDEX_DTYPES, RULES, cast_condition
from conformance.findings.evidence import Evidence, Implementation, evidence
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, MappingRecord, ResultRecord, RunRecord
from conformance.results.table import Table
from tests.findings.test_recorded_call import record
from tests.outcomes import HUNG, NOT_EXPORTED, SEGFAULT, UNSUPPORTED, raised, returned

ONE, OTHER, THIRD = (Implementation(f"{name}@cpu", f"{name}.gather_nd") for name in ("json", "csv", "zlib"))


QUESTIONS = {
    "other calls of it.rule.a": CLAUSES,
    "breaks rule index-range": RULES,
    "indices in int16": INDEX_DTYPES,
    "indices in int32": INDEX_DTYPES,
}


def told(conditions: Sequence[str], **outcomes: str) -> Evidence:
    """Evidence with a case for each list of words, and the letters of each implementation."""
    names = {"one": ONE, "other": OTHER, "third": THIRD}
    return made(
        [tuple(words.split()) for words in conditions], {names[name]: letters for name, letters in outcomes.items()}
    )


def made(conditions: Sequence[tuple[str, ...]], outcomes: Mapping[Implementation, str]) -> Evidence:
    cases = tuple(f"case {number}" for number in range(len(conditions)))
    questions = {word: QUESTIONS.get(word, "data dtypes") for words in conditions for word in words}
    questions |= {cast_condition(word): INDEX_DTYPES for word in questions if QUESTIONS.get(word) == INDEX_DTYPES}
    return Evidence("gather_nd", cases, tuple(conditions), questions, outcomes)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("r", "r", True),
        ("r", "a", False),
        ("A", "a", True),
        ("d", "d", False),
        ("h", "h", False),
        ("u", "u", None),
        ("v", "v", False),
        ("~", "~", None),
        ("~", "a", None),
        ("u", "a", None),
        ("n", "a", None),
        ("u", "d", None),
        (".", "a", None),
        (".", "u", None),
        (".", ".", None),
    ],
)
def test_what_counts_as_agreement(one: str, other: str, expected: bool | None) -> None:
    found = pair_facts(made([("plain",)], {ONE: one, OTHER: other}), ONE, OTHER)
    assert (found.same, found.wrong) == {True: (1, 0), False: (0, 1), None: (0, 0)}[expected]
    turned = pair_facts(made([("plain",)], {ONE: other, OTHER: one}), ONE, OTHER)
    assert (turned.same, turned.wrong) == (found.same, found.wrong)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a", "a", Takes(1, 0, 0, 0, 0, 0)),
        ("a", "b", Takes(0, 1, 0, 0, 0, 0)),
        ("a", "v", Takes(0, 1, 0, 0, 0, 0)),
        ("a", "r", Takes(0, 0, 1, 0, 0, 0)),
        ("r", "v", Takes(0, 0, 0, 1, 0, 0)),
        ("r", "r", Takes(0, 0, 0, 0, 1, 0)),
        ("d", "r", Takes(0, 0, 0, 0, 0, 1)),
        ("r", "h", Takes(0, 0, 0, 0, 0, 1)),
        ("d", "a", Takes(0, 0, 0, 0, 0, 1)),
        ("d", "d", Takes(0, 0, 0, 0, 0, 1)),
        ("~", "r", Takes(0, 0, 0, 0, 0, 0)),
        ("a", "u", Takes(0, 0, 0, 0, 0, 0)),
    ],
)
def test_to_end_the_process_is_neither_to_take_a_call_nor_to_refuse_it(one: str, other: str, expected: Takes) -> None:
    assert takes(made([("plain",)], {ONE: one, OTHER: other}), ONE, OTHER) == expected


def test_agreement_on_cast_indices_says_nothing_of_their_dtype() -> None:
    conditions = [("indices in int32", "slices")]
    cast = porting(made(conditions, {ONE: "a", OTHER: "A"}), [ONE, OTHER])
    assert set(cast.safe) == {"slices", "indices in int32, cast for some of them"}
    assert set(porting(made(conditions, {ONE: "a", OTHER: "a"}), [ONE, OTHER]).safe) == {"slices", "indices in int32"}


def test_disagreement_on_cast_indices_is_not_blamed_on_a_dtype_that_one_was_never_called_with() -> None:
    got = porting(made([("one", "indices in int16"), ("one",)], {ONE: "Aa", OTHER: "ra"}), [ONE, OTHER])
    assert (set(got.safe), got.unsafe) == ({"one"}, {"indices in int16, cast for some of them": ("case 0",)})


def test_a_cast_call_counts_for_the_dtype_that_its_indices_were_cast_to() -> None:
    written = made([("indices in int16",), ("indices in int32",)], {ONE: "Ar", OTHER: "Br"})
    cast = {"indices in int32": 1}
    got = porting(replace(written, cast_to={ONE: cast, OTHER: cast}), [ONE, OTHER])
    assert got.unsafe == {"indices in int32": ("case 0",)}


def test_a_cast_of_one_index_says_nothing_of_another() -> None:
    case = record("advanced_index_get", input={"int32": [[1, 2]]}, i={"int8": [0]}, j={"int64": [1]}, key="i, j")
    points = record(
        "advanced_index_get", input={"int32": "zeros([1, 1, 1, 1])"}, i=case.call["i"], j=case.call["j"], key="i, j"
    )
    cast = _result("1", OTHER, returned(), cast={"i": "int64"})
    results = _results({"1": {ONE: returned(), OTHER: cast}, "2": {ONE: returned()}})
    dtypes = {"i": "int8", "j": "int64"}
    cases = {
        "1": replace(case, id="1", clause="it.rule.all", dtypes=dtypes),
        "2": replace(points, id="2", clause="it.rule.all", dtypes=dtypes),
    }
    [found] = evidence(Table(replace(results, cases=cases)))
    got = porting(found, [ONE, OTHER])
    assert {"index i: indices in int8, cast for some of them", "index j: indices in int64"} <= {*got.safe}
    assert "index i: indices in int8" in got.unproven
    assert found.cast_from(OTHER, "index i: indices in int8") == 1
    assert found.cast_from(OTHER, "index j: indices in int64") == found.cast_from(ONE, "index i: indices in int8") == 0


def test_only_a_call_that_returns_elements_proves_a_condition_safe() -> None:
    conditions = [("wide", "raising"), ("wide",), ("nothing",), ("hollow",), ("empty",)]
    evidence = replace(made(conditions, {ONE: "raaa.", OTHER: "raaa."}), empty={ONE: 0b01000, OTHER: 0b01000})
    got = porting(evidence, [ONE, OTHER])
    assert (got.safe, got.raising) == ({"wide": ("case 1",), "nothing": ("case 2",)}, {"raising": ("case 0",)})
    assert set(got.unproven) == {"hollow", "empty"}
    about = replace(evidence, questions={**evidence.questions, "hollow": EMPTINESS})
    assert "hollow" in porting(about, [ONE, OTHER]).safe


def test_the_condition_that_explains_is_left_out_and_those_beside_it_stay() -> None:
    found = told(["plain", "plain negative", "wide negative", "wide"], one="aaaa", other="arra")
    assert tuple(pair_facts(found, ONE, OTHER).against) == ("negative",)


def test_a_condition_is_safe_again_where_another_explains_all_against_it() -> None:
    # rare is blamed first, as all that has it is wrong, then negative, which explains that case too
    found = told(["rare negative", "negative", "negative wide", "wide"], one="aaaa", other="rraa")
    assert tuple(pair_facts(found, ONE, OTHER).against) == ("negative",)


def test_a_rule_that_is_broken_does_not_hide_the_condition_that_breaks_it() -> None:
    rule = "breaks rule index-range"
    conditions = [("negative", rule), ("negative", rule), ("negative",), ("plain",)]
    found = made(conditions, {ONE: "aaaa", OTHER: "rraa"})
    assert tuple(pair_facts(found, ONE, OTHER).against) == ("negative",)


def test_what_no_word_explains_goes_by_its_clause() -> None:
    clause = "other calls of it.rule.a"
    outcomes = {ONE: "aaaaa", OTHER: "rraaa"}
    by_clause = [("plain", "wide", clause), ("plain", clause), ("plain",), ("plain", "wide"), ("plain", "odd")]
    assert porting(made(by_clause, outcomes), [ONE, OTHER]).unsafe == {clause: ("case 0", "case 1")}
    by_name = [("plain", "wide", clause), ("plain", clause), ("plain", "wide", clause), ("odd",), ("odd",)]
    assert tuple(pair_facts(made(by_name, outcomes), ONE, OTHER).against) == ("plain",), (
        "which explains as much, and has a name"
    )
    assert clause not in porting(made(by_clause, {ONE: "aaaaa", OTHER: "aaaaa"}), [ONE, OTHER]).safe


def test_proofs_and_contradictions_are_the_cases_in_which_all_else_is_safe() -> None:
    found = told(["plain", "plain negative", "wide negative", "wide", "plain odd"], one="aaaa.", other="arrab")
    got = porting(found, [ONE, OTHER])
    assert got.safe == {"plain": ("case 0",), "wide": ("case 3",)}
    assert got.unsafe == {"negative": ("case 1", "case 2")}
    assert got.unproven == ("odd",)
    assert got.differing == ("case 1", "case 2")


def test_agreement_on_a_case_that_has_something_unsafe_besides_proves_nothing() -> None:
    got = porting(told(["plain", "plain", "plain negative", "wide negative"], one="aaaa", other="aara"), [ONE, OTHER])
    assert (set(got.safe), set(got.unsafe), got.unproven) == ({"plain"}, {"negative"}, ("wide",))


def test_a_case_with_two_unsafe_conditions_contradicts_neither() -> None:
    got = porting(told(["negative", "odd", "negative odd", "plain"], one="aaaa", other="rrra"), [ONE, OTHER])
    assert got.unsafe == {"negative": ("case 0",), "odd": ("case 1",)}
    assert got.differing == ("case 0", "case 1", "case 2")


def test_of_three_a_condition_is_safe_where_it_is_for_each_two() -> None:
    got = porting(told(["plain", "narrow", "wide", "odd"], one="aaaa", other="abab", third="aacb"), [ONE, OTHER, THIRD])
    assert (set(got.safe), got.agreeing) == ({"plain"}, ("case 0",))
    assert got.unsafe == {"narrow": ("case 1",), "odd": ("case 3",), "wide": ("case 2",)}


def test_of_three_one_cast_is_enough_to_prove_nothing_of_a_dtype() -> None:
    found = made([("indices in int32", "slices")], {ONE: "A", OTHER: "a", THIRD: "a"})
    got = porting(found, [ONE, OTHER, THIRD])
    assert set(got.safe) == {"slices", "indices in int32, cast for some of them"}
    assert got.unproven == ("indices in int32",)


def test_a_case_that_one_did_not_run_proves_nothing_for_all_but_may_contradict() -> None:
    got = porting(told(["plain", "wide"], one="aa", other="ab", third=".."), [ONE, OTHER, THIRD])
    assert (got.safe, got.unproven, got.agreeing) == ({}, ("plain",), ())
    assert (got.unsafe, got.differing) == ({"wide": ("case 1",)}, ("case 1",))


def test_what_one_has_no_form_for_is_no_disagreement_and_is_listed() -> None:
    got = porting(told(["plain", "plain", "wide", "odd", "odd"], one="abauu", other="acuu."), [ONE, OTHER])
    assert (got.agreeing, got.differing, got.lacking) == (("case 0",), ("case 1",), {OTHER: ("case 2",)})
    assert "wide" not in got.unsafe


CONDITIONS = ("negative", "twice", "wide", "other calls of it.rule.a")
LETTERS = some.sampled_from("abrudhv.")
CONDITIONS_OF_CASE = some.sets(some.sampled_from(CONDITIONS), min_size=1)
CASES = some.lists(some.tuples(CONDITIONS_OF_CASE, LETTERS, LETTERS, LETTERS), min_size=1, max_size=12)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CASES)
def test_whatever_was_seen_safe_is_never_contradicted_and_unsafe_always_is(
    cases: list[tuple[set[str], str, str, str]],
) -> None:
    names = [tuple(sorted(conditions)) for conditions, *_ in cases]
    letters = ["".join(str(case[at]) for case in cases) for at in (1, 2, 3)]
    found = made(names, dict(zip((ONE, OTHER, THIRD), letters, strict=True)))
    got = porting(found, [ONE, OTHER, THIRD])
    assert all(got.unsafe.values())
    for case in got.differing:
        assert set(names[found.cases.index(case)]) & set(got.unsafe)
    for condition, proofs in got.safe.items():
        assert proofs
        assert condition not in got.unsafe
        for case in proofs:
            did = {one[found.cases.index(case)] for one in letters}
            assert len(did) == 1
            assert did <= set("abr")


def _result(case: str, of: Implementation, outcome: Outcome, **more: Any) -> ResultRecord:
    more = {"verdict": "observed", **more}
    return ResultRecord(case, of.target, of.api, "it.rule.all", outcome, standing="portability", **more)


def _results(outcomes: Mapping[str, Mapping[Implementation, Any]], family: Any = "rule") -> Results:
    case = record("gather_nd", params={"int32": [1, 2]}, indices={"int32": [[0], [1]]})
    clause = ClauseRecord("it.rule.all", "gather_nd", family, "All.", [], "it.yaml:1")
    return Results(
        run=RunRecord("2026-01-09T08:07:06+00:00", "conformance run", 7, "f00d", "0.1.0"),
        clauses={clause.id: clause},
        cases={name: replace(case, id=name, clause=clause.id) for name in outcomes},
        mappings=[
            MappingRecord(one.target, one.api, "gather_nd", False, "def gather_nd(): ...") for one in (ONE, OTHER)
        ],
        results=[
            result if isinstance(result, ResultRecord) else _result(name, of, result)
            for name, of_case in outcomes.items()
            for of, result in of_case.items()
        ],
    )


def test_outcomes_are_letters_and_the_same_letter_is_the_same() -> None:
    blocked = _result("4", OTHER, returned(), verdict="blocked")
    [found] = evidence(
        Table(
            _results(
                {
                    "1": {ONE: returned(), OTHER: _result("1", OTHER, returned(), cast={"indices": "int64"})},
                    "2": {ONE: returned(), OTHER: returned(dtype="int64")},
                    "3": {ONE: raised(), OTHER: SEGFAULT},
                    "4": {ONE: HUNG, OTHER: blocked},
                    "5": {OTHER: UNSUPPORTED},
                    "6": {ONE: returned(), OTHER: NOT_EXPORTED},
                }
            )
        )
    )
    assert found.outcomes == {ONE: "aarh.a", OTHER: "Abd.un"}


def test_the_bits_of_a_nan_do_not_count_and_what_varies_is_never_the_same() -> None:
    nan = returned([float("nan"), 1.0], "float32")
    other = replace(nan, digest="of another payload")
    unstable = _result("2", OTHER, nan, verdict="diverges", divergence=["unstable"])
    [found] = evidence(Table(_results({"1": {ONE: nan, OTHER: other}, "2": {ONE: nan, OTHER: unstable}})))
    assert found.outcomes == {ONE: "aa", OTHER: "av"}


def test_relations_are_left_out() -> None:
    assert evidence(Table(_results({"1": {ONE: returned()}}, family="relation"))) == []


def test_of_apis_with_equally_many_forms_the_plain_one_comes_first() -> None:
    mappings = [
        MappingRecord(ONE.target, "json.in_place", "gather_nd", False, "...", in_place="params"),
        MappingRecord(ONE.target, "json.plain", "gather_nd", False, "..."),
        MappingRecord(ONE.target, "json.plain(out=)", "gather_nd", False, "...", follows="json.plain"),
        MappingRecord(ONE.target, "json.other", "gather_nd", False, "..."),
    ]
    apis = [Implementation(ONE.target, mapping.api) for mapping in mappings]
    results = replace(_results({"1": dict.fromkeys(apis, returned())}), mappings=mappings)
    [found] = evidence(Table(results))
    names = [implementation.api for implementation in found.implementations_of(ONE.target)]
    assert names == ["json.plain", "json.other", "json.plain(out=)", "json.in_place"]


def test_the_api_with_most_forms_comes_first() -> None:
    wider = Implementation(ONE.target, "json.wider")
    for lacking in (UNSUPPORTED, NOT_EXPORTED):
        [found] = evidence(Table(_results({"1": {ONE: lacking, wider: returned()}})))
        assert found.implementations_of(ONE.target) == (wider, ONE)


@pytest.mark.parametrize(("outcome", "is_taken"), [(returned(), False), (raised(), False), (SEGFAULT, True)])
def test_what_comes_of_earlier_calls_is_neither_taken_nor_refused_and_a_death_is_never_left_out(
    outcome: Outcome, is_taken: bool
) -> None:
    case = replace(record("gather_nd", params={"float32": [5, 6]}, indices={"int64": [[1]]}), id="it/1", clause="it")
    one = ResultRecord("it/1", ONE.target, ONE.api, "it", returned(), "conforms", "own")
    other = ResultRecord("it/1", OTHER.target, OTHER.api, "it", outcome, "diverges", "own", ["contaminated"])
    [found] = evidence(
        Table(
            Results(
                RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
                clauses={"it": ClauseRecord("it", "gather_nd", "behaviour", "It does.", [], "it.yaml:1")},
                cases={"it/1": case},
                mappings=[MappingRecord(each.target, each.api, "gather_nd", False, "...") for each in (ONE, OTHER)],
                results=[one, other],
            )
        )
    )
    common = porting(found, [ONE, OTHER])
    assert (common.agreeing, common.differing) == ((), ("it/1",) if is_taken else ())
