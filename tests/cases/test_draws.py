"""Draws in bulk: the same for every run, kept in a file, and able to find what examples do not show."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, find, settings
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
from hypothesis.vendor.pretty import pretty

from conformance.cases import code_digest
from conformance.cases.draws import source
from conformance.cases.draws import survey as mutations_of
from conformance.cases.draws.choices import Recorder
from conformance.cases.draws.drawing import draw
from conformance.cases.draws.forms import form_of, key_of
from conformance.cases.draws.generate import RecordedDraw, draw_many
from conformance.cases.draws.source import DrawSource
from conformance.cases.draws.survey import survey
from conformance.cases.model import Case
from conformance.cases.reference import ReferenceFailed
from conformance.cases.variation import Drawn
from conformance.results.describe import case_record
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor, tensor
from conformance.specification.model import Call, Observed, Operation, Raises
from conformance.specification.problems import Problem
from conformance.strategies import drawn_calls
from tests.cases.draws import CATALOGUE, OPERATIONS, REFERENCE, RULES, rule_of
from tests.planted.catalogue import DEFECTS
from tests.planted.in_process import reference, results

DRAWING = DrawSource(count=6, seed=3, digest="of-the-specs", folder=None)


def _cases(name: str, drawing: DrawSource = DRAWING) -> list[Case]:
    found = list(drawing.cases(CATALOGUE.operations[name], REFERENCE))
    assert all(isinstance(one, Case) for one in found)
    return found  # type: ignore[return-value] # just asserted


def _told(cases: Sequence[Case]) -> list[str]:
    return [
        f"{case.id} {_bytes(case.call)} {case.control and _bytes(case.control)} {case.entry.note}" for case in cases
    ]


def _bytes(call: Applied) -> list[object]:
    return [
        (name, value.dtype, value.shape, value.array.tobytes()) if isinstance(value, Tensor) else (name, value)
        for name, value in call.arguments.items()
    ]


def test_each_rule_has_draws_that_break_it_and_one_clause_of_each_operation_has_valid_ones() -> None:
    for name in OPERATIONS:
        cases = _cases(name)
        numbers = {case.clause.id: 0 for case in cases}
        for case in cases:
            numbers[case.clause.id] += 1
            assert case.id == f"{case.clause.id}/draw.{numbers[case.clause.id]}"
        broken = {f"{name}.rule.{rule}" for operation, rule in RULES if operation == name}
        assert broken < numbers.keys()
        assert len(numbers) == len(broken) + 1
        assert all(2 <= count <= 6 for count in numbers.values())


def test_a_draw_that_breaks_a_rule_expects_what_the_rule_says_and_has_its_valid_control() -> None:
    by_clause = {case.clause.id: case for case in _cases("scatter_nd")}
    raises = by_clause["scatter_nd.rule.updates-shape"]
    assert isinstance(raises.expectation, Raises)
    assert raises.control is not None
    assert raises.control.broken_rules == ()
    assert isinstance(by_clause["scatter_nd.rule.indices-dtype"].expectation, Observed)


def test_every_choice_of_an_argument_is_drawn_and_duplicates_occur_only_where_the_spec_allows_them() -> None:
    operation = CATALOGUE.operations["scatter_elements"]
    choices = operation.arguments["reduce"].choices
    with_duplicates: dict[object, bool] = {}
    for recorded in draw_many(operation, None, count=200, seed="reductions"):
        call = recorded.drawn.call
        [geometry] = call.geometries.values()
        chosen = call.arguments.get("reduce")
        with_duplicates[chosen] = with_duplicates.get(chosen, False) or geometry.has_duplicates
    assert with_duplicates == dict.fromkeys((None, *choices), False) | {"add": True, "amax": True, "amin": True}


def test_a_seed_gives_the_same_draws_again_and_another_seed_others() -> None:
    first = _told(_cases("gather_elements"))
    assert _told(_cases("gather_elements")) == first
    assert _told(_cases("gather_elements", replace(DRAWING, seed=4))) != first


def test_a_second_run_reads_the_draws_instead_of_drawing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = replace(DRAWING, folder=tmp_path / "draws")
    first = _cases("gather_elements", drawing)
    assert any(case.policies for case in first)
    _draw_never_again(monkeypatch)
    assert _in_full(_cases("gather_elements", drawing)) == _in_full(first)


def test_a_second_run_draws_smaller_calls_without_trying_all_mutations_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing = replace(DRAWING, folder=tmp_path)
    _cases("gather_elements", drawing)
    loaded_again = copy.copy(CATALOGUE.operations["gather_elements"])  # as in another process, nothing is known of it
    rule = next(rule for rule in loaded_again.rules if rule.name == "index-rank")
    expected = [recorded.choices for recorded in draw_many(loaded_again, rule, count=20, seed="a")]

    def never(operation: Operation) -> None:
        raise AssertionError("tried again")

    monkeypatch.setattr(mutations_of, "_survey", never)
    loaded_again = copy.copy(loaded_again)
    assert list(drawing.cases(loaded_again, REFERENCE))
    assert [recorded.choices for recorded in draw_many(loaded_again, rule, count=20, seed="a")] == expected != []


def _in_full(cases: Sequence[Case]) -> list[object]:
    """All of the cases that judging and minimizing use."""
    return [(case_record(case), case.variation, type(case.expectation), _policies(case)) for case in cases]


def _policies(case: Case) -> list[tuple[str, bytes]]:
    return [(outcome.policy, outcome.result.array.tobytes()) for outcome in case.policies]


def _draw_never_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> list[RecordedDraw]:
        raise AssertionError("drawn again")

    monkeypatch.setattr(source, "draw_many", never)


def test_cases_that_are_read_refer_to_the_specs_that_are_loaded(tmp_path: Path) -> None:
    drawing = replace(DRAWING, folder=tmp_path)
    _cases("gather_elements", drawing)
    operation = CATALOGUE.operations["gather_elements"]
    clauses = {clause.id: clause for clause in operation.clauses}
    for case in _cases("gather_elements", drawing):
        clause = clauses[case.clause.id]
        assert case.operation is operation
        assert case.clause is clause
        assert case.entry.location is clause.location
        assert isinstance(case.variation, Drawn)
        assert case.variation.reference is REFERENCE
        assert case.variation.rule in (None, clause.rule)


def test_the_elements_of_a_case_that_is_read_cannot_be_changed(tmp_path: Path) -> None:
    drawing = replace(DRAWING, folder=tmp_path)
    _cases("gather_nd", drawing)
    calls = [call for case in _cases("gather_nd", drawing) for call in (case.call, case.control) if call is not None]
    tensors = [value for call in calls for value in call.arguments.values() if isinstance(value, Tensor)]
    assert tensors
    assert not any(value.array.flags.writeable for value in tensors)


def _of_something_else(content: bytes) -> bytes:
    return pickle.dumps({"gather_nd": len(content)})


@pytest.mark.parametrize("damaged", [lambda _: b"", lambda _: b"{", lambda content: content[:-9], _of_something_else])
def test_a_file_of_draws_that_cannot_be_read_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: Callable[[bytes], bytes]
) -> None:
    drawing = replace(DRAWING, folder=tmp_path)
    first = _told(_cases("gather_nd", drawing))
    [file] = tmp_path.iterdir()
    file.write_bytes(damaged(file.read_bytes()))
    assert _told(_cases("gather_nd", drawing)) == first
    _draw_never_again(monkeypatch)
    assert _told(_cases("gather_nd", drawing)) == first


def test_draws_are_not_stored_if_the_reference_fails_on_one(tmp_path: Path) -> None:
    def fails(call: Applied) -> Tensor:
        raise ReferenceFailed("the reference raised")

    drawing = replace(DRAWING, folder=tmp_path)
    for _ in range(2):
        items = list(drawing.cases(CATALOGUE.operations["gather_nd"], fails))
        problems = [str(item) for item in items if isinstance(item, Problem)]
        assert len(problems) == DRAWING.count
        assert all("the reference raised" in problem for problem in problems)
    assert not list(tmp_path.iterdir())


def test_draws_for_another_text_of_the_specs_take_the_place_of_the_old(tmp_path: Path) -> None:
    _cases("gather_nd", replace(DRAWING, folder=tmp_path))
    _cases("gather_nd", replace(DRAWING, folder=tmp_path, seed=9))
    [old] = [file for file in tmp_path.iterdir() if ".6.3." in file.name]
    _cases("gather_nd", replace(DRAWING, folder=tmp_path, digest="of-newer-specs"))
    assert not old.exists()
    assert len(list(tmp_path.iterdir())) == 2


def _forget_digests() -> None:
    code_digest.code_digest.cache_clear()
    code_digest.source_digest.cache_clear()


def test_draws_of_other_code_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = replace(DRAWING, folder=tmp_path)
    _cases("gather_nd", drawing)
    [old] = tmp_path.iterdir()
    (tmp_path / "suite" / "cases").mkdir(parents=True)
    (tmp_path / "suite" / "cases" / "elements.py").write_text("ORDERS = 1")
    monkeypatch.setattr(code_digest, "_PACKAGE", tmp_path / "suite")
    monkeypatch.setattr(code_digest, "_CODE", ("cases",))
    _forget_digests()
    _cases("gather_nd", drawing)
    monkeypatch.undo()
    _forget_digests()
    [new] = [path for path in tmp_path.iterdir() if path.is_file()]
    assert new != old


def test_a_folder_that_cannot_be_written_to_costs_the_draws_only_their_keeping(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    drawing = replace(DRAWING, folder=tmp_path / "file")
    assert _told(_cases("gather_nd", drawing)) == _told(_cases("gather_nd"))


@pytest.mark.parametrize(("name", "broken"), [*((name, None) for name in OPERATIONS), *RULES])
def test_there_are_as_many_forms_as_draws_and_no_two_calls_are_equal(name: str, broken: str | None) -> None:
    operation = CATALOGUE.operations[name]
    rule = rule_of(name, broken)[1] if broken else None
    draws = draw_many(operation, rule, count=50, seed="a")
    assert len(draws) == 50
    assert len({form_of(recorded.drawn.call) for recorded in draws}) == 50


def test_where_forms_are_few_draws_of_new_forms_come_first_and_all_are_different() -> None:
    operation, rule = rule_of("scatter_nd", "shape-not-empty")
    draws = draw_many(operation, rule, count=1000, seed="a")
    forms = [form_of(recorded.drawn.call) for recorded in draws]
    of_their_own = len(set(forms))
    assert 100 < of_their_own < len(draws) == len({key_of(recorded.drawn.call) for recorded in draws})
    assert len(set(forms[:of_their_own])) == of_their_own


def test_calls_are_equal_if_their_dtypes_shapes_elements_and_forms_of_arguments_are() -> None:
    operation = CATALOGUE.operations["scatter_nd"]
    first, same = (Applied(operation, Call({"indices": tensor("int32", [[1, 2]]), "shape": (2,)})) for _ in range(2))
    assert key_of(first) == key_of(same)
    others = (
        {"indices": tensor("int64", [[1, 2]])},
        {"indices": tensor("int32", [1, 2])},
        {"indices": tensor("int32", [[1, 3]])},
        {"shape": [2]},
        {"shape": (3,)},
    )
    assert len({key_of(first), *(key_of(first.with_arguments(other)) for other in others)}) == 6
    # Only other elements of a tensor are no other form.
    assert len({form_of(first), *(form_of(first.with_arguments(other)) for other in others)}) == 5


def test_a_call_that_the_spec_has_written_is_not_drawn() -> None:
    operation, rule = rule_of("scatter_nd", "shape-not-empty")
    written = draw_many(operation, rule, count=5, seed="a")[0].drawn.call
    keys = {key_of(written)} & {
        key_of(recorded.drawn.call)
        for recorded in draw_many(operation, rule, count=5, seed="a", excluded=[written.call])
    }
    assert not keys


def test_written_calls_of_the_clause_are_excluded(monkeypatch: pytest.MonkeyPatch) -> None:
    by_clause: dict[str, list[Call]] = {}

    def recording(*_: object, excluded: list[Call], seed: str, **__: object) -> list[RecordedDraw]:
        by_clause[seed.partition(" ")[2]] = excluded
        return []

    monkeypatch.setattr(source, "draw_many", recording)
    _cases("gather_nd")
    clause = next(clause for clause in CATALOGUE.operations["gather_nd"].clauses if clause.id in by_clause)
    assert by_clause[clause.id] == [written.call for written in clause.written_calls] != []


def test_every_family_of_mutations_is_drawn_and_mistakes_are_among_the_first_draws() -> None:
    operation, rule = rule_of("tensor_scatter_nd_add", "updates-shape")
    draws = draw_many(operation, rule, count=300, seed="a")
    families = {recorded.drawn.mutation.family for recorded in draws if recorded.drawn.mutation}
    assert families == set(survey(operation).mutations["updates-shape"])
    first = [recorded.drawn.mutation for recorded in draws[:20]]
    kinds = {mutation.kind for mutation in first if mutation is not None and mutation.is_mistake}
    assert {"flat", "one-row", "inner-axis-left-out", "list-of-positions"} < kinds


@pytest.mark.parametrize(
    ("name", "broken"),
    [("gather_elements", "index-range"), ("scatter_nd", "indices-rank"), ("tensor_scatter_nd_update", "updates-slice")],
)
def test_the_choices_that_are_kept_lead_to_the_draw_again_at_random_and_in_hypothesis(name: str, broken: str) -> None:
    operation, rule = rule_of(name, broken)
    for kept in draw_many(operation, rule, count=4, seed="b"):
        expected = _bytes(kept.drawn.call)
        recorder = Recorder(NoChance(), kept.choices)
        assert _bytes(draw(recorder, operation, rule).call) == expected
        database = InMemoryExampleDatabase()
        database.save(b"key", choices_to_bytes(kept.choices))
        only_again = settings(database=database, phases=[Phase.reuse], deadline=None)
        strategy = drawn_calls(operation, rule)
        found = find(strategy, lambda one: _bytes(one.call) == expected, settings=only_again, database_key=b"key")  # noqa: B023
        assert _bytes(found.call) == expected


UNSEEN_IN_EXAMPLES = (
    "folds the batch axes of the result",
    "sets where it should add",
    "accepts updates of any shape with the right number of elements",
    "reads the source as if it had the shape of index",
)


def test_what_examples_do_not_show_draws_find_and_the_reference_has_none_of_it() -> None:
    clauses = (
        "gather_nd.behaviour.extracts-slices",
        "scatter_nd.behaviour.elements-or-slices",
        "scatter_nd.rule.updates-shape",
        "scatter_elements.behaviour.same-formula-for-other-ranks",
    )
    names = dict.fromkeys(clause.partition(".")[0] for clause in clauses)
    cases = [case for name in names for case in _cases(name) if case.clause.id in clauses]
    defects = {defect.name: defect for defect in DEFECTS}
    for name in UNSEEN_IN_EXAMPLES:
        assert any(map(defects[name].is_reported, results(defects[name].planted(), cases))), name
    assert [judged.case.id for judged in results(reference(), cases) if judged.is_blamed] == []


def test_hypothesis_prints_a_drawn_call_without_its_operation() -> None:
    operation, rule = rule_of("gather_elements", "index-range")
    [recorded] = draw_many(operation, rule, count=1, seed="printed")
    printed = pretty(recorded.drawn)
    assert "call=Applied(call=Call(arguments={'input': " in printed
    assert len(printed) < 5000


class NoChance(random.Random):
    """In place of a generator where nothing is left to chance."""

    def random(self) -> float:
        raise AssertionError("a choice that was not recorded")
