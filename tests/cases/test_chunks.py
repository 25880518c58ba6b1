"""An index that is too large stands behind more elements than are taken at once."""

from __future__ import annotations

import pytest

from conformance.cases.forms.chunks import CHUNK, chunk_calls
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Call


def _calls(operation: str) -> dict[str, Call]:
    found = chunk_calls(load_specs().operations[operation])
    return {clause.name: written.call for clause, [written] in found}


def test_the_index_and_the_source_of_a_call_are_longer_and_its_target_is_not() -> None:
    call = _calls("index_copy")["an-index-outside-is-an-error"]
    lengths = {name: value.shape for name, value in call.arguments.items() if isinstance(value, Tensor)}
    assert lengths == {"input": (3,), "index": (CHUNK + 2,), "source": (CHUNK + 2,)}
    index = call.arguments["index"]
    assert isinstance(index, Tensor)
    assert index.array[-2:].tolist() == [1, 3]
    assert not index.array[:CHUNK].any()


def test_the_control_is_as_long_and_valid() -> None:
    operation = load_specs().operations["index_copy"]
    [written] = next(calls for clause, calls in chunk_calls(operation) if clause.name == "an-index-outside-is-an-error")
    assert written.fixed is not None
    assert {value.shape for value in (written.fixed.arguments["index"], written.fixed.arguments["source"])} == {  # type: ignore[union-attr]
        (CHUNK + 2,)
    }
    assert Applied(operation, written.fixed).geometries["index"].inside.all()


@pytest.mark.parametrize("operation", ["gather_elements", "scatter_elements", "index_copy", "put"])
def test_a_longer_call_breaks_no_other_rule(operation: str) -> None:
    applied = load_specs().operations[operation]
    calls = _calls(operation)
    assert "src" not in applied.arguments or not calls  # whose source could not be as long
    for call in calls.values():
        assert set(Applied(applied, call).broken_rules) <= {"index-range"}
