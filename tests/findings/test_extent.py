"""What was run, and why an API says nothing of a situation."""

from __future__ import annotations

from dataclasses import replace

from conformance.findings.conclusions import Conclusions
from conformance.outcomes.model import Outcome
from conformance.results.file import Results
from conformance.results.records import (
    CaseRecord,
    ClauseRecord,
    MappingRecord,
    MergedRunRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
)
from tests.findings.test_recorded_call import record
from tests.outcomes import UNSUPPORTED, raised, returned

TORCH, JAX = (TargetRecord(f"{name}@cpu", name, "1", "cpu", "eager", asked=name) for name in ("torch", "jax"))


def case(name: str, index: int) -> CaseRecord:
    call = record("gather_nd", params={"float32": [5, 6, 7]}, indices={"int64": [[index]]})
    return replace(call, id=f"it/{name}", clause="it", expectation={"returns": {}})


CASES = [case("usual", 1), case("past", 3), case("further", 4), case("below", -1)]


def results(*rows: tuple[TargetRecord, str, str, Outcome, str]) -> Results:
    return Results(
        RunRecord("2026-01-09T08:07:06Z", "conformance run torch jax", 0, "f00d", "0.1.0"),
        targets=[TORCH, JAX],
        clauses={"it": ClauseRecord("it", "gather_nd", "rule", "It does.", [], "it.yaml:1")},
        cases={each.id: each for each in CASES},
        mappings=[MappingRecord(target.id, "f", "gather_nd", False, "...") for target in (TORCH, JAX)],
        results=[
            ResultRecord(f"it/{name}", target.id, api, "it", outcome, verdict, "portability")  # type: ignore[arg-type]
            for target, api, name, outcome, verdict in rows
        ],
    )


RUN = results(
    (TORCH, "f", "usual", returned(), "conforms"),
    (TORCH, "f", "past", raised(), "conforms"),
    (TORCH, "f", "further", UNSUPPORTED, "unsupported"),
    (TORCH, "f", "below", raised(), "conforms"),
    (JAX, "f", "past", returned(), "blocked"),
    (JAX, "f", "below", raised(phase="arguments"), "unsupported"),
)


def test_each_case_of_a_target_was_called_or_was_not_for_a_reason() -> None:
    torch, jax = Conclusions(RUN).extents
    assert (torch.cases, torch.called, torch.not_called) == (4, 3, {"unsupported": ("it/further",)})
    assert (jax.cases, jax.called) == (4, 0)
    assert jax.not_called == {
        "deselected": ("it/usual", "it/further"),
        "blocked": ("it/past",),
        "arguments": ("it/below",),
    }


def test_a_case_for_another_kind_of_device_does_not_concern_a_target() -> None:
    on_a_gpu = replace(CASES[0], device="gpu")
    torch, _ = Conclusions(replace(RUN, cases={**RUN.cases, on_a_gpu.id: on_a_gpu})).extents
    assert torch.cases == 3


def test_a_case_about_apis_that_promise_it_does_not_concern_a_target_without_one() -> None:
    clauses = {"it": replace(RUN.clauses["it"], only_documented=True)}
    torch, jax = Conclusions(replace(RUN, clauses=clauses)).extents
    assert (torch.cases, jax.cases) == (4, 2)
    assert "deselected" not in jax.not_called
    gaps = Conclusions(replace(RUN, clauses=clauses)).gaps
    assert not any("deselected" in gap.absences for gap in gaps)


def test_a_case_that_breaks_a_rule_of_some_apis_does_not_concern_a_target_without_others() -> None:
    cases = {name: replace(case, breaks_promises=["gather.rule.rank"]) for name, case in RUN.cases.items()}
    torch, jax = Conclusions(replace(RUN, cases=cases)).extents
    assert (torch.cases, jax.cases) == (4, 2)


def test_of_merged_runs_the_commands_are_those_that_requested_the_target() -> None:
    runs = [MergedRunRecord("...", f"conformance run {name}", [name]) for name in ("torch", "jax", "torch")]
    torch, jax = Conclusions(replace(RUN, run=replace(RUN.run, merged=runs))).extents
    assert torch.commands == ("conformance run torch", "conformance run torch")
    assert jax.commands == ("conformance run jax",)
    assert Conclusions(RUN).extents[0].commands == ("conformance run torch jax",)


def test_a_situation_that_no_call_of_an_api_tells_about_is_a_gap_with_the_reasons() -> None:
    gaps = {(gap.target, gap.situation.name): gap.absences for gap in Conclusions(RUN).gaps}
    assert gaps == {
        (JAX.id, "usual"): {"deselected": ("it/usual",)},
        (JAX.id, "int64-indices"): {"deselected": ("it/usual",)},
        (JAX.id, "past-the-end"): {"deselected": ("it/further",), "blocked": ("it/past",)},
        (JAX.id, "below-zero"): {"arguments": ("it/below",)},
    }
    in_order = dict.fromkeys(behaviour.situation.name for behaviour in Conclusions(RUN).behaviours)
    assert [name for _, name in gaps] == [name for name in in_order if (JAX.id, name) in gaps]
