"""Modes and devices that do not do the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.findings.disagreements import disagreements
from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import ResultRecord, RunRecord, TargetRecord
from tests.outcomes import ABORT, abstract, raised, returned

EAGER = TargetRecord("torch==2.13.0@cpu", "torch", "2.13.0", "cpu", "eager")
COMPILED = replace(EAGER, id="torch==2.13.0[compile]@cpu", mode="compile", default_mode=False)
META = replace(EAGER, id="torch==2.13.0[meta]@cpu", mode="meta", default_mode=False)
CUDA = replace(EAGER, id="torch==2.13.0@cuda", device="cuda")
RETURNED = returned([1.0, float("nan")], "float32")
RAISED = raised("IndexError", "outside")
OTHER_ELEMENTS = returned([2.0, float("nan")], "float32")
OTHER_PAYLOAD = replace(RETURNED, digest="of another payload")
CLAUSE = "gather_elements.rule.index-range"


def result(target: TargetRecord, outcome: Outcome, case: str = "1", **more: Any) -> ResultRecord:
    fields = {"verdict": "conforms", "standing": "own"} | more
    return ResultRecord(f"{CLAUSE}/{case}", target.id, "torch.gather", CLAUSE, outcome, **fields)


def found(*results: ResultRecord, targets: list[TargetRecord] | None = None) -> list[Any]:
    run = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    return disagreements(Results(run, targets or [EAGER, COMPILED, META, CUDA], results=list(results)))


def aspects(one: Outcome, other: Outcome, **more: Any) -> tuple[str, ...]:
    told = found(result(EAGER, one), result(COMPILED, other, **more))
    return tuple(told[0].aspects) if told else ()


def test_modes_that_do_the_same_do_not_disagree() -> None:
    assert found(result(EAGER, RETURNED), result(COMPILED, RETURNED)) == []


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (RAISED, ("status",)),
        (ABORT, ("status",)),
        (returned([1.0, float("nan")], "float64"), ("dtype",)),
        (returned([[1.0, float("nan")]], "float32"), ("shape",)),
        (OTHER_ELEMENTS, ("value",)),
        (OTHER_PAYLOAD, ()),
    ],
)
def test_they_disagree_in_status_dtype_shape_and_elements(other: Outcome, expected: tuple[str, ...]) -> None:
    assert aspects(RETURNED, other) == expected


def test_type_and_message_of_an_error_do_not_count() -> None:
    assert aspects(RAISED, raised("TorchRuntimeError", "compiled")) == ()


def test_what_was_done_with_an_index_outside_counts() -> None:
    [one] = found(result(EAGER, RETURNED, behaviour="clamps"), result(COMPILED, RETURNED, behaviour="ignores"))
    assert one.aspects == ("behaviour",)


@pytest.mark.parametrize("verdict", ["blocked", "unsupported"])
def test_what_is_blocked_or_unsupported_says_nothing(verdict: str) -> None:
    assert aspects(RAISED, RETURNED, verdict=verdict) == ()


def test_elements_that_are_others_each_time_do_not_count() -> None:
    varies = Determinism(4, 3, "varies", permitted=True)
    assert aspects(RETURNED, OTHER_ELEMENTS, determinism=varies) == ()


def test_without_values_only_dtype_and_shape_of_what_returned_count() -> None:
    inferred = abstract("float32", (2,))
    assert found(result(EAGER, RETURNED, behaviour="clamps"), result(META, inferred)) == []
    assert found(result(EAGER, RAISED), result(META, inferred)) == []
    [one] = found(result(EAGER, RETURNED), result(META, abstract("float32", (3,))))
    assert one.aspects == ("shape",)


def test_devices_of_one_mode_disagree_as_devices() -> None:
    [one] = found(result(EAGER, RETURNED), result(CUDA, RAISED))
    assert (one.kind, one.targets) == ("devices", (EAGER.id, CUDA.id))


def test_neither_another_version_nor_another_mode_on_another_device_is_compared() -> None:
    older = replace(COMPILED, id="torch==2.12.0[compile]@cpu", version="2.12.0")
    far = replace(COMPILED, id="torch==2.13.0[compile]@cuda", device="cuda")
    some = [result(EAGER, RETURNED), result(older, RAISED), result(far, RAISED)]
    assert found(*some, targets=[EAGER, older, far]) == []


def test_each_of_several_modes_is_held_against_the_first() -> None:
    some = [result(EAGER, RETURNED), result(COMPILED, RAISED), result(META, RAISED)]
    assert [one.targets[1] for one in found(*some)] == [COMPILED.id, META.id]
    assert {one.targets[0] for one in found(*some)} == {EAGER.id}


def test_the_default_mode_is_what_others_are_held_against_then_the_first_that_was_asked_for() -> None:
    run = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0", targets=["x", "y", "z"])
    compiled, meta, eager = (replace(one, asked=name) for one, name in ((COMPILED, "y"), (META, "x"), (EAGER, "z")))
    some = [result(one, RETURNED if one.mode == "compile" else RAISED) for one in (compiled, meta, eager)]
    held = {
        one.targets
        for targets in ([compiled, meta], [compiled, meta, eager])
        for one in disagreements(Results(run, targets, results=some))
    }
    assert held == {(META.id, COMPILED.id), (EAGER.id, COMPILED.id)}


def test_the_cases_of_a_clause_and_an_api_are_told_together_with_the_first_as_example() -> None:
    some = [result(target, RETURNED, case) for target in (EAGER, COMPILED) for case in ("1", "2", "3")]
    some[4] = result(COMPILED, RAISED, "2")
    some[5] = result(COMPILED, returned([1.0, 2.0, 3.0], "float32"), "3")
    [one] = found(*some)
    assert (one.clause, one.api, one.cases, one.of) == (CLAUSE, "torch.gather", (f"{CLAUSE}/2", f"{CLAUSE}/3"), 3)
    assert one.aspects == ("status", "shape")
    assert (one.example.first, one.example.second) == (some[1], some[4])
