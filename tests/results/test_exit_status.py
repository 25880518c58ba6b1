"""Which results fail a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.judging.vocabulary import Standing
from conformance.results.exit_status import fails
from tests.reports.sample_several import several


@pytest.mark.parametrize(("standing", "failing"), [("own", True), ("printed", True), ("portability", False)])
def test_a_divergence_from_what_a_document_about_the_api_says_fails_a_run(standing: Standing, failing: bool) -> None:
    sample = several().results[0]
    divergence = replace(sample, verdict="diverges", divergence=["value"], known=None, standing=standing)
    assert fails(divergence, "own") is failing
    assert fails(divergence, "any")
    assert not fails(divergence, "never")
    assert not fails(replace(divergence, known="an-entry"), "any")
