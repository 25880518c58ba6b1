"""Adapters that crash, hang or poison their process are reported as what they are, for the call that does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.judging.vocabulary import Verdict
from conformance.results.records import ResultRecord
from tests.outcomes import ABORT, SEGFAULT, returned
from tests.planted.faults import FAULTS, Fault, faulty_results


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[ResultRecord]:
    return faulty_results(tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_fault_is_reported_for_its_call_and_for_no_other(fault: Fault, results: Sequence[ResultRecord]) -> None:
    key = f"{fault.adapter}@cpu", fault.api
    assert fault.found([result for result in results if (result.target, result.api) == key]) == fault.expected


def _result(case: str, verdict: Verdict, **more: Any) -> ResultRecord:
    return replace(ResultRecord(case, "t", "a", "c", returned(), "conforms", "portability"), verdict=verdict, **more)


@pytest.mark.parametrize(
    ("results_of_crash", "found"),
    [
        ([], "no result"),
        ([_result(FAULTS[0].case, "conforms")], "conforms (signal None)"),
        ([_result(FAULTS[0].case, "died", outcome=ABORT)], "died (signal SIGABRT)"),
        (
            [_result(FAULTS[0].case, "died", outcome=SEGFAULT), _result("another", "diverges")],
            "and diverges in another",
        ),
    ],
    ids=["none", "conforms", "other-signal", "other-case"],
)
def test_a_fault_is_shown_only_by_the_expected_outcome_in_the_expected_case(
    results_of_crash: list[ResultRecord], found: str
) -> None:
    assert FAULTS[0].found(results_of_crash) != FAULTS[0].expected
    assert found in FAULTS[0].found(results_of_crash)
