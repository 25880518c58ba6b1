"""Cases of derivatives: the same call, of which a target computes the derivative in reverse or in forward mode.

``CASE.vjp.ARGUMENT`` expects the product of a cotangent and the matrix of the argument, and ``CASE.jvp.ARGUMENT`` that of the matrix
and a tangent; see ``conformance.cases.variants.linear_maps``. The data of the call are small distinct integers, so that every order of adding gives the same bits and each of several updates to a
position leaves another result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import gcd, prod
from typing import get_args

import numpy as np

from conformance.cases.expectations import Choice, Returning, ReturnsDerivative
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.vacuous import is_vacuous
from conformance.cases.variants.linear_maps import PRECISION, Linear, derivatives, linear_maps
from conformance.cases.variants.permitted import Permitted, permitted_by
from conformance.cases.variation import Alike, Differentiated, RareForm, Turn, is_sampled, taking_turns
from conformance.specification.applied import Applied
from conformance.specification.dtypes import numpy_dtype
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Derivative, Operation
from conformance.specification.vocabulary import Differentiation

MOST_ELEMENTS = 48
"""The maximum number of elements of a tensor of a call, each of which needs a call of the reference."""
FACTORS = (2, -1, 3, 0, 1, -2)
"""Data whose products are small; one of them is zero, where a quotient of the product would not be defined."""


def derivative_cases(operation: Operation, cases: Iterable[Case], reference: Reference) -> Iterator[Case]:
    """The derivatives of cases, all of one operation; of those with the same call, one."""
    yield from taking_turns(operation.name, _of_cases(cases, permitted_by(reference)))


def _of_cases(cases: Iterable[Case], permitted: Permitted) -> Iterator[Alike[Case]]:
    """Those of the same kind by the same argument are alike."""
    seen: set[object] = set()
    sampled: set[object] = set()
    for case, of in _by_argument(cases):
        key = of, *map(_identity, case.call.arguments.values())
        found = [] if key in seen else _derivatives(case, of, permitted)
        seen.add(key)
        for derivative in found:
            aspects = _aspects(case, derivative)
            yield Alike((derivative.manner.kind, of), partial(_case, case, derivative), aspects <= sampled)
            sampled |= aspects


def _by_argument(cases: Iterable[Case]) -> Iterator[tuple[Case, str]]:
    """Cases, each with each argument that has a derivative: where a number may be a tensor, it is one without axes."""
    for case in cases:
        if has_transforms(case):
            yield from ((case, of) for of in case.call.data)
            for name in _numbers_that_may_be_tensors(case.call):
                [dtype] = {value.dtype for value in case.call.data.values()}
                number = tensor_of(np.array([case.call.arguments[name]]), (), dtype)
                yield replace(case, call=case.call.with_arguments({name: number})), name


def _numbers_that_may_be_tensors(call: Applied) -> list[str]:
    specs = call.operation.arguments.items()
    given = [name for name, spec in specs if {"tensor", "scalar"} <= {*spec.kinds} and not spec.index]
    return [name for name in given if isinstance(call.arguments.get(name), int | float)]


@dataclass(frozen=True)
class _Found:
    """A derivative of a call with data of its own."""

    call: Applied
    manner: Derivative
    choices: tuple[Choice, ...]

    @property
    def proving(self) -> int:
        """The number of permitted results whose derivative a function that does nothing could not return."""
        return sum(not is_vacuous(one.derivative, self.manner.seed) for one in self.choices)

    @property
    def proves_all(self) -> bool:
        return self.proving == len(self.choices)


def _aspects(case: Case, found: _Found) -> set[object]:
    """What a sample of derivatives has at least one of.

    Each dtype and each kind of call with something open, with each argument and reduction, in both modes, beside tensors and beside
    numbers, as not every API takes both, and of tensors of one axis and of more, since an API may have one of these forms only; and
    in reverse mode each clause.
    """
    kind, of = found.manner.kind, found.manner.of
    others = tuple(
        (name, value if isinstance(value, str) else isinstance(value, Tensor))
        for name, value in found.call.arguments.items()
    )
    [dtype] = {value.dtype for value in found.call.data.values()} & PRECISION.keys()
    clause = {(case.clause.id, of)} if kind == "vjp" else set()
    has_form = (kind, of, others, shapes_of(found.call))
    return {(kind, dtype, of, others), (kind, len(found.choices), of, others), has_form, *clause}


def shapes_of(call: Applied) -> object:
    """What an API may be without of a call: several axes, and tensors of another shape than the index."""
    shapes = [value.shape for value in call.tensors.values()]
    return max(map(len, shapes), default=0) > 1, len({*shapes}) == 1


def has_transforms(case: Case) -> bool:
    """Whether a case is a plain call of floating-point data that returns, or has indices out of bounds."""
    returns = isinstance(case.expectation, Returning) or bool(case.policies)
    is_chosen = not isinstance(case.variation, RareForm) or is_sampled(case.variation.turn.number)
    if not (returns and is_chosen) or case.clause.relation is not None or case.device is not None:
        return False
    if case.call.has_python_index:
        return False
    dtypes = {value.dtype for value in case.call.data.values()}
    is_small = all(value.array.size <= MOST_ELEMENTS for value in case.call.tensors.values())
    return len(dtypes) == 1 and dtypes <= PRECISION.keys() and is_small


def _identity(value: object) -> object:
    """What of an argument a derivative depends on: data are replaced, and the dtype of indices has cases of its own."""
    if not isinstance(value, Tensor):
        return repr(value)
    return (value.dtype, value.shape) if value.dtype in PRECISION else repr(value.array.tolist())


def _derivatives(case: Case, of: str, permitted: Permitted) -> list[_Found]:
    """The derivatives in both modes, as far as they are exact: with the distinct integers that prove most, or with factors."""
    found: dict[Differentiation, _Found] = {}
    for numbers in _NUMBERS:
        if numbers is _factors and len(found) == len(get_args(Differentiation)):
            break
        call = case.call.with_arguments(data_of(case.call, numbers))
        maps = _documented_first(case, linear_maps(call, of, permitted))
        if not maps or maps[0].result.size > MOST_ELEMENTS:
            break
        for kind in get_args(Differentiation):
            before = found.get(kind)
            if before is not None and (numbers is _factors or before.proves_all):
                continue
            derivative = _derivative(call, kind, of, maps)
            if derivative is not None and (before is None or derivative.proving > before.proving):
                found[kind] = derivative
        if len(found) == len(get_args(Differentiation)) and all(one.proves_all for one in found.values()):
            break
    return list(found.values())


def _documented_first(case: Case, maps: Sequence[Linear]) -> Sequence[Linear]:
    """The permitted results, first of all that of the policy for indices out of bounds that is documented, which readers see."""
    expected = case.expectation
    if not isinstance(expected, Returning) or len(maps) != len(case.policies):
        return maps
    documented = [outcome.result.array.tobytes() == expected.value.array.tobytes() for outcome in case.policies]
    return [
        each for first in (True, False) for each, is_first in zip(maps, documented, strict=True) if is_first is first
    ]


def _derivative(call: Applied, kind: Differentiation, of: str, maps: Sequence[Linear]) -> _Found | None:
    argument = call.data[of]
    shape = maps[0].result.shape if kind == "vjp" else argument.shape
    seed = tensor_of(1 + spread(prod(shape)), shape, argument.dtype)
    choices = derivatives(maps, argument, seed, in_reverse=kind == "vjp")
    return _Found(call, Derivative(kind, of, seed), choices) if choices is not None else None


def _case(case: Case, found: _Found, turn: Turn) -> Case:
    is_beyond_documents = not isinstance(case.expectation, Returning)
    return Case(
        f"{case.id}.{found.manner.kind}.{found.manner.of}",
        found.call.made(found.manner),
        case.clause,
        ReturnsDerivative(found.choices),
        case.entry,
        Differentiated(case.id, found.manner, turn, is_beyond_documents),
    )


def distinct(size: int) -> np.ndarray:
    """Small integers around zero."""
    return spread(size) - size // 3


def _opposite(size: int) -> np.ndarray:
    return -distinct(size)


def _reversed(size: int) -> np.ndarray:
    return distinct(size)[::-1]


def _factors(size: int) -> np.ndarray:
    return np.resize(FACTORS, size)


_NUMBERS = (distinct, _opposite, _reversed, _factors)
"""What the data of a call are replaced by; the latter, where products of the others are not exact."""


def data_of(call: Applied, numbers: Callable[[int], np.ndarray]) -> dict[str, Tensor]:
    """The data of a call, replaced by so many numbers."""
    elements = numbers(sum(value.array.size for value in call.data.values()))
    data, start = {}, 0
    for name, value in call.data.items():
        data[name] = tensor_of(elements[start : start + value.array.size], value.shape, value.dtype)
        start += value.array.size
    return data


def spread(size: int) -> np.ndarray:
    """The numbers below ``size`` in an order that has no runs, the same on every machine."""
    stride = next((step for step in range(max(1, round(0.618 * size)), size) if gcd(step, size) == 1), 1)
    return (np.arange(size) * stride + size // 2) % max(size, 1)


def tensor_of(numbers: np.ndarray, shape: tuple[int, ...], dtype: str) -> Tensor:
    return Tensor(dtype, frozen(numbers.astype(numpy_dtype(dtype)).reshape(shape)), None)
