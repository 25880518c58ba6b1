"""Cases whose arguments are passed in another way to what a mode compiles: folding and checks of constants are other code.

Usually tensors are arguments of what is compiled, and numbers, axes and shapes are constants in it. ``<case>.constant.index``
has a constant index, and another case only constants; in ``<case>.argument.dim`` the axis is an argument. Long tensors are never
constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.variation import Alike, Passed, RareForm, Turn, Written, taking_turns
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import Observed, Operation, PassedAs, Way

Ways = dict[str, Way]

LONGEST = 300
"""The number of elements of the longest constant tensor: enough to go beyond an index dtype of 8 bits on a constant axis.

Some compilers handle each element of a constant on its own, such as torch.compile in 16 ms, so tens of thousands take minutes.
"""


def passed_cases(operation: Operation, cases: Iterable[Case]) -> Iterator[Case]:
    """Cases with the calls of others, all of the operation: written ones in each way, rare forms in one way by turns."""
    yield from taking_turns(operation.name, _passed_otherwise(cases))


def _passed_otherwise(cases: Iterable[Case]) -> Iterator[Alike[Case]]:
    """Those that pass the same arguments in the same way are alike."""
    seen: set[tuple[str, bool]] = set()
    for case in cases:
        ways = list(_ways(case))
        if isinstance(case.variation, Written):
            kind = case.clause.id, bool(case.policies)
            chosen = ways if kind not in seen and _is_decided(case) else []
            seen.add(kind)
        elif isinstance(case.variation, RareForm) and ways and not isinstance(case.expectation, Observed):
            chosen = [ways[case.variation.turn.number % len(ways)]]
        else:
            chosen = []
        for way in chosen:
            yield Alike((*way, *way.values()), partial(_passed, case, way))


def _is_decided(case: Case) -> bool:
    """Whether it is a call of all devices whose result is expected, or that has an index out of bounds."""
    return (
        case.device is None
        and case.dtype_test is None
        and (isinstance(case.expectation, Returning) or bool(case.policies))
    )


def _ways(case: Case) -> Iterator[Ways]:
    """The ways to pass the arguments of a call: the index constant, all tensors constant, each number as an argument.

    A call with a long tensor has no way in which this would be a constant. A call that should raise has no numbers as
    arguments, since its refusal would show nothing.
    """
    if case.clause.relation is not None or case.call.has_python_index:
        return
    arguments = case.call.arguments
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    indices = {name: value for name, value in tensors.items() if case.operation.arguments[name].index}
    if indices and _may_be_constants(indices):
        yield dict.fromkeys(indices, "constant")
    if len(tensors) > len(indices) and _may_be_constants(tensors):
        yield dict.fromkeys(tensors, "constant")
    if isinstance(case.expectation, Returning):
        for name, value in arguments.items():
            if isinstance(value, int | float | tuple):
                yield {name: "argument"}


def _may_be_constants(tensors: Mapping[str, Tensor]) -> bool:
    return all(tensor.size <= LONGEST for tensor in tensors.values())


def _passed(case: Case, ways: Ways, turn: Turn) -> Case:
    [way] = set(ways.values())
    manner = _manner(case.call, ways)
    assert isinstance(case.variation, Written | RareForm), "no other case is passed otherwise"
    is_open = isinstance(case.variation, RareForm) and case.variation.is_open
    return replace(
        case,
        id=f"{case.id}.{way}.{'+'.join(ways)}",
        call=case.call.made(manner),
        control=case.control.made(_manner(case.control, ways)) if case.control is not None else None,
        variation=Passed(case.id, manner, turn, is_open, case.dtype_test, case.variation.breaks),
        duplicates=None,
    )


def _manner(call: Applied, ways: Ways) -> PassedAs:
    return PassedAs({name: way for name, way in ways.items() if name in call.arguments})
