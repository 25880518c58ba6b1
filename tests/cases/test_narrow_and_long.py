"""Empty indices beside ordinary data, narrow integers at the ends of their dtypes, long sums in half precision, infinities and NaN."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returning, Returns
from conformance.cases.forms.source import form_cases
from conformance.cases.forms.sums import EXACT, LONG
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.data_folders import reference_adapter
from conformance.judging.judge import judge
from conformance.judging.subject import Subject
from conformance.outcomes.observation import Observation
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Raises
from tests.outcomes import returned_value

OPERATIONS = (
    *("tensor_scatter_nd_add", "tensor_scatter_nd_reduce", "index_add", "put", "advanced_index_set"),
    *("scatter_elements", "unsorted_segment_reduce", "gather_elements", "take"),
)
SUBJECT = Subject("own", None, immutable=False)


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(reference_adapter())


@pytest.fixture(scope="module")
def cases(reference: Reference) -> dict[str, Case]:
    made = build_cases(load_specs().only(OPERATIONS), reference, sources=[form_cases])
    return {f"{case.operation_name}/{case.id.rpartition('/')[2]}": case for case in made}


def _tensor(case: Case, name: str) -> Tensor:
    value = case.call.arguments[name]
    assert isinstance(value, Tensor)
    return value


def _expected(case: Case) -> Tensor:
    assert isinstance(case.expectation, Returning)
    return case.expectation.value


@pytest.mark.parametrize("shape", ["0", "0x2", "2x0", "0x2x2"])
def test_an_empty_index_of_any_number_of_axes_writes_nothing_and_reads_nothing(
    cases: dict[str, Case], shape: str
) -> None:
    lengths = tuple(map(int, shape.split("x")))
    for rank in (1, 3):
        # With the shape [0] beside the usual data it is a form of tensors without elements.
        form = f"index-of-shape-{shape}" + (f".beside-{rank}-axes" if (shape, rank) != ("0", 3) else "")
        written = cases[f"scatter_elements/form.{form}"]
        assert (_tensor(written, "index").shape, _tensor(written, "input").rank) == (lengths, rank)
        assert _tensor(written, "src").size
        assert np.array_equal(_expected(written).array, _tensor(written, "input").array)
        read = cases[f"gather_elements/form.{form}"]
        assert _expected(read).shape == lengths
    if shape != "0":
        assert _expected(cases[f"take/form.index-of-shape-{shape}.beside-1-axes"]).shape == lengths


def test_an_empty_index_beside_updates_for_others_is_an_error_which_nobody_may_take(cases: dict[str, Case]) -> None:
    case = cases["tensor_scatter_nd_add/form.indices-of-shape-0x1.beside-2-axes"]
    assert (_tensor(case, "indices").shape, _tensor(case, "updates").shape) == ((0, 1), (3, 5))
    assert isinstance(case.expectation, Raises)
    taken = Observation(returned_value(_tensor(case, "tensor")), control_before="returned")
    assert judge(case, SUBJECT, taken).divergences == ["accepted"]


@pytest.mark.parametrize(
    ("operation", "word", "dtype"),
    [
        *(
            (operation, "sums", dtype)
            for operation in ("put", "index_add", "advanced_index_set")
            for dtype in ("int8", "int16")
        ),
        ("tensor_scatter_nd_reduce", "differences", "int8"),
    ],
)
def test_partial_sums_pass_the_end_of_a_signed_dtype_forwards_and_backwards_and_sums_do_not(
    cases: dict[str, Case], operation: str, word: str, dtype: str
) -> None:
    case = cases[f"{operation}/form.{word}-within.{dtype}"]
    target, source = (value.array.reshape(-1).astype(np.int64) for value in case.call.data.values())
    sign = 1 if word == "sums" else -1
    limits = np.iinfo(dtype)
    passed = set()
    for start, terms in zip(target, sign * source.reshape(3, 4), strict=True):
        for way in (1, -1):
            partial = start + np.cumsum(terms[::way])
            assert limits.min <= partial[-1] <= limits.max
            if (partial > limits.max).any() or (partial < limits.min).any():
                passed.add(way)
    assert passed == {1, -1}
    assert _expected(case).array.reshape(-1).tolist() == (target + sign * source.reshape(3, 4).sum(1)).tolist()


def test_sums_in_uint8_are_more_than_int8_holds(cases: dict[str, Case]) -> None:
    case = cases["unsorted_segment_reduce/form.sums-within.uint8"]
    assert _expected(case).array.tolist() == [255, 254, 253]


def test_a_sum_beyond_its_dtype_is_expected_only_where_the_spec_has_one(cases: dict[str, Case]) -> None:
    case = cases["index_add/form.sums-beyond.uint8"]
    assert case.clause.name == "duplicates-are-summed"
    assert _expected(case).array.tolist() == [(254 + 4) % 256, (127 + 127 + 7) % 256, (255 + 256) % 256]
    assert "put/form.sums-beyond.uint8" not in cases
    assert "scatter_elements/form.products-beyond.int16" in cases


@pytest.mark.parametrize(("dtype", "count"), [(dtype, count) for dtype, counts in LONG.items() for count in counts])
def test_no_partial_sum_of_a_long_sum_is_rounded_in_any_order_and_the_last_term_counts(
    cases: dict[str, Case], dtype: str, count: int
) -> None:
    case = cases[f"index_add/form.long-sums.{dtype}-{count}"]
    terms = _tensor(case, "source").array.astype(np.float64)
    assert len(terms) == count
    assert max(terms[terms > 0].sum(), -terms[terms < 0].sum()) <= EXACT[dtype]
    assert _expected(case).array.astype(np.float64).tolist() == [terms.sum()]
    assert terms[-1]
    assert isinstance(case.expectation, Returns)
    assert case.expectation.tolerance is None
    one_lost = np.asarray(_expected(case).array + np.ones(1, _expected(case).array.dtype))
    result = Tensor(dtype, one_lost, None)
    assert judge(case, SUBJECT, Observation(returned_value(result), result)).divergences == ["value"]


def test_infinities_and_nan_stay_at_their_positions(cases: dict[str, Case]) -> None:
    expected = _expected(cases["index_add/form.non-finite-sums"]).array
    assert str(expected.tolist()) == "[inf, nan, nan, 10.0]"
    products = _expected(cases["unsorted_segment_reduce/form.non-finite-products"]).array
    assert str(products.tolist()) == "[inf, -inf, nan, 16.0]"
