"""The bound on rounding in sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.rounding import rounding_bounds
from conformance.cases.written import written_cases
from conformance.data_folders import specs_folder
from conformance.judging.compare import compare
from conformance.specification.literals import LiteralError, tensor
from conformance.specification.loader import load_specs
from conformance.specification.problems import Problem
from tests.planted.in_process import REFERENCE, all_cases

ROUNDED = "tensor_scatter_nd_add.behaviour.duplicates-are-summed/thirty-two-that-round-in-float16"
SUM = load_reference(REFERENCE)


@pytest.fixture(scope="module")
def rounded() -> Case:
    return next(case for case in all_cases() if case.id == ROUNDED)


def test_a_sum_in_float16_may_be_rounded_in_every_order_and_may_not_lose_an_update(rounded: Case) -> None:
    assert isinstance(rounded.expectation, Returns)
    update = np.float16(1.1)
    one_after_the_other = np.cumsum(np.full(32, update), dtype=np.float16)[-1]
    of_one_lost = 31 * float(update)
    assert one_after_the_other != 32 * float(update)
    for summed, differences in ((one_after_the_other, 0), (35.1875, 0), (of_one_lost, 1), (0, 1), (np.inf, 1)):
        result = np.array([5, summed, 7], np.float16)
        assert compare(rounded.expectation, result).count == differences, summed


def test_a_bound_that_hides_a_lost_update_is_refused(tmp_path: Path) -> None:
    """The bound of 4,096 ones in float16 is 8,192: no sum at all would conform."""
    folder = tmp_path / "specs"
    folder.mkdir()
    spec = (specs_folder() / "scatter_nd.yaml").read_text(encoding="utf-8")
    wrong = spec.replace("ones([32, 1])", "ones([4096, 1])").replace("full([32], 1.099609375)", "ones([4096])")
    (folder / "scatter_nd.yaml").write_text(wrong.replace("[0, 35.1875, 0]", "[0, 4096, 0]"), encoding="utf-8")
    [operation] = load_specs(folder).operations.values()
    problems = [str(one) for one in written_cases(operation, SUM) if isinstance(one, Problem)]
    assert len(problems) == 1
    assert "within: 8192 is too large: it would hide a lost update of 1" in problems[0]


def test_the_bound_holds_for_every_order_of_addition(rounded: Case) -> None:
    random = np.random.default_rng(0)
    terms = random.uniform(0.5, 1, 300).astype(np.float32) * random.choice([-1, 1], 300).astype(np.float32)
    call = rounded.call.with_arguments(
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


def test_what_nothing_is_added_to_must_be_equal(rounded: Case) -> None:
    assert isinstance(rounded.expectation, Returns)
    assert compare(rounded.expectation, np.array([5, 35.1875, 7.5], np.float16)).count == 1


def test_only_sums_of_floating_point_numbers_are_rounded(rounded: Case) -> None:
    integers = {"tensor": tensor("int32", [0]), "indices": tensor("int32", [[0]]), "updates": tensor("int32", [1])}
    call = rounded.call.with_arguments(integers)
    with pytest.raises(LiteralError, match="within: rounding needs a sum of floating-point numbers"):
        rounding_bounds(call, SUM)
