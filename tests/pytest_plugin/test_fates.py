"""What a result is to pytest."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.judging.vocabulary import FailOn
from conformance.outcomes.model import Error, Outcome, Raised, Unsupported
from conformance.pytest_plugin.fates import Kind, fate_of
from conformance.results.records import ResultRecord

RAISED = Raised(Error("ValueError", "no"))
ADAPTERS_FAULT = Raised(Error("TypeError", "not an array", fault="adapter"))
NOT_RUN = Unsupported("gave up after five workers")


def kind(outcome: Outcome, fail_on: FailOn = "own", **more: Any) -> Kind:
    fields = {"standing": "portability", "verdict": "blocked", "explanation": "the control raised too", **more}
    return fate_of(ResultRecord("case", "target", "api", "clause", outcome, **fields), {}, fail_on).kind


def test_what_cannot_be_judged_by_other_documents_is_skipped_since_it_could_not_have_failed() -> None:
    assert kind(RAISED) == "skipped"
    assert kind(RAISED, "any") == "blocked"


@pytest.mark.parametrize("standing", ["own", "printed"])
def test_what_cannot_be_judged_by_the_own_document_is_an_error(standing: str) -> None:
    assert kind(RAISED, standing=standing) == "blocked"


@pytest.mark.parametrize("outcome", [ADAPTERS_FAULT, NOT_RUN])
def test_a_mistake_of_the_adapter_and_a_call_that_was_not_made_are_errors(outcome: Outcome) -> None:
    assert kind(outcome) == "blocked"


def test_a_divergence_from_other_documents_fails_on_request() -> None:
    assert kind(RAISED, verdict="diverges") == "xfailed"
    assert kind(RAISED, "any", verdict="diverges") == "failed"
