"""What is wrong, by danger and cause."""

from __future__ import annotations

from typing import Any, cast

import pytest

from conformance.findings.causes import Cause, causes, danger_of
from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, KnownRecord, ResultRecord, RunRecord, TargetRecord
from tests.outcomes import HUNG, SEGFAULT, UNSUPPORTED, raised, returned

EAGER, COMPILED, OTHER = (
    TargetRecord("torch==2.13@cpu", "torch", "2.13", "cpu", "eager"),
    TargetRecord("torch==2.13[compile]@cpu", "torch", "2.13", "cpu", "compile"),
    TargetRecord("jax==0.10@cpu", "jax", "0.10", "cpu", "eager"),
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


def found(*results: ResultRecord) -> list[Cause]:
    clauses = {name: ClauseRecord(name, name.partition(".")[0], "rule", "It is so.", [], "it.yaml:1")
               for name in dict.fromkeys(one.clause for one in results)}  # fmt: skip
    known = KnownRecord("torch", "it-crashes", "It crashes.", "https://example.org/1", "divergences.yaml:1")
    return causes(
        Results(
            RunRecord("2026-01-09T08:07:06Z", "conformance run", 0, "f00d", "0.1.0"),
            targets=[EAGER, COMPILED, OTHER],
            clauses=clauses,
            results=list(results),
            known={("torch", "it-crashes"): known},
        )
    )


@pytest.mark.parametrize(
    ("danger", "one"),
    [
        ("varies", result("value", determinism=VARYING)),
        ("varies", result("value contaminated")),
        ("varies", result("accepted unstable")),
        ("ends", result(outcome=SEGFAULT, verdict="died")),
        ("ends", result(outcome=HUNG, verdict="hung")),
        ("outside", result("accepted", behaviour="other")),
        ("outside", result("input-changed", returned(spilled=("a",)))),
        ("wrong", result("value")),
        ("wrong", result("accepted input-changed")),
        ("accepts", result("accepted", behaviour="clamps")),
        ("refuses", result("rejected", raised())),
        ("error", result("error-type", raised())),
        (None, result()),
        (None, result(verdict="observed", determinism=VARYING)),
        (None, result(outcome=UNSUPPORTED, verdict="unsupported")),
    ],
)
def test_the_danger_of_a_result(danger: str | None, one: ResultRecord) -> None:
    assert danger_of(one) == danger


def test_the_most_dangerous_comes_first_and_then_what_breaks_its_own_documentation() -> None:
    accepted, own = result("accepted", clause="a"), result("accepted", clause="b", standing="own")
    died, varying = result(outcome=SEGFAULT, verdict="died", clause="c"), result("value unstable", clause="d")
    assert [cause.first for cause in found(accepted, own, died, varying)] == [varying, died, own, accepted]
    assert [cause.is_alarming for cause in found(accepted, own, died, varying)] == [True, True, True, False]


def test_a_cause_has_all_the_apis_and_targets_of_its_framework() -> None:
    [cause, other] = found(
        result("accepted", api="f"), result("accepted", api="g", target=COMPILED), result("accepted", target=OTHER)
    )
    assert (cause.apis, cause.targets) == (("f", "g"), (EAGER.id, COMPILED.id))
    assert other.framework == "jax"


def test_one_entry_of_the_ledger_is_one_cause_whatever_its_clauses() -> None:
    [cause] = found(
        result("accepted", known="it-crashes"),
        result(outcome=SEGFAULT, verdict="died", known="it-crashes", clause="scatter_nd.rule.b"),
    )
    assert (cause.danger, len(cause.clauses)) == ("ends", 2)
    assert cause.known
    assert cause.known.link == "https://example.org/1"


def test_an_argument_that_is_changed_under_several_clauses_has_one_cause_and_what_is_accepted_has_several() -> None:
    clauses = ("gather_nd.rule.a", "gather_nd.rule.b")
    assert len(found(*(result("input-changed", clause=clause) for clause in clauses))) == 1
    assert len(found(*(result("accepted", clause=clause) for clause in clauses))) == 2
