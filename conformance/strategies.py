"""Hypothesis strategies for calls that keep all documented rules, and for calls that break a rule.

Use them in your own tests, with a function of your framework instead of ``my_scatter_nd``::

    from hypothesis import given
    from conformance.strategies import breaking_calls, expected, valid_calls

    @given(valid_calls("scatter_nd"))
    def test_scatter_nd(call):
        result = my_scatter_nd(**call)
        numpy.testing.assert_array_equal(result, expected("scatter_nd", call))

    @given(breaking_calls("scatter_nd", "updates-shape"))
    def test_scatter_nd_refuses(pair):
        my_scatter_nd(**pair.control)
        with pytest.raises(ValueError):
            my_scatter_nd(**pair.call)

``conformance list`` and ``conformance list clauses`` show the names of operations and rules. The specs contain the rules
and cite their documents; docs/specs.md describes how they are written.

Tensors are read-only NumPy arrays (bfloat16 is the dtype of ml_dtypes), shapes are tuples, and other arguments are numbers
or strings; omitted optional arguments have no key. Tensors have at most a few hundred elements, and are never empty in a
valid call. Their elements are positive integers, distinct within a call if the dtype allows it, and small enough to be
added exactly in any order; indices are int32 or int64.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from conformance.cases.draws.choices import Rejected
from conformance.cases.draws.drawing import DrawnCall, draw
from conformance.cases.draws.geometry import DTYPES, layout_of
from conformance.cases.draws.survey import mutations_to_draw
from conformance.cases.reference import Reference, load_reference
from conformance.data_folders import reference_adapter
from conformance.specification.applied import Applied
from conformance.specification.dtypes import OF_ANY_CALL
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Call, Catalogue, Operation, Rule
from conformance.specification.problems import nearest

Arguments = dict[str, Any]
"""Arguments by name."""


class Pair(NamedTuple):
    """A call that breaks a rule, and its control: the same call with only the violation fixed."""

    call: Arguments
    control: Arguments


def valid_calls(operation: str | Operation, *, dtypes: Sequence[str] = DTYPES) -> st.SearchStrategy[Arguments]:
    """Calls that keep every rule of an operation.

    ``operation`` is the name of an operation of the suite, such as ``"scatter_nd"``, or one loaded by
    ``conformance.specification.loader``. ``dtypes`` are the dtypes of tensors other than indices, the simplest first.
    ValueError for an unknown name or dtype, or a spec without a layout.
    """
    return drawn_calls(_operation(operation), None, dtypes=dtypes).map(lambda drawn: _arrays(drawn.call))


def breaking_calls(operation: str | Operation, rule: str, *, dtypes: Sequence[str] = DTYPES) -> st.SearchStrategy[Pair]:
    """Calls that break a rule, each with its control.

    They break no other rules except those that it implies, apart from the mistakes that people make: after these, such as
    flat updates, a call may break several rules, of which this is the first that requires an error.

    ``rule`` is its name in the spec, such as ``"updates-shape"``. ValueError for an unknown name, for a rule on results
    (it has ``ensure``), and for a rule that no drawn call breaks.
    """
    resolved = _operation(operation)
    return drawn_calls(resolved, _rule(resolved, rule), dtypes=dtypes).map(_pair)


def expected(operation: str | Operation, call: Arguments) -> np.ndarray[Any, Any]:
    """The result of a valid call, computed by the suite's reference.

    Where documents leave open which of several updates of a position remains, it is one of the permitted results.
    ValueError for an unknown name, and for a call that breaks a rule.
    """
    resolved = _operation(operation)
    if resolved.name not in _suite().operations:
        raise ValueError(f"the suite's reference does not implement {resolved.name}")
    applied = Applied(resolved, Call({name: _argument(value) for name, value in call.items()}))
    broken = applied.broken_rules
    if broken:
        raise ValueError(f"the call breaks {', '.join(f'{resolved.name}.rule.{name}' for name in broken)}")
    return _reference()(applied).array


def drawn_calls(
    operation: Operation, rule: Rule | None, *, dtypes: Sequence[str] = DTYPES
) -> st.SearchStrategy[DrawnCall]:
    """Calls in the representation of the suite: those that break ``rule``, or valid ones if it is None.

    Each choice is one integer, in the order and from the ranges of ``conformance.cases.draws.drawing``.
    """
    layout_of(operation)
    if not dtypes:
        raise ValueError(f"no dtypes to draw from; allowed: {', '.join(OF_ANY_CALL)}")
    for dtype in dtypes:
        if dtype not in OF_ANY_CALL:
            raise ValueError(f"undefined dtype {dtype!r}{nearest(dtype, OF_ANY_CALL)}")
    if rule is not None and not mutations_to_draw(operation).get(rule.name):
        raise ValueError(f"no drawn call breaks {operation.name}.rule.{rule.name} alone, or first among other rules")
    return _drawn(_Subject(operation, rule, tuple(dtypes)))


class _Subject:
    """An operation and a rule with a short repr, as Hypothesis prints the arguments of strategies."""

    # Not a dataclass, because Hypothesis would print its fields.
    def __init__(self, operation: Operation, rule: Rule | None, dtypes: tuple[str, ...]) -> None:
        self.operation = operation
        self.rule = rule
        self.dtypes = dtypes

    def __repr__(self) -> str:
        return self.operation.name if self.rule is None else f"{self.operation.name}.rule.{self.rule.name}"


@st.composite
def _drawn(hypothesis_draw: st.DrawFn, subject: _Subject) -> DrawnCall:
    operation, rule = subject.operation, subject.rule

    def choose(low: int, high: int) -> int:
        return low if low == high else hypothesis_draw(st.integers(low, high))

    try:
        return draw(choose, operation, rule, subject.dtypes)
    except Rejected:
        reject()


@cache
def _suite() -> Catalogue:
    return load_specs()


def _operation(operation: str | Operation) -> Operation:
    if isinstance(operation, Operation):
        return operation
    operations = _suite().operations
    if operation not in operations:
        raise ValueError(f"undefined operation {operation!r}{nearest(operation, operations)}")
    return operations[operation]


def _rule(operation: Operation, name: str) -> Rule:
    rules = {rule.name: rule for rule in operation.rules}
    if name not in rules:
        raise ValueError(f"undefined rule {name!r} of {operation.name}{nearest(name, rules)}")
    if rules[name].require is None:
        raise ValueError(f"{operation.name}.rule.{name} has ensure, not require, so no call can break it")
    return rules[name]


def _pair(drawn: DrawnCall) -> Pair:
    assert drawn.control is not None
    return Pair(_arrays(drawn.call), _arrays(drawn.control))


@cache
def _reference() -> Reference:
    return load_reference(reference_adapter())


def _argument(value: Any) -> Any:
    is_array = isinstance(value, np.ndarray | np.generic)
    return Tensor(value.dtype.name, np.asarray(value), None) if is_array else value


def _arrays(call: Applied) -> Arguments:
    return {name: value.array if isinstance(value, Tensor) else value for name, value in call.arguments.items()}
