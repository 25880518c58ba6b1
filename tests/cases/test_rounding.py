"""The bound on rounding in sums."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.rounding import rounding_bounds
from conformance.judging.compare import compare
from conformance.specification.literals import LiteralError, tensor
from tests.planted.in_process import REFERENCE, all_cases

ONES = "tensor_scatter_nd_add.behaviour.duplicates-are-summed/four-thousand-ones-in-float16"
SUM = load_reference(REFERENCE)


@pytest.fixture(scope="module")
def ones() -> Case:
    return next(case for case in all_cases() if case.id == ONES)


def test_a_sum_of_ones_in_float16_may_stop_at_2048_and_may_not_overflow(ones: Case) -> None:
    assert isinstance(ones.expectation, Returns)
    for summed, differences in ((2048, 0), (4096, 0), (65504, 1), (np.inf, 1)):
        result = np.array([5, summed, 7], np.float16)
        assert compare(ones.expectation, result).count == differences, summed


def test_the_bound_holds_for_every_order_of_addition(ones: Case) -> None:
    random = np.random.default_rng(0)
    terms = random.standard_normal(300).astype(np.float32)
    call = ones.call.with_arguments(
        {
            "tensor": tensor("float32", [0]),
            "indices": tensor("int32", "zeros([300, 1])"),
            "updates": tensor("float32", terms.tolist()),
        }
    )
    bound = float(rounding_bounds(call, SUM)[0])
    exact = float(terms.astype(np.float64).sum())
    errors = [abs(float(np.cumsum(random.permutation(terms), dtype=np.float32)[-1]) - exact) for _ in range(50)]
    assert 0 < max(errors) <= bound < float(np.abs(terms).sum())


def test_what_nothing_is_added_to_must_be_equal(ones: Case) -> None:
    assert isinstance(ones.expectation, Returns)
    assert compare(ones.expectation, np.array([5, 4096, 7.5], np.float16)).count == 1


def test_only_sums_of_floating_point_numbers_are_rounded(ones: Case) -> None:
    integers = {"tensor": tensor("int32", [0]), "indices": tensor("int32", [[0]]), "updates": tensor("int32", [1])}
    call = ones.call.with_arguments(integers)
    with pytest.raises(LiteralError, match="within: rounding needs a sum of floating-point numbers"):
        rounding_bounds(call, SUM)
