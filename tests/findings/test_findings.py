"""What is wrong: results in findings, and findings in causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import FINDING_SORTS, Cause, Count, count, danger_of
from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Outcome, Outside
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, KnownRecord, ResultRecord, RunRecord, TargetRecord
from conformance.results.table import sort_of
from tests.findings.test_recorded_call import record
from tests.outcomes import HUNG, SEGFAULT, UNSUPPORTED, raised, returned
from tests.reports.sample import sample

EAGER, COMPILED, OTHER, EXPORTED = (
    TargetRecord("torch==2.13@cpu", "torch", "2.13", "cpu", "eager"),
    TargetRecord("torch==2.13[compile]@cpu", "torch", "2.13", "cpu", "compile"),
    TargetRecord("jax==0.10@cpu", "jax", "0.10", "cpu", "eager"),
    TargetRecord("torch==2.13[export]@cpu", "torch", "2.13", "cpu", "export", path=True),
)
VARYING = Determinism(11, 3, "varies", False)


def result(
    divergence: str = "", outcome: Outcome | None = None, target: TargetRecord = EAGER, api: str = "f", **more: Any
) -> ResultRecord:
    outcome = outcome or returned()
    verdict = more.pop("verdict", "diverges" if divergence else "conforms")
    clause = more.pop("clause", "gather_nd.rule.a")
    standing = more.pop("standing", "portability")
    return ResultRecord(
        f"{clause}/1",
        target.id,
        api,
        clause,
        outcome,
        verdict,
        standing,
        divergence=cast("Any", divergence.split()),
        **more,
    )


def conclusions(*results: ResultRecord) -> Conclusions:
    clauses = {name: ClauseRecord(name, name.partition(".")[0], "rule", "It is so.", [], "it.yaml:1")
               for name in dict.fromkeys(one.clause for one in results)}  # fmt: skip
    known = KnownRecord("torch", "it-crashes", "It crashes.", "https://example.org/1", "divergences.yaml:1")
    return Conclusions(
        Results(
            RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
            targets=[EAGER, COMPILED, OTHER, EXPORTED],
            clauses=clauses,
            results=list(results),
            known={("torch", "it-crashes"): known},
        )
    )


def causes_of(*results: ResultRecord) -> tuple[Cause, ...]:
    return conclusions(*results).causes


@pytest.mark.parametrize(
    ("danger", "one"),
    [
        ("varies", result("value", determinism=VARYING)),
        ("varies", result("value contaminated")),
        ("varies", result("accepted unstable")),
        ("ends", result(outcome=SEGFAULT, verdict="died")),
        ("ends", result(outcome=HUNG, verdict="hung")),
        ("outside", result("wrote-outside", returned(outside=(Outside("a", "wrote"),)))),
        ("internal", result("rejected internal", raised())),
        ("wrong", result("value", standing="own")),
        ("wrong", result("accepted input-changed", standing="printed")),
        ("differs", result("value")),
        ("differs", result("accepted input-changed")),
        ("accepts", result("accepted", behaviour="other")),
        ("accepts", result("accepted", behaviour="clamps")),
        ("refuses", result("rejected", raised())),
        ("error", result("error-type", raised())),
        (None, result()),
        (None, result(verdict="observed", determinism=VARYING)),
        (None, result(outcome=UNSUPPORTED, verdict="unsupported")),
    ],
)
def test_the_danger_of_a_result(danger: str | None, one: ResultRecord) -> None:
    assert danger_of(one, None) == danger


READ = {"params": {"int32": [5, 6, 7]}, "indices": {"int64": [[1], [4294967297]]}}
FLOATS = {"params": {"float32": [0.1, 0.2]}, "indices": {"int64": [[0], [7]]}}
WRITE = {"tensor": {"int32": [5, 6, 7]}, "indices": {"int64": [[1], [9]]}, "updates": {"int32": [10, 20]}}


@pytest.mark.parametrize(
    ("operation", "call", "outcome", "danger"),
    [
        ("gather_nd", READ, returned([6, 65], "int32"), "outside"),
        ("gather_nd", READ, returned([6, 6], "int32"), "accepts"),  # cut to 32 bits
        ("gather_nd", READ, returned([6, 0], "int32"), "accepts"),
        ("gather_nd", READ, returned([6, -(2**31)], "int32"), "accepts"),
        ("gather_nd", FLOATS, returned([0.1, "nan"], "float32"), "accepts"),
        ("gather_nd", FLOATS, returned([0.1, 9.1e-44], "float32"), "outside"),
        ("gather_nd", READ, replace(returned([6, 65], "int32"), values=None), "accepts"),
        ("tensor_scatter_nd_update", WRITE, returned([5, 30, 7], "int32"), "accepts"),
    ],
)
def test_only_an_element_that_is_in_no_argument_was_read_outside(
    operation: str, call: dict[str, Any], outcome: Outcome, danger: str
) -> None:
    case = record(operation, **call)
    assert danger_of(result("accepted", outcome, behaviour="other"), case) == danger


def test_the_most_dangerous_comes_first_and_then_what_breaks_its_own_documentation() -> None:
    accepted, own = result("accepted", clause="a"), result("accepted", clause="b", standing="own")
    died, varying = result(outcome=SEGFAULT, verdict="died", clause="c"), result("value unstable", clause="d")
    causes = causes_of(accepted, own, died, varying)
    assert [cause.worst.first for cause in causes] == [varying, died, own, accepted]
    assert [cause.is_alarming for cause in causes] == [True, True, True, False]


def test_own_findings_come_first_then_deaths_then_portability() -> None:
    sorts = [finding.sort for finding in Conclusions(sample()).findings]
    assert sorts == ["own"] * 3 + ["died", "hung"] + ["portability"] * 7


def test_results_of_one_api_that_fail_one_clause_alike_are_one_finding_of_all_results_for_it() -> None:
    died = next(finding for finding in Conclusions(sample()).findings if finding.sort == "died")
    assert [result.case.rpartition("/")[2] for result in died.results] == ["broken.1", "broken.2"]
    assert died.of == 3


def test_a_finding_mixes_neither_standings_nor_kinds_nor_entries_of_a_ledger_nor_what_was_confirmed() -> None:
    found = conclusions(
        result("value", standing="own"),
        result("value"),
        result("dtype"),
        result("value", known="it-crashes"),
        result("value", confirmed="no"),
    ).findings
    assert len(found) == 5
    assert len({finding.id for finding in found}) == 5


def test_the_danger_of_a_finding_and_of_a_cause_is_that_of_the_worst_result() -> None:
    [finding] = conclusions(result("value"), result("value", determinism=VARYING)).findings
    assert finding.danger == "varies"
    [cause] = causes_of(
        result("accepted", clause="a.b", known="it-crashes"),
        result("wrote-outside", returned(outside=(Outside("a", "wrote"),)), clause="a.c", known="it-crashes"),
    )
    assert (cause.danger, cause.worst.clause) == ("outside", "a.c")


def test_what_is_said_of_an_api_comes_from_its_own_results_though_another_shares_the_cause() -> None:
    varying = result("value", determinism=VARYING, api="f", known="it-crashes", standing="own")
    accepts = result("accepted", api="g", known="it-crashes")
    [cause] = causes_of(varying, accepts)
    of_g = cause.of("g")
    assert of_g is not None
    assert (cause.danger, cause.own) == ("varies", True)
    assert (of_g.danger, of_g.own, of_g.results, of_g.id) == ("accepts", False, (accepts,), cause.id)
    assert cause.of("h") is None


@pytest.mark.parametrize(
    ("others", "is_new"),
    [
        ([], True),
        ([result("dtype", target=COMPILED, known="it-crashes")], False),
        ([result("value", target=COMPILED, api="g", known="it-crashes")], True),
        ([result("value", target=COMPILED, clause="gather_nd.rule.b", known="it-crashes")], True),
        ([result("value", target=OTHER, known="it-crashes")], True),
    ],
)
def test_new_is_what_no_entry_of_any_version_records(others: list[ResultRecord], is_new: bool) -> None:
    [finding, *_] = [each for each in conclusions(result("value"), *others).findings if each.known is None]
    assert finding.is_new == is_new
    assert finding.elsewhere == (() if is_new else ("it-crashes",))


def test_a_finding_is_new_if_one_of_its_cases_is_recorded_nowhere_and_its_result_may_name_the_entry() -> None:
    one, two = result("value", elsewhere="older"), replace(result("value"), case="gather_nd.rule.a/2")
    [finding] = conclusions(one).findings
    assert (finding.is_new, finding.elsewhere) == (False, ("older",))
    [finding] = conclusions(one, two).findings
    assert finding.is_new


def test_a_cause_is_one_of_all_targets_of_a_framework() -> None:
    [cause, other] = causes_of(
        result("accepted"), result("accepted", target=COMPILED), result("accepted", target=OTHER)
    )
    assert (cause.apis, cause.targets) == (("f",), (EAGER.id, COMPILED.id))
    assert other.framework == "jax"


def test_only_an_entry_of_a_ledger_says_that_two_apis_have_one_cause() -> None:
    assert len(causes_of(result("accepted", api="f"), result("accepted", api="g"))) == 2
    [cause] = causes_of(*(result("accepted", api=api, known="it-crashes") for api in "fg"))
    assert cause.apis == ("f", "g")


def test_one_entry_of_the_ledger_is_one_cause_whatever_its_clauses() -> None:
    [cause] = causes_of(
        result("accepted", known="it-crashes"),
        result(outcome=SEGFAULT, verdict="died", known="it-crashes", clause="scatter_nd.rule.b"),
    )
    assert (cause.danger, len(cause.clauses), cause.id) == ("ends", 2, "torch:it-crashes")
    assert cause.entry
    assert cause.entry.link == "https://example.org/1"


def test_what_a_path_does_is_not_a_cause_of_what_the_framework_does() -> None:
    causes = causes_of(result("value"), result("value", target=EXPORTED))
    assert sorted(cause.on_path for cause in causes) == [False, True]
    assert len({cause.id for cause in causes}) == 2


def test_clauses_of_one_operation_share_a_cause_and_those_of_others_do_not() -> None:
    assert len(causes_of(*(result("value", clause=f"gather_nd.rule.{name}") for name in "ab"))) == 1
    assert len(causes_of(*(result("value", clause=f"{name}.rule.a") for name in ("gather_nd", "scatter_nd")))) == 2


def test_causes_and_findings_are_counted_by_sort() -> None:
    causes = causes_of(
        result("value", standing="own", clause="a.b", known="it-crashes"),
        result("value", standing="own", clause="a.c", known="it-crashes"),
        result("value", clause="a.d", known="it-crashes"),
        result("value", standing="printed"),
    )
    assert [count(causes, sort) for sort in ("own", "printed", "portability", "died")] == [
        Count(1, 2), Count(1, 1), Count(1, 1), Count(0, 0)
    ]  # fmt: skip
    assert count(causes, "own", "portability") == Count(1, 3)
    assert {cause.known: cause.own for cause in causes} == {"it-crashes": True, None: False}


ENDINGS: Mapping[str, Outcome] = {"died": SEGFAULT, "hung": HUNG}
RESULTS = st.builds(
    result,
    st.sampled_from(["value", "accepted", "accepted input-changed", "value unstable", "error-type"]),
    target=st.sampled_from([EAGER, COMPILED, OTHER, EXPORTED]),
    api=st.sampled_from(["f", "g"]),
    clause=st.sampled_from(["gather_nd.rule.a", "gather_nd.rule.b", "scatter_nd.rule.a"]),
    standing=st.sampled_from(["own", "printed", "portability"]),
    verdict=st.sampled_from(["diverges", "died", "hung", "conforms", "observed", "blocked", "unsupported"]),
    known=st.sampled_from([None, "it-crashes", "another"]),
    confirmed=st.sampled_from([None, "alone", "after-others", "no"]),
    behaviour=st.sampled_from([None, "clamps", "other"]),
)


@given(st.lists(RESULTS, max_size=30))
def test_each_failing_result_is_in_one_finding_and_each_finding_in_one_cause(records: list[ResultRecord]) -> None:
    records = [
        replace(record, case=str(number), outcome=ENDINGS.get(record.verdict, record.outcome))
        for number, record in enumerate(records)
    ]
    drawn = conclusions(*records)
    failing = [record for record in records if record.verdict in ("diverges", "died", "hung")]
    in_findings = [result for finding in drawn.findings for result in finding.results]
    assert sorted(in_findings, key=lambda record: int(record.case)) == failing
    in_causes = [finding for cause in drawn.causes for finding in cause.findings]
    assert sorted(finding.id for finding in in_causes) == sorted(finding.id for finding in drawn.findings)
    assert len({finding.id for finding in drawn.findings}) == len(drawn.findings)
    assert len({cause.id for cause in drawn.causes}) == len(drawn.causes)
    assert sum(count(drawn.causes, sort).findings for sort in FINDING_SORTS) == len(drawn.findings)
    for finding in drawn.findings:
        assert len({(sort_of(result), result.known, *result.divergence) for result in finding.results}) == 1
        assert len(finding.results) <= finding.of
    for cause in drawn.causes:
        assert cause.known is not None or len(cause.apis) == 1
