"""Divergences on draws lead to counterexamples of a size that a person can read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.draws.source import DrawSource
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.reports.counterexamples import case_text, counterexamples, file_name, write_counterexamples
from conformance.results.describe import case_record
from conformance.results.file import Results
from conformance.specification.case_files import read_case, with_case
from conformance.specification.literals import written_form
from conformance.specification.loader import load_specs
from tests.execution.harness import FAKES, run_adapters

REFERENCE = load_reference(adapters_folder() / "reference" / "adapter.py")
_SPECS = load_specs()
CATALOGUE = replace(_SPECS, operations={"gather_elements": _SPECS.operations["gather_elements"]})
VALID, BROKEN = "gather_elements.rule.result-shape", "gather_elements.rule.index-range"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    drawing = DrawSource(30, 0, CATALOGUE.digest, None, frozenset({"gather_elements"}))
    cases = [case for case in build_cases(CATALOGUE, REFERENCE, [drawing.cases]) if "gather_elements" in case.id]
    drawn = [case for case in cases if "/draw." in case.id and case.clause.id in (VALID, BROKEN)]
    return run_adapters(tmp_path_factory.mktemp("run"), [FAKES / "wrong_on_draws.py"], cases=drawn)


def found(results: Results, api: str, clause: str) -> list[str]:
    return [one.case for one in results.results if (one.api, one.clause) == (api, clause) and "/found." in one.case]


def test_draws_that_diverge_alike_have_one_counterexample(results: Results) -> None:
    diverging = [one for one in results.results if one.api == "fake.short" and one.divergence == ["value"]]
    assert len(diverging) > 2
    assert len(found(results, "fake.short", VALID)) == 1
    assert len(found(results, "fake.lenient", BROKEN)) == 1


def test_a_counterexample_is_as_small_as_can_be(results: Results) -> None:
    [name] = found(results, "fake.short", VALID)
    case = results.cases[name]
    assert case.call["index"] in ({"int32": [3]}, {"int64": [3]})
    [values] = case.call["input"].values()
    assert len(values) == 4


def test_a_counterexample_of_a_broken_rule_has_its_valid_control(results: Results) -> None:
    [name] = found(results, "fake.lenient", BROKEN)
    case = results.cases[name]
    assert case.control is not None
    assert case.expectation == {"raises": True}
    assert sum(len(values) for values in case.call["index"].values()) == 1


def test_it_comes_before_the_draws_that_it_stands_for(results: Results) -> None:
    first = next(one for one in results.results if one.api == "fake.short" and one.verdict == "diverges")
    assert first.case == found(results, "fake.short", VALID)[0]
    assert first.divergence == ["value"]


def test_an_api_that_is_right_has_none(results: Results) -> None:
    assert found(results, "fake.short", BROKEN) == []
    assert found(results, "fake.lenient", VALID) == []


def test_its_id_is_the_same_in_every_run(results: Results, tmp_path: Path) -> None:
    drawing = DrawSource(30, 0, CATALOGUE.digest, None, frozenset({"gather_elements"}))
    cases = [
        case for case in build_cases(CATALOGUE, REFERENCE, [drawing.cases]) if case.id.startswith(f"{VALID}/draw.")
    ]
    again = run_adapters(tmp_path, [FAKES / "wrong_on_draws.py"], cases=cases)
    assert found(again, "fake.short", VALID) == found(results, "fake.short", VALID)


def test_it_breaks_the_documentation_of_its_api_only_if_its_draws_do(tmp_path: Path) -> None:
    drawing = DrawSource(30, 0, CATALOGUE.digest, None, frozenset({"gather_elements"}))
    drawn = [
        case for case in build_cases(CATALOGUE, REFERENCE, [drawing.cases]) if case.id.startswith(f"{BROKEN}/draw.")
    ]
    results = run_adapters(tmp_path, [FAKES / "takes_indices_modulo.py"], cases=drawn, documents=CATALOGUE.documents)
    accepted = [one for one in results.results if one.divergence == ["accepted"]]
    assert {one.standing for one in accepted if "/draw." in one.case} == {"own", "portability"}
    smallest = [one for one in accepted if "/found." in one.case]
    assert sorted(one.standing for one in smallest) == ["own", "portability"]
    [counted] = [one for one in smallest if one.standing == "portability"]
    assert counted.behaviour == "wraps-negative"


def test_its_case_file_is_read_back_as_the_same_call(results: Results, tmp_path: Path) -> None:
    write_counterexamples(results, tmp_path)
    cases = list(counterexamples(results))
    assert len(cases) == 2
    for record in cases:
        case = read_case(tmp_path / "counterexamples" / file_name(record), CATALOGUE)
        assert case.id == record.id
        [written_call] = case.written_calls
        assert {name: written_form(value) for name, value in written_call.call.arguments.items()} == record.call
        built = [one for one in build_cases(with_case(CATALOGUE, case), REFERENCE) if one.id == case.id]
        assert [case_record(one).expectation for one in built] == [record.expectation]
        assert "wrong_on_draws@cpu, fake." in case_text(results, record)


def test_those_of_an_earlier_run_are_removed(results: Results, tmp_path: Path) -> None:
    folder = tmp_path / "counterexamples"
    folder.mkdir()
    (folder / "gather_elements.rule.rank.found.0123.yaml").write_text("old")
    (folder / "mine.yaml").write_text("mine")
    write_counterexamples(results, tmp_path)
    names = {path.name for path in folder.iterdir()}
    assert "mine.yaml" in names
    assert "gather_elements.rule.rank.found.0123.yaml" not in names
    assert len(names) == 3
