"""Cases of derivatives: the same call, of which a target computes the derivative in reverse or in forward mode.

``CASE.vjp.ARGUMENT`` expects the product of a cotangent and the matrix of the argument, and ``CASE.jvp.ARGUMENT`` that of the matrix
and a tangent; see ``conformance.cases.derivatives``. The data of the call are small distinct integers, so that every order of adding gives the same bits and each of several updates to a
position leaves another result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import gcd, prod
from typing import get_args

import numpy as np

from conformance.cases.derivatives import PRECISION, Linear, derivatives, linear_maps, tensors_of_data
from conformance.cases.model import Case, Choice, Returns
from conformance.cases.permitted import Permitted, permitted_by
from conformance.cases.reference import Reference
from conformance.cases.turns import Turns, is_sampled
from conformance.cases.vacuous import is_vacuous
from conformance.specification.dtypes import numpy_dtype
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Call, Derivative, Operation
from conformance.specification.vocabulary import Differentiation

MOST_ELEMENTS = 48
"""The maximum number of elements of a tensor of a call, each of which needs a call of the reference."""
FACTORS = (2, -1, 3, 0, 1, -2)
"""Data whose products are small; one of them is zero, where a quotient of the product would not be defined."""


def derivative_cases(operation: Operation, cases: Iterable[Case], reference: Reference) -> Iterator[Case]:
    """The derivatives of cases, all of one operation; of those with the same call, one."""
    turns, permitted = Turns(operation.name), permitted_by(operation, reference)
    seen: set[object] = set()
    sampled: set[object] = set()
    for case in cases:
        for of in tensors_of_data(operation, case.call) if has_transforms(operation, case) else ():
            key = of, *map(_identity, case.call.arguments.values())
            found = [] if key in seen else _derivatives(operation, case, of, permitted)
            seen.add(key)
            for derivative in found:
                aspects = _aspects(derivative, of)
                is_extra = aspects <= sampled
                kind = str(derivative.call.transformation), of, str(is_extra)
                yield replace(derivative, is_extra=is_extra, turn=turns.next(*kind))
                sampled |= aspects


def _aspects(case: Case, of: str) -> set[object]:
    """What a sample of derivatives has at least one of: each dtype and each kind of call with something open, with each argument and
    reduction, in both modes; and in reverse mode each clause.
    """  # noqa: D205
    others = tuple(value for value in case.call.arguments.values() if isinstance(value, str))
    [dtype] = {value.dtype for value in case.call.arguments.values() if isinstance(value, Tensor)} & PRECISION.keys()
    assert isinstance(case.expectation, Returns)
    kind = case.call.transformation
    clause = {(case.clause.id, of)} if kind == "vjp" else set()
    return {(kind, dtype, of, others), (kind, len(case.expectation.choices), of, others), *clause}


def has_transforms(operation: Operation, case: Case) -> bool:
    """Whether a case is a plain call of floating-point data that returns, or has indices out of bounds."""
    returns = isinstance(case.expectation, Returns) or bool(case.policies)
    is_chosen = case.form is None or case.turn is None or is_sampled(case.turn)
    if not (returns and is_chosen) or case.clause.relation is not None or case.device is not None:
        return False
    tensors = [value for value in case.call.arguments.values() if isinstance(value, Tensor)]
    dtypes = {
        value.dtype
        for name in tensors_of_data(operation, case.call)
        if isinstance(value := case.call.arguments[name], Tensor)
    }
    is_small = all(value.array.size <= MOST_ELEMENTS for value in tensors)
    return len(dtypes) == 1 and dtypes <= PRECISION.keys() and is_small


def _identity(value: object) -> object:
    """What of an argument a derivative depends on: data are replaced, and the dtype of indices has cases of its own."""
    if not isinstance(value, Tensor):
        return repr(value)
    return (value.dtype, value.shape) if value.dtype in PRECISION else repr(value.array.tolist())


def _derivatives(operation: Operation, case: Case, of: str, permitted: Permitted) -> list[Case]:
    """The cases of both modes, as far as they are exact: with the distinct integers that prove most, or with factors."""
    cases: dict[Differentiation, Case] = {}
    for numbers in _NUMBERS:
        if numbers is _factors and len(cases) == len(get_args(Differentiation)):
            break
        call = case.call.with_arguments(_data(operation, case.call, numbers))
        maps = linear_maps(operation, call, of, permitted)
        if not maps or maps[0].result.size > MOST_ELEMENTS:
            break
        for kind in get_args(Differentiation):
            before = cases.get(kind)
            if before is not None and (numbers is _factors or proves_all(before)):
                continue
            found = _case(case, call, kind, of, maps)
            if found is not None and (before is None or _proving(found) > _proving(before)):
                cases[kind] = found
        if len(cases) == len(get_args(Differentiation)) and all(map(proves_all, cases.values())):
            break
    return list(cases.values())


def proves_all(case: Case) -> bool:
    """Whether no permitted result of a derivative has one that a function that does nothing could return."""
    return _proving(case) == len(_choices(case))


def _proving(case: Case) -> int:
    """The number of permitted results with another derivative."""
    transform = case.call.transform
    assert isinstance(transform, Derivative)
    return sum(not is_vacuous(one.derivative, transform.seed) for one in _choices(case))


def _choices(case: Case) -> Sequence[Choice]:
    assert isinstance(case.expectation, Returns)
    return case.expectation.choices


def _case(case: Case, call: Call, kind: Differentiation, of: str, maps: Sequence[Linear]) -> Case | None:
    argument = call.arguments[of]
    assert isinstance(argument, Tensor)
    shape = maps[0].result.shape if kind == "vjp" else argument.shape
    seed = tensor_of(1 + spread(prod(shape)), shape, argument.dtype)
    choices = derivatives(maps, argument, seed, in_reverse=kind == "vjp")
    if choices is None:
        return None
    call = replace(call, transform=Derivative(kind, of, seed))
    first = choices[0]
    within = float(first.bounds.max(initial=0.0)) if first.bounds is not None else None
    return Case(
        f"{case.id}.{kind}.{of}",
        case.operation,
        case.clause,
        replace(case.written, call=call, fixed=None, provenance="derived", about_dtype=(), breaks=False, expected=None),
        Returns(first.derivative, None, True, "reference", within=within, bounds=first.bounds, choices=choices),
        derived_from=case.id,
        is_beyond_documents=not isinstance(case.expectation, Returns),
    )


def _distinct(size: int) -> np.ndarray:
    """Small integers around zero."""
    return spread(size) - size // 3


def _opposite(size: int) -> np.ndarray:
    return -_distinct(size)


def _reversed(size: int) -> np.ndarray:
    return _distinct(size)[::-1]


def _factors(size: int) -> np.ndarray:
    return np.resize(FACTORS, size)


_NUMBERS = (_distinct, _opposite, _reversed, _factors)
"""What the data of a call are replaced by; the latter, where products of the others are not exact."""


def _data(operation: Operation, call: Call, numbers: Callable[[int], np.ndarray]) -> dict[str, Tensor]:
    """The data of a call, replaced by so many numbers."""
    names = tensors_of_data(operation, call)
    values = {name: value for name in names if isinstance(value := call.arguments[name], Tensor)}
    elements = numbers(sum(value.array.size for value in values.values()))
    data, start = {}, 0
    for name, value in values.items():
        data[name] = tensor_of(elements[start : start + value.array.size], value.shape, value.dtype)
        start += value.array.size
    return data


def spread(size: int) -> np.ndarray:
    """The numbers below ``size`` in an order that has no runs, the same on every machine."""
    stride = next((step for step in range(max(1, round(0.618 * size)), size) if gcd(step, size) == 1), 1)
    return (np.arange(size) * stride + size // 2) % max(size, 1)


def tensor_of(numbers: np.ndarray, shape: tuple[int, ...], dtype: str) -> Tensor:
    return Tensor(dtype, frozen(numbers.astype(numpy_dtype(dtype)).reshape(shape)), None)
