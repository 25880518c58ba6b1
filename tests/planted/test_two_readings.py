"""A sentence that is read in two ways is found in planted documents, and one that is read in one way or with a reason is not."""

from __future__ import annotations

import pytest

from conformance.specification.loader import load_specs
from conformance.specification.model import Catalogue
from conformance.specification.readings import check_readings
from tests.planted.two_readings import SISTER, with_clause, with_erratum


@pytest.fixture(scope="module")
def specs() -> Catalogue:
    return load_specs()


def problems(catalogue: Catalogue) -> list[str]:
    return [str(problem) for problem in check_readings(catalogue)]


def test_a_sentence_that_one_document_corrects_and_another_claims_needs_a_reason(specs: Catalogue) -> None:
    assert any(SISTER in problem for problem in problems(with_erratum(specs, None)))
    assert problems(with_erratum(specs, "The sister API does it.")) == []


def test_what_one_document_forbids_and_another_only_observes_is_found(specs: Catalogue) -> None:
    assert any(SISTER in problem for problem in problems(with_clause(specs, judged=False)))
    assert problems(with_clause(specs, judged=True)) == []
