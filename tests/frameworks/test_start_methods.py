"""Forked workers of the real frameworks give what new processes give."""

from __future__ import annotations

import pytest

from tests.planted.start_methods import comparisons, representative_cases, targets_with_environment

pytestmark = pytest.mark.frameworks

OPERATIONS = ("gather_elements", "scatter_nd", "index_select")


def test_forked_workers_agree_with_new_processes_on_every_framework_with_an_environment() -> None:
    cases = [case for case in representative_cases(*OPERATIONS) if case.clause.family == "example"]
    targets = targets_with_environment()
    assert targets, "no environment"
    found = dict(zip([target.asked for target in targets], comparisons(targets, cases), strict=True))
    assert {name: comparison.found for name, comparison in found.items() if not comparison.agree} == {}
