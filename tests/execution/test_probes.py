"""What an API changes by design is said once, and a dtype is refused only where nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conformance.cases.build import build_cases
from conformance.cases.forms.source import form_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.variants.views import view_cases
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.environments.errors import TargetBlocked
from conformance.execution.client import Client, GaveUp
from conformance.execution.probes import Probes
from conformance.outcomes.model import Died
from conformance.outcomes.observation import Observation, Refusal
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.specification.literals import Tensor, tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import AsUsual, Batch, Derivative
from tests.execution.harness import fake_cases, run_adapters
from tests.outcomes import raised, returned

ADAPTER = '''
import numpy as np
from conformance.adapter import api

def describe():
    return {"framework": "fake", "version": "1.0"}

def gather(input, dim, index):
    return np.take_along_axis(input, index, dim)

@api("fake.in_place", operation="gather_elements")
def in_place(input, dim, index):
    result = gather(input, dim, index)
    input[...] = 0
    return result

@api("fake.declared", operation="gather_elements", in_place="input")
def declared(input, dim, index):
    return in_place(input, dim, index)

@api("fake.int16_only", operation="gather_elements")
def int16_only(input, dim, index):
    return in_place(input, dim, index) if input.dtype == np.int16 else gather(input, dim, index)

@api("fake.no_small_rows", operation="gather_elements")
def no_small_rows(input, dim, index):
    """Refuses rows whose first element is small, whatever their dtype."""
    if input[0] < 3:
        raise ValueError("the first element is too small")
    return gather(input, dim, index)

@api("fake.no_int16", operation="gather_elements")
def no_int16(input, dim, index):
    if input.dtype == np.int16:
        raise TypeError("no kernel for int16")
    return no_small_rows(input, dim, index)

@api("fake.refuses_all", operation="gather_elements")
def refuses_all(input, dim, index):
    raise ValueError("no")
'''


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("run")
    (folder / "fake.py").write_text(ADAPTER, encoding="utf-8")
    cases = fake_cases([written_cases, dtype_cases, view_cases])
    return run_adapters(folder, [folder / "fake.py"], cases=cases)


def _of(results: Results, api: str) -> list[ResultRecord]:
    return [one for one in results.results if one.api == api]


def test_what_plain_valid_calls_change_too_is_said_of_one_of_them(results: Results) -> None:
    changed = [one for one in _of(results, "fake.in_place") if one.divergence]
    assert [(one.case, one.divergence) for one in changed] == [
        ("gather_elements.example.lucky/as-printed", ["input-changed"])
    ]
    assert changed[0].standing == "portability"


def test_a_declared_change_is_no_divergence(results: Results) -> None:
    assert not [one for one in _of(results, "fake.declared") if one.divergence]


def test_what_only_unusual_calls_change_is_said_of_each(results: Results) -> None:
    changed = [one for one in _of(results, "fake.int16_only") if one.divergence]
    assert len(changed) > 1
    assert {(one.case.rpartition(".")[2], *one.divergence) for one in changed} == {("int16", "input-changed")}


def _in(results: Results, api: str, dtype: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    found = [one for one in _of(results, api) if one.case.endswith(f".{dtype}")]
    return {one.case.removesuffix(f"/as-printed.{dtype}"): (one.verdict, tuple(one.divergence)) for one in found}


def test_a_call_that_is_refused_in_its_original_dtype_too_is_rejected_in_a_dtype_that_another_call_takes(
    results: Results,
) -> None:
    assert _in(results, "fake.no_small_rows", "int16") == {
        "gather_elements.example.lucky": ("diverges", ("rejected",)),
        "gather_elements.example.unlucky": ("conforms", ()),
    }


def test_a_dtype_is_not_taken_if_a_call_that_returns_otherwise_is_refused_in_it(results: Results) -> None:
    assert _in(results, "fake.no_int16", "int16") == {
        "gather_elements.example.lucky": ("unsupported", ()),
        "gather_elements.example.unlucky": ("observed", ()),
    }


def test_without_a_call_that_returns_a_refusal_says_nothing_of_a_dtype(results: Results) -> None:
    assert set(_in(results, "fake.refuses_all", "int16").values()) == {("blocked", ())}


ONE_ROW = "gather_nd.behaviour.extracts-slices/form.one-batch.int64"


def _refusal_of_a_form(refused: Callable[[Case], bool], name: str = ONE_ROW) -> Refusal:
    """What is said of a call, by default one with one row of indices in int64, of an API that refuses these calls."""
    catalogue = load_specs()
    operation = name.partition(".")[0]
    catalogue = replace(catalogue, operations={operation: catalogue.operations[operation]})
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    form = next(
        case for case in build_cases(catalogue, reference, sources=[dtype_cases, form_cases]) if case.id == name
    )

    def observe(case: Case, client: object) -> Observation:
        return Observation(raised("TypeError", "no") if refused(case) else returned())

    return Probes(observe).refusal(form, cast(Client, None))


def _dtype(case: Case) -> str:
    value = case.call.arguments["params" if "params" in case.call.arguments else "input"]
    assert isinstance(value, Tensor)
    return value.dtype


def test_a_form_is_in_a_dtype_that_simpler_calls_show_to_be_refused() -> None:
    refusal = _refusal_of_a_form(lambda case: _dtype(case) == "int64")
    assert (refusal.returns_otherwise, refusal.elsewhere) == (True, "refused")


def test_a_form_that_is_refused_in_every_dtype_is_not_refused_for_its_dtype() -> None:
    refusal = _refusal_of_a_form(lambda case: "form." in case.id)
    assert (refusal.returns_otherwise, refusal.elsewhere) == (False, "taken")


@pytest.mark.parametrize(
    ("name", "in_another_shape"),
    [
        ("index_reduce.rule.index-rank/keep.of-a-matrix.float16", True),
        ("scatter_elements.example.largest-in-a-vector/as-printed.complex64", False),  # the other has another word
        (ONE_ROW, False),  # its indices are int64
    ],
)
def test_a_dtype_is_taken_in_another_shape_where_nothing_else_differs(name: str, *, in_another_shape: bool) -> None:
    assert _refusal_of_a_form(lambda case: case.id == name, name) == Refusal(True, "taken", in_another_shape)


def test_a_call_with_a_number_shows_what_is_refused_of_another_one_with_a_number() -> None:
    refusal = _refusal_of_a_form(
        lambda case: _dtype(case) == "uint16", "masked_fill.example.five-of-fifteen/as-printed.uint16"
    )
    assert (refusal.returns_otherwise, refusal.elsewhere) == (True, "refused")


class _Other:
    """A client that counts how often its worker was ended for good."""

    closed = 0

    def forget(self) -> None: ...

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize(
    ("does", "expected"),
    [
        ({"transformed": "right"}, "alone"),
        ({"transformed": "wrong", "plain": "right"}, "without the transform"),
        ({"transformed": "wrong", "plain": "wrong"}, None),
        ({"transformed": GaveUp("it ended")}, None),
        ({"transformed": "wrong", "plain": TargetBlocked("it does not start")}, None),
    ],
)
def test_what_makes_a_call_right_is_said_and_its_process_ends_in_any_case(
    monkeypatch: pytest.MonkeyPatch, does: dict[str, Any], expected: str | None
) -> None:
    def observe(case: Case, client: object) -> Any:
        done = does["plain" if isinstance(case.call.manner, AsUsual) else "transformed"]
        if isinstance(done, Exception):
            raise done
        return SimpleNamespace(forward=done, result=done)

    monkeypatch.setattr("conformance.execution.probes.permits", lambda _, result: result == "right")
    other, [usual, *_] = _Other(), fake_cases()
    case = replace(usual, call=usual.call.made(Derivative("vjp", "input", tensor("float32", [1.0]))))
    client = SimpleNamespace(others=lambda number: [other] * number)
    assert Probes(observe).right_alone(case, cast(Client, client)) == expected
    assert other.closed == 1


@pytest.mark.parametrize(("rows", "axis"), [([[1.0, 2.0], [3.0, 4.0]], "first"), ([[1.0, 3.0], [2.0, 4.0]], "last")])
def test_a_batch_dies_of_any_of_its_calls_which_are_made_one_by_one(rows: list[list[float]], axis: Any) -> None:
    calls: list[object] = []

    def observe(case: Case, client: object) -> Observation:
        assert case.call.manner == AsUsual()
        calls.append(case.call.tensors["input"].array.tolist())
        return Observation(Died("SIGSEGV") if len(calls) == 2 else returned())

    client, [usual, *_] = _Other(), fake_cases()
    batch = replace(usual, call=usual.call.made(Batch({"input": tensor("float32", rows)}, axis)))
    probes = Probes(observe)
    death = probes.death_of_call(batch, cast(Client, client))
    assert death is not None and death.signal == "SIGSEGV"
    assert calls == [[1.0, 2.0], [3.0, 4.0]]
    assert probes.death_of_call(batch, cast(Client, client)) is death  # the calls are made once
    assert len(calls) == 2
