"""A relation that cannot be tried says why, with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder, specs_folder
from conformance.specification.loader import load_specs
from conformance.specification.problems import SpecError
from tests.specification.small import SPEC, changed, write_specs

RELATIONS = """\
relations:
  order:
    states: Rows in another order are read in that order.
    cite: {json.page: [example.1]}
    left: "gather_elements(input, 0, permute(index, order))"
    right: "permute(gather_elements(input, 0, index), order)"
    cases:
      three: {call: {input: {int32: [10, 20, 30]}, index: {int64: [2, 1, 0]}, order: [1, 2, 0]}}
"""


def problems(folder: Path, relations: str) -> str:
    with pytest.raises(SpecError) as caught:
        build_cases(
            load_specs(write_specs(folder, spec=SPEC + relations)),
            load_reference(adapters_folder() / "reference" / "adapter.py"),
        )
    return str(caught.value)


def test_a_relation_is_a_clause_with_a_case_for_each_set_of_arguments(tmp_path: Path) -> None:
    catalogue = load_specs(write_specs(tmp_path, spec=SPEC + RELATIONS))
    cases = build_cases(catalogue, load_reference(adapters_folder() / "reference" / "adapter.py"))
    assert "gather_elements.relation.order/three" in [case.id for case in cases]


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        ('left: "gather_elements(', 'left: "gather_element(', "undefined operation 'gather_element'; did you mean 'gather_elements'?"),
        ("(input, 0, permute(index, order))", "(input, permute(index, order))", "is called with 2 arguments; it has input, dim, index"),
        ("permute(index, order)", "permut(index, order)", "undefined operation 'permut'; did you mean 'permute'?"),
        ("permute(index, order)", "index.base", "undefined attribute 'base'"),
        ("permute(index, order)", "permute(indx, order)", "undefined name 'indx'; did you mean 'index'?"),
        (", order: [1, 2, 0]", "", "undefined name 'order'"),
        (", order: [1, 2, 0]", ", order: [1, 2, 0], dim: 0", "neither side uses 'dim'"),
        ("order: [1, 2, 0]", "order: [1, 2, 2]", "its left side cannot be evaluated: [1, 2, 2] is not a permutation of 3 rows"),
        ("index: {int64: [2, 1, 0]}", "index: {int64: [[2], [1], [0]]}", "on its left side, the call of gather_elements breaks rank"),
        ("permute(gather_elements(input, 0, index), order)", "gather_elements(input, 0, index)", "it is false on the reference: left is"),
        ("permute(gather_elements(input, 0, index), order)", "order", "its right side is not a tensor but (1, 2, 0)"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_relation_is_named_with_its_place(
    tmp_path: Path, found: str, replacement: str, said: str
) -> None:
    message = problems(tmp_path, changed(RELATIONS, found, replacement))
    assert said in message
    assert "gather_elements.yaml:" in message


def test_a_relation_that_never_calls_its_operation_is_refused(tmp_path: Path) -> None:
    text = RELATIONS.replace("gather_elements(input, 0, permute(index, order))", "permute(input, order)")
    text = text.replace("permute(gather_elements(input, 0, index), order)", "input").replace(
        "index: {int64: [2, 1, 0]}, ", ""
    )
    assert "neither side calls gather_elements" in problems(tmp_path, text)


def test_the_relations_of_one_file_know_the_operations_beside_it() -> None:
    catalogue = load_specs(specs_folder() / "scatter_nd.yaml")
    [relation] = [
        one.relation for one in catalogue.operations["scatter_nd"].clauses if one.id.endswith("zeros-then-add")
    ]
    assert relation is not None
    assert set(relation.operations) == {"scatter_nd", "tensor_scatter_nd_add"}
