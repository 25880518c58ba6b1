"""Deaths and hangs on draws lead to small counterexamples too, at the cost of a few processes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.cases.build import build_cases
from conformance.cases.draws.choices import seeded
from conformance.cases.draws.drawing import draw
from conformance.cases.draws.minimize import smaller_draws
from conformance.cases.draws.source import DrawSource
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.results.file import Results
from conformance.results.records import CaseRecord
from conformance.specification.literals import Tensor, argument
from conformance.specification.loader import load_specs
from tests.execution.harness import FAKES, run_adapters

REFERENCE = load_reference(adapters_folder() / "reference" / "adapter.py")
_SPECS = load_specs()
CATALOGUE = replace(_SPECS, operations={"gather_elements": _SPECS.operations["gather_elements"]})
VALID, BROKEN = "gather_elements.rule.result-shape", "gather_elements.rule.index-range"


@pytest.fixture(scope="module")
def drawn() -> list[Case]:
    drawing = DrawSource(20, 0, CATALOGUE.digest, None, frozenset({"gather_elements"}))
    cases = build_cases(CATALOGUE, REFERENCE, [drawing.cases], sources=())
    return [case for case in cases if "/draw." in case.id and case.clause.id in (VALID, BROKEN)]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, drawn: list[Case]) -> Results:
    return run_adapters(tmp_path_factory.mktemp("run"), [FAKES / "ends_on_draws.py"], cases=drawn, limit=0.5)


def counterexample(results: Results, api: str, clause: str, verdict: str) -> CaseRecord:
    [found] = [one for one in results.results if (one.api, one.clause) == (api, clause) and "/found." in one.case]
    assert found.verdict == verdict
    return results.cases[found.case]


def size(case: CaseRecord, name: str) -> tuple[int, ...]:
    value = argument(case.call[name])
    assert isinstance(value, Tensor)
    return value.shape


def test_a_death_has_a_counterexample_of_as_few_axes_and_elements_as_it_takes(results: Results) -> None:
    case = counterexample(results, "fake.dies", VALID, "died")
    assert len(size(case, "index")) == 2
    assert sorted(size(case, "index")) == [1, 3]


def test_a_death_of_a_call_that_should_raise_has_one_with_its_control(results: Results) -> None:
    case = counterexample(results, "fake.dies_of_errors", BROKEN, "died")
    assert case.control is not None
    assert size(case, "index") == (1,)


def test_a_hang_has_a_small_one(results: Results) -> None:
    case = counterexample(results, "fake.hangs", VALID, "hung")
    largest = max(one.array.max() for one in [argument(case.call["index"])] if isinstance(one, Tensor))
    assert largest > 2
    assert len(size(case, "index")) <= 2


def test_the_draws_themselves_stay_and_those_that_were_left_out_say_so(results: Results, drawn: list[Case]) -> None:
    mine = [one for one in results.results if one.api == "fake.hangs" and "/draw." in one.case]
    assert len(mine) == len(drawn)
    assert {one.verdict for one in mine} >= {"hung", "blocked"}


def test_simpler_draws_are_smaller_and_the_simplest_comes_first() -> None:
    operation = _SPECS.operations["scatter_nd"]
    generator = seeded("a draw")
    choices: list[int] = []

    def choose(low: int, high: int) -> int:
        choice = generator.randint(low, high)
        if low != high:
            choices.append(choice)
        return choice

    whole = draw(choose, operation, None)
    some = [one for one, _ in smaller_draws(operation, None, choices)]
    sizes = [
        sum(value.array.size for value in one.call.arguments.values() if isinstance(value, Tensor)) for one in some
    ]
    assert len(some) > 3
    assert sizes[0] <= 4
    elements = sum(value.array.size for value in whole.call.arguments.values() if isinstance(value, Tensor))
    assert elements > sizes[0]
    assert all(not one.call.broken_rules for one in some)
