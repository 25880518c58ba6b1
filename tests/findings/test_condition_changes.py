"""Under which conditions an API does something else than in the version before."""

from __future__ import annotations

from dataclasses import replace

from conformance.findings.compare import sides
from conformance.findings.condition_changes import ConditionChange, condition_changes
from conformance.findings.evidence import evidence
from conformance.findings.timeline import timelines
from conformance.results.file import Results
from tests.outcomes import ABORT, UNSUPPORTED, raised
from tests.reports.sample_questions import CASES, OLD_TORCH, TORCH, results_to_ask


def changes(results: Results, framework: str = "torch") -> list[ConditionChange]:
    of_targets = sides(results)
    [line] = [each for each in timelines(results) if each.framework == framework and each.mode == "eager"]
    [step] = line.steps
    return condition_changes(evidence(results), of_targets[step.first], of_targets[step.second])


def with_int32(before: object, after: object) -> Results:
    results = results_to_ask()
    outcomes = {OLD_TORCH.id: before, TORCH.id: after}
    return replace(
        results,
        results=[
            replace(each, outcome=outcomes[each.target])  # type: ignore[arg-type] # an outcome
            if each.case == CASES["in int32"].id and each.target in outcomes
            else each
            for each in results.results
        ],
    )


def test_a_change_names_the_condition_that_explains_it_with_what_was_and_is() -> None:
    [change] = changes(results_to_ask())
    assert (change.api, change.condition) == ("torch.gather", "indices in int32")
    assert (change.was, change.now) == ("raises RuntimeError", "returns")
    [call] = change.changes
    assert (call.first.target, call.second.target, call.second.case) == (OLD_TORCH.id, TORCH.id, CASES["in int32"].id)


def test_other_elements_are_a_change() -> None:
    [change] = changes(results_to_ask(), "tensorflow")
    assert (change.condition, change.was, change.now) == ("duplicate indices", "returns", "returns with other elements")


def test_another_type_of_error_is_no_change() -> None:
    assert changes(with_int32(raised("RuntimeError"), raised("ValueError"))) == []


def test_a_call_that_a_version_does_not_support_is_no_change() -> None:
    assert changes(with_int32(UNSUPPORTED, raised())) == []


def test_a_process_that_ends_as_before_did_not_change() -> None:
    assert changes(with_int32(ABORT, ABORT)) == []
    assert [(change.was, change.now) for change in changes(with_int32(raised(), ABORT))] == [
        ("raises IndexError", "died (SIGABRT)")
    ]
