"""Hypothesis strategies for calls that keep what the documents say, and for calls that break one of the rules.

Use them in your own tests, with the framework's function in place of ``my_scatter_nd``::

    from hypothesis import given
    from conformance.strategies import breaking_calls, valid_calls

    @given(valid_calls("scatter_nd"))
    def test_scatter_nd(call):
        result = my_scatter_nd(**call)
        assert result.shape == call["shape"]

    @given(breaking_calls("scatter_nd", "updates-shape"))
    def test_scatter_nd_refuses(pair):
        my_scatter_nd(**pair.control)
        with pytest.raises(ValueError):
            my_scatter_nd(**pair.call)

Operations and rules have the names that ``conformance list`` and ``conformance list clauses`` show. The rules, and the
documents that they come from, are in the specs; how calls are laid out is described in docs/specs.md.

A tensor is a NumPy array (a bfloat16 one has the dtype of ml_dtypes) that nobody may write to, a shape a tuple, everything
else a plain number or word; an optional argument that a call leaves out is not among its keys. Tensors have at most a
few hundred elements, and are never empty in a valid call. Their elements are whole numbers above zero, none of them twice
in a call as far as the dtype allows, and few enough to add up exactly in any order; indices are int32 or int64.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from hypothesis import reject
from hypothesis import strategies as st

from conformance.cases.draws.choices import Rejected
from conformance.cases.draws.geometry import DTYPES, layout_of
from conformance.cases.draws.plans import Drawn, draw, plan, survey
from conformance.specification.dtypes import NAMES
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Call, Catalogue, Operation, Rule
from conformance.specification.problems import nearest

Arguments = dict[str, Any]
"""Arguments by name."""


class Pair(NamedTuple):
    """A call that breaks a rule, and the same call with only that fixed."""

    call: Arguments
    control: Arguments


def valid_calls(operation: str | Operation, *, dtypes: Sequence[str] = DTYPES) -> st.SearchStrategy[Arguments]:
    """Calls that keep every rule of an operation.

    ``operation`` is the name of one of the suite's, as ``"scatter_nd"``, or one that ``conformance.specification.loader`` read.
    ``dtypes`` are the dtypes that tensors other than indices may have, the simplest first.
    ValueError for an unknown name or dtype, or a spec without a layout.
    """
    return drawn_calls(_operation(operation), None, dtypes=dtypes).map(lambda drawn: _arrays(drawn.call))


def breaking_calls(operation: str | Operation, rule: str, *, dtypes: Sequence[str] = DTYPES) -> st.SearchStrategy[Pair]:
    """Calls that break one rule, and nothing but what the rule declares to imply, each with its valid control.

    ``rule`` is its name in the spec, as ``"updates-shape"``. ValueError for a name that is none, for a rule on results
    (it has ``ensure``), and for a rule that no drawn call breaks.
    """
    found = _operation(operation)
    return drawn_calls(found, _rule(found, rule), dtypes=dtypes).map(_pair)


def drawn_calls(operation: Operation, rule: Rule | None, *, dtypes: Sequence[str] = DTYPES) -> st.SearchStrategy[Drawn]:
    """The same as the suite's own values: calls that break ``rule`` with their controls, or keep all where it is None.

    Each choice is one integer, in the order and from the ranges in which ``conformance.cases.draws.generate`` makes it.
    """
    layout_of(operation)
    if not dtypes:
        raise ValueError(f"no dtypes to draw from; allowed: {', '.join(NAMES)}")
    for dtype in dtypes:
        if dtype not in NAMES:
            raise ValueError(f"undefined dtype {dtype!r}{nearest(dtype, NAMES)}")
    if rule is not None and not survey(operation).ways.get(rule.name):
        raise ValueError(f"no drawn call breaks {operation.name}.rule.{rule.name} and nothing but what it implies")
    return _drawn(_Subject(operation, rule, tuple(dtypes)))


class _Subject:
    """What is drawn, shown by its name: Hypothesis shows a strategy's arguments, and an operation is large."""

    # Not a dataclass, of which Hypothesis would show the fields.
    def __init__(self, operation: Operation, rule: Rule | None, dtypes: tuple[str, ...]) -> None:
        self.operation = operation
        self.rule = rule
        self.dtypes = dtypes

    def __repr__(self) -> str:
        return self.operation.name if self.rule is None else f"{self.operation.name}.rule.{self.rule.name}"


@st.composite
def _drawn(hypothesis_draw: st.DrawFn, subject: _Subject) -> Drawn:
    operation, rule = subject.operation, subject.rule

    def choose(low: int, high: int) -> int:
        return low if low == high else hypothesis_draw(st.integers(low, high))

    try:
        return draw(choose, operation, rule, plan(choose, operation, rule, subject.dtypes))
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
        raise ValueError(f"{operation.name}.rule.{name} is about results, so no call breaks it; it has ensure")
    return rules[name]


def _pair(drawn: Drawn) -> Pair:
    assert drawn.control is not None
    return Pair(_arrays(drawn.call), _arrays(drawn.control))


def _arrays(call: Call) -> Arguments:
    return {name: value.array if isinstance(value, Tensor) else value for name, value in call.arguments.items()}
