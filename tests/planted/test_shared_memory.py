"""Functions that read from the memory that they write are caught where arguments share memory; those that copy first are not blamed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variants.shared_memory import shared_memory_cases
from conformance.judging.vocabulary import Divergence
from conformance.specification.loader import load_specs
from conformance.worker.adapters import Adapter
from tests.planted.defect import (
    ADD,
    BASIC_SET,
    COPY,
    DIAGONAL,
    DYNAMIC_UPDATE,
    FILL,
    INDEX_ADD,
    INTO,
    MASKED_FILL,
    MASKED_SCATTER,
    PUT,
    UPDATE,
    VIEW,
    Array,
    Right,
)
from tests.planted.in_process import REFERENCE, JudgedCase, reference, results

Wrong = Callable[..., Array]


def copies_first(right: Right, main: str, given: dict[str, Any]) -> None:
    given[main][...] = right(**given)


def copies_its_index_and_writes_row_by_row(right: Right, main: str, given: dict[str, Any]) -> None:
    """Rows of new memory, so that nothing is read from what is written."""
    result = right(**given)
    for row in range(len(result)):
        given[main][row] = result[row]


def _of_step(given: dict[str, Any], names: Sequence[str], step: int) -> dict[str, Any]:
    """The arguments of one step of several, of those that are along the axis of steps."""
    return {**given, **{name: given[name][step : step + 1] for name in names if isinstance(given[name], np.ndarray)}}


def reads_its_index_as_it_goes(right: Right, main: str, given: dict[str, Any]) -> None:
    index = next(name for name in ("index", "indices") if name in given)
    copied = {name: np.copy(value) for name, value in given.items() if isinstance(value, np.ndarray) and name != index}
    data = next((name for name in ("source", "src", "updates") if name in given), index)
    for step in range(len(given[index])):
        one = _of_step({**given, **copied, main: given[main]}, [index, data], step)
        with np.errstate(all="ignore"):
            try:
                given[main][...] = right(**one)
            except IndexError:
                continue  # the index is what was written


def reads_its_source_as_it_goes(right: Right, main: str, given: dict[str, Any]) -> None:
    index = next(name for name in ("index", "indices") if name in given)
    source = next(name for name in ("source", "src", "updates") if name in given)
    indices = given[index].copy()
    for step in range(len(indices)):
        given[main][...] = right(**_of_step({**given, index: indices}, [index, source], step))


def takes_masked_elements_as_it_goes(right: Right, main: str, given: dict[str, Any]) -> None:
    flat, source, mask = given[main].reshape(-1), given["source"].reshape(-1), given["mask"].copy()
    for taken, position in enumerate(np.flatnonzero(np.broadcast_to(mask, given[main].shape))):
        flat[position] = source[taken]


def reads_its_mask_as_it_goes(right: Right, main: str, given: dict[str, Any]) -> None:
    mask = np.broadcast_to(given["mask"], given[main].shape)
    for position in np.ndindex(given[main].shape):
        if mask[position]:
            given[main][position] = given["value"]


def writes_its_elements_one_by_one(right: Right, main: str, given: dict[str, Any]) -> None:
    """Reads what it writes again for each element of the result."""
    for position in np.ndindex(given[main].shape):
        given[main][position] = right(**given)[position]


def writes_behind_its_tensor(right: Right, main: str, given: dict[str, Any]) -> None:
    given[main][...] = right(**given)
    whole = given[main].base
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    whole[-1] = 0


@dataclass(frozen=True)
class Planted:
    """A function in place of one that changes its tensor."""

    function: Callable[[Right, str, dict[str, Any]], None]
    operation: str
    caught: Divergence = "value"

    @property
    def adapter(self) -> Adapter:
        """The reference with the function."""
        main = load_specs().operations[self.operation].written_argument
        assert main is not None

        def called(right: Right, **given: Any) -> Array:
            self.function(right, main, given)
            changed: Array = given[main]
            return changed

        apis = [
            replace(api, function=partial(called, api.function), in_place=main)
            for api in reference().apis
            if api.operation == self.operation
        ]
        return replace(reference(), apis=apis)

    @property
    def judged(self) -> list[JudgedCase]:
        return list(results(self.adapter, cases_of(self.operation)))


@cache
def cases_of(operation: str) -> list[Case]:
    return list(shared_memory_cases(load_specs().operations[operation], load_reference(REFERENCE)))


SLICES = (BASIC_SET, DYNAMIC_UPDATE, DIAGONAL, VIEW)
WRONG = [
    *(Planted(reads_its_index_as_it_goes, operation) for operation in (COPY, INDEX_ADD, FILL, PUT, UPDATE, INTO)),
    *(Planted(reads_its_source_as_it_goes, operation) for operation in (COPY, INDEX_ADD, PUT, UPDATE, ADD, INTO)),
    Planted(takes_masked_elements_as_it_goes, MASKED_SCATTER),
    Planted(reads_its_mask_as_it_goes, MASKED_FILL),
    *(Planted(writes_its_elements_one_by_one, operation) for operation in SLICES),
    *(Planted(writes_behind_its_tensor, operation, "wrote-outside") for operation in (COPY, MASKED_FILL, PUT)),
]
WRITING = (COPY, INDEX_ADD, FILL, PUT, UPDATE, ADD, INTO, MASKED_SCATTER, MASKED_FILL, *SLICES)


def _name(planted: Planted) -> str:
    return f"{planted.function.__name__}-{planted.operation}"


@pytest.mark.parametrize("planted", WRONG, ids=_name)
def test_a_function_that_reads_what_it_has_written_is_caught(planted: Planted) -> None:
    assert any(planted.caught in result.judgement.divergences for result in planted.judged)


@pytest.mark.parametrize("function", [copies_first, copies_its_index_and_writes_row_by_row])
@pytest.mark.parametrize("operation", WRITING)
def test_a_function_that_copies_first_is_not_blamed(function: Any, operation: str) -> None:
    judged = Planted(function, operation).judged
    assert judged
    assert [
        f"{one.case.id}: {one.judgement.explanation}" for one in judged if one.judgement.verdict != "conforms"
    ] == []


def test_a_refusal_is_not_judged() -> None:
    def refuses(right: Right, main: str, given: dict[str, Any]) -> None:
        raise ValueError("elements are read from the memory that is written")

    assert {one.judgement.verdict for one in Planted(refuses, COPY).judged} == {"observed"}


def test_an_adapter_whose_tensors_have_no_parts_in_common_has_no_such_call() -> None:
    planted = Planted(copies_first, COPY)
    apart = replace(planted.adapter, to_native=lambda array, _dtype: _Copied(array))
    assert {one.judgement.verdict for one in results(apart, cases_of(COPY))} == {"unsupported"}


class _Copied(np.ndarray):
    """An array whose parts are copies."""

    def __new__(cls, array: Array) -> _Copied:
        return np.array(array).view(cls)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key].copy().view(_Copied)
