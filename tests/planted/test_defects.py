"""The suite's cases catch each defect of the catalogue, and report nothing where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.planted.catalogue import DEFECTS
from tests.planted.defect import Array, Defect, Right
from tests.planted.in_process import reference


def name_of(defect: Defect) -> str:
    return defect.name.replace(" ", "-")


@pytest.mark.parametrize("defect", DEFECTS, ids=name_of)
def test_a_defect_is_caught_and_is_not_reported_of_the_reference(defect: Defect) -> None:
    for operation in defect.operations:
        case = defect.caught_by(operation)
        assert case is not None, f"no case of {operation} reports it"
        assert not any(map(defect.is_reported, defect.judged(reference(), [case]))), case.id


@pytest.mark.parametrize("name", ["ignores alpha", "takes ids in any order", "fills the tensor itself"])
def test_a_function_without_the_defect_is_not_reported_as_having_it(name: str) -> None:
    def right_one(right: Right, **given: object) -> Array:
        return right(**given)

    defect = replace(next(defect for defect in DEFECTS if defect.name == name), wrong=right_one)
    assert [defect.caught_by(operation) for operation in defect.operations] == [None]
