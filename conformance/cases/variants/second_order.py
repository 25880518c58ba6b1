"""Cases of second derivatives: of a call that multiplies, the derivative of its derivative in reverse mode.

``CASE.vjp-vjp.ARGUMENT.OTHER`` is the derivative with respect to ``OTHER``, in reverse mode, of that with respect to ``ARGUMENT``, and
``CASE.jvp-vjp.ARGUMENT.OTHER`` the same in forward mode; ``.zero`` follows where a factor is zero. Expected is what follows from the
reference, as for first ones: how a step in one element changes the difference quotient of another. What only adds, copies or compares
has none but zero, and no case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import Literal, get_args

import numpy as np

from conformance.cases.expectations import Choice, Returning, ReturnsDerivative
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.variants.derivatives import (
    FACTORS,
    data_of,
    distinct,
    has_transforms,
    shapes_of,
    spread,
    tensor_of,
)
from conformance.cases.variants.linear_maps import PRECISION, ROUNDINGS, STEP, Array, Bilinear, bilinear_map, is_exact
from conformance.cases.variants.permitted import Permitted, permitted_by
from conformance.cases.variation import Alike, AsView, InDtype, Turn, TwiceDifferentiated, taking_turns
from conformance.specification.applied import Applied
from conformance.specification.model import Derivative, Operation, SecondDerivative
from conformance.specification.vocabulary import Differentiation, SecondOrder

DTYPE = "float32"
"""Every framework has it; that a derivative has the right dtype is seen of first ones."""
MOST_ELEMENTS = 16
"""The maximum number of elements of an argument: each pair of two needs a call of the reference."""
_NONZERO = (2, -1, 3, 1, -2)
"""As ``FACTORS``, without a zero."""
_WITH_ZERO = tuple((*FACTORS[start:], *FACTORS[:start]) for start in range(len(FACTORS)))
"""``FACTORS`` from each of them on, so that the zero may be any factor of a product."""
_ROUNDING = 1e-6
"""What differences of results are multiples of, apart from their rounding."""


def second_order_cases(operation: Operation, cases: Iterable[Case], reference: Reference) -> Iterator[Case]:
    """A sample of the second derivatives of cases, all of one operation."""
    yield from taking_turns(operation.name, _of_cases(cases, permitted_by(reference)))


def _of_cases(cases: Iterable[Case], permitted: Permitted) -> Iterator[Alike[Case]]:
    """Those of the same kind by the same arguments are alike.

    Each pair of arguments has each kind with each reduction: with tensors of one axis and of more, and of one shape and of several,
    as an API may have one of these forms only; of two factors and of more; and beside a factor that is zero, and beside none.
    """
    sampled: set[object] = set()
    for case in cases:
        if not _is_candidate(case):
            continue
        words = tuple(value for value in case.call.arguments.values() if isinstance(value, str))
        own = case.call.with_arguments(data_of(case.call, distinct))
        for of, by in product(case.call.data, repeat=2):
            factors = _factors(own, of, by, permitted)
            if factors == "none":
                continue
            for has_zero, data in ((False, (_NONZERO,)), (True, _WITH_ZERO)):
                aspects = {(of, by, words, each) for each in (shapes_of(case.call), has_zero, factors)}
                if aspects <= sampled:
                    continue
                tried = (_found(case.call, of, by, numbers, permitted) for numbers in data)
                found = next((one for one in tried if one is not None), None)
                if found is None:
                    continue
                sampled |= aspects
                for kind in get_args(SecondOrder):
                    yield Alike((kind, of, by), partial(_case, case, kind, found))


def _is_candidate(case: Case) -> bool:
    """Whether a case has transforms, is small enough, and has an index of usual dtype; data are replaced by others that are no views."""
    if isinstance(case.variation, AsView) or (isinstance(case.variation, InDtype) and case.variation.of_indices):
        return False
    data = case.call.data
    is_small = all(0 < value.array.size <= MOST_ELEMENTS for value in data.values())
    return is_small and {value.dtype for value in data.values()} == {DTYPE} and has_transforms(case)


def _factors(call: Applied, of: str, by: str, permitted: Permitted) -> Literal["none", "two", "several"]:
    """Whether elements of two arguments are factors of a product, which may have several of one of them.

    Seen from steps of all elements: those of a product change how much another step changes the result, and if it has more than two of
    these factors, that change is not the same for each. What is a sum, or the largest of distinct elements, has none.
    """

    def change(first: int, second: int) -> Array | None:
        ends = []
        for steps in ((first, second), (first + 1, second), (first, second + 1), (first + 1, second + 1)):
            moved = {name: value.array + STEP * sum(steps[place] for place, each in enumerate((of, by)) if each == name)
                     for name, value in call.data.items()}  # fmt: skip
            found = permitted(
                call.with_arguments({name: tensor_of(array, array.shape, "float64") for name, array in moved.items()})
            )
            if len(found) != 1:
                return None
            ends.append(found[0].array)
        return np.asarray(np.round((ends[3] - ends[2] - ends[1] + ends[0]) / _ROUNDING))

    once = change(0, 0)
    if once is None or not once.any():
        return "none"
    others = [change(1, 0), change(0, 1)]
    return "two" if all(np.array_equal(once, other) for other in others if other is not None) else "several"


@dataclass(frozen=True)
class _Found:
    """A call with data of its own, and how elements of two arguments change its result together."""

    call: Applied
    of: str
    by: str
    bilinear: Bilinear

    @property
    def has_zero_factor(self) -> bool:
        """Whether a product, of which no second derivative would be zero otherwise, is zero."""
        multiplied = np.any(self.bilinear.changes, axis=(1, 2))
        return bool(np.any(multiplied & (self.bilinear.linear.result.reshape(-1) == 0)))

    def manner(self, kind: SecondOrder) -> SecondDerivative:
        """Both seeds are distinct small integers."""
        result, argument = self.bilinear.linear.result, self.call.data[self.of]
        of_second = argument if kind == "vjp-vjp" else self.call.data[self.by]
        first, second = (tensor_of(1 + spread(prod(shape)), shape, DTYPE) for shape in (result.shape, of_second.shape))
        mode: Differentiation = "vjp" if kind == "vjp-vjp" else "jvp"
        return SecondDerivative(kind, Derivative("vjp", self.of, first), Derivative(mode, self.by, second))

    def choice(self, kind: SecondOrder) -> Choice:
        """The first derivative with the second one."""
        manner = self.manner(kind)
        cotangent, second = (one.seed.array.astype(np.float64).reshape(-1) for one in (manner.first, manner.second))
        linear, changes = self.bilinear.linear, self.bilinear.changes
        argument, other = self.call.data[self.of], self.call.data[self.by]
        in_reverse = kind == "vjp-vjp"
        derivative = np.einsum("rab,r,a->b" if in_reverse else "rab,r,b->a", changes, cotangent, second)
        # A framework may divide the product by each of its factors, and cancel what belongs to one and the same.
        largest = max(1.0, np.abs(linear.result).max(initial=0)) * np.abs(cotangent).sum() * np.abs(second).sum()
        shape = other.shape if in_reverse else argument.shape
        bounds = np.full(shape, ROUNDINGS * largest / 2.0 ** PRECISION[DTYPE])
        return Choice(
            tensor_of(cotangent @ linear.matrix, argument.shape, DTYPE), tensor_of(derivative, shape, DTYPE), bounds
        )


def _found(call: Applied, of: str, by: str, numbers: Sequence[int], permitted: Permitted) -> _Found | None:
    """None if no element of one changes what an element of the other does, if that is not exact, or if no product is zero as it should be."""
    own = call.with_arguments(data_of(call, partial(np.resize, numbers)))
    if 0 in numbers and all(np.all(result.array) for result in permitted(own)):
        return None
    bilinear = bilinear_map(own, of, by, permitted)
    if bilinear is None or not bilinear.changes.any() or not is_exact(bilinear.changes):
        return None
    found = _Found(own, of, by, bilinear)
    return found if found.has_zero_factor is (0 in numbers) else None


def _case(case: Case, kind: SecondOrder, found: _Found, turn: Turn) -> Case:
    manner = found.manner(kind)
    return Case(
        f"{case.id}.{kind}.{manner.of}{'.zero' if found.has_zero_factor else ''}",
        found.call.made(manner),
        case.clause,
        ReturnsDerivative((found.choice(kind),)),
        case.entry,
        TwiceDifferentiated(case.id, manner, turn, not isinstance(case.expectation, Returning)),
    )
