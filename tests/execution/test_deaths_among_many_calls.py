"""Calls that end the process now and then cost no other call its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variation import Drawn
from conformance.data_folders import adapters_folder
from conformance.execution import minimize
from conformance.execution.attempt import CallAttempt
from conformance.execution.budget import MOST_DEATHS, DeathsOnDraws
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import Verdict
from conformance.results.file import Results
from conformance.specification.literals import Tensor
from tests.execution.harness import FAKES, fake_cases, run_adapters

NUMBER = 300
DEADLY = {"fake.first": 7, "fake.second": 8}
"""For each API, the number on which it ends the process, modulo 50."""


def numbered(case: Case, number: int) -> Case:
    """A draw whose input and expected result are its number."""
    variation = Drawn(None, number, 1, (), load_reference(adapters_folder() / "reference" / "adapter.py"))
    value = Tensor("int64", np.array([number]), None)
    call = case.call.with_arguments({"input": value, "index": Tensor("int64", np.array([0]), None)})
    return replace(case, id=f"draw.{number}", call=call, expectation=Returns(value, False), variation=variation)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    cases = [numbered(fake_cases()[0], number) for number in range(NUMBER)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimize, "alike", lambda _findings, _record: [])
        folder: Path = tmp_path_factory.mktemp("run")
        return run_adapters(folder, [FAKES / "dies_now_and_then.py"], cases=cases)


def test_every_call_has_one_result(results: Results) -> None:
    calls = Counter((one.case, one.api) for one in results.results)
    assert calls == {(f"draw.{number}", api): 1 for number in range(NUMBER) for api in DEADLY}


def test_only_the_calls_that_end_the_process_died_and_the_others_returned_their_own_number(results: Results) -> None:
    verdicts = {(one.case, one.api): one.verdict for one in results.results}
    assert verdicts == {
        (f"draw.{number}", api): "died" if number % 50 == deadly else "conforms"
        for number in range(NUMBER)
        for api, deadly in DEADLY.items()
    }


DRAW = numbered(fake_cases()[0], 1)
ATTEMPT = CallAttempt(DRAW, "fake.first", Subject("own", None, immutable=False), DRAW.call, {}, None)


def deaths_of(verdicts: Sequence[Verdict]) -> DeathsOnDraws:
    deaths = DeathsOnDraws()
    for verdict in verdicts:
        deaths.note(ATTEMPT, verdict)
    return deaths


def test_draws_are_left_out_only_if_many_of_them_end_the_process() -> None:
    died: list[Verdict] = ["died" for _ in range(2 * MOST_DEATHS)]
    right: list[Verdict] = ["conforms" for _ in range(20 * len(died))]
    few = [*died, *right]
    assert deaths_of(few).reason_not_to_run(ATTEMPT, restarts_fast=True) is None
    many = [*few, *died * 4]
    reason = deaths_of(many).reason_not_to_run(ATTEMPT, restarts_fast=True)
    assert reason == "not run: 500 draws of this clause already ended the process"
