"""What follows from an operation and the arguments of a call is computed once, and not stored."""

from __future__ import annotations

import pickle
from collections.abc import ItemsView, Iterator
from dataclasses import replace

import pytest

from conformance.specification.applied import Applied
from conformance.specification.literals import tensor
from conformance.specification.model import ArgumentSpec, Call, Clause, PassedAs
from tests.cases.draws import CATALOGUE

COMPUTED = ("values", "geometries", "masks_in_key", "broken_rules", "broken")
GATHER = CATALOGUE.operations["gather_nd"]
# The second index is out of bounds, and has no place for its second axis.
CALL = Call({"params": tensor("float32", [1, 2, 3]), "indices": tensor("int32", [[0, 0], [9, 9]])})


class Reads:
    """Counts how often the arguments and the clauses of an operation are gone through, as each evaluation does."""

    def __init__(self) -> None:
        self.count = 0


class Arguments(dict[str, ArgumentSpec]):
    reads: Reads

    def items(self) -> ItemsView[str, ArgumentSpec]:  # type: ignore[override] # a view, as of any mapping
        self.reads.count += 1
        return super().items()


class Clauses(tuple[Clause, ...]):
    reads: Reads

    def __iter__(self) -> Iterator[Clause]:
        self.reads.count += 1
        return super().__iter__()


def counted() -> tuple[Applied, Reads]:
    reads, arguments, clauses = Reads(), Arguments(GATHER.arguments), Clauses(GATHER.clauses)
    arguments.reads = clauses.reads = reads
    return Applied(replace(GATHER, arguments=arguments, clauses=clauses), CALL), reads


@pytest.mark.parametrize("name", COMPUTED)
def test_what_follows_from_a_call_is_computed_once(name: str) -> None:
    call, reads = counted()
    assert reads.count == 0
    first = getattr(call, name)
    once = reads.count
    assert once > 0
    assert getattr(call, name) is first
    assert reads.count == once


def test_a_call_with_other_arguments_or_in_another_manner_computes_it_anew() -> None:
    call, reads = counted()
    assert call.broken_rules != ()
    inside = call.with_arguments({"indices": tensor("int32", [[0]])})
    assert inside.broken_rules == ()
    before = reads.count
    assert call.made(PassedAs({"indices": "constant"})).broken_rules == call.broken_rules
    assert reads.count > before


def test_a_call_is_stored_without_what_was_computed_and_computes_it_again() -> None:
    call = Applied(GATHER, CALL)
    before = len(pickle.dumps(call))
    computed = [getattr(call, name) for name in COMPUTED]
    assert {*vars(call)} == {"operation", "call", *COMPUTED}
    assert len(pickle.dumps(call)) == before
    again = pickle.loads(pickle.dumps(call))
    assert {*vars(again)} == {"operation", "call"}
    assert again.broken_rules == computed[COMPUTED.index("broken_rules")] != ()
