"""Long sums in half precision, and infinities and NaN in sums, products and differences.

Of a sum of 4,096 ones the bound of rounding in any order hides that most of them were lost, as it is larger than the sum. The terms of
a long sum here are ones, minus ones and zeros, of which no partial sum is larger than the integers that the dtype holds, in any order:
all sums are exact, and a single lost term shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan

from conformance.cases.forms.accumulating import Accumulation, accumulations
from conformance.cases.forms.calls import FormCall, form_in_dtype
from conformance.cases.reference import Reference
from conformance.specification.model import Operation

LONG = {"float16": (4096, 70_000), "bfloat16": (4096,)}
"""By dtype, the numbers of terms: more than the dtype counts, and more than 16 bits do."""
EXACT = {"float16": 2048, "bfloat16": 256}
"""By dtype, the largest number up to which all integers are exact."""


def sum_forms(operation: Operation, reference: Reference) -> Iterator[FormCall]:
    """Long sums, and sums, differences and products of infinities and NaN."""
    for each in accumulations(operation, reference):
        yield _non_finite(each)
        if each.word != "products":
            for dtype, counts in LONG.items():
                for count in counts:
                    call = each.long_call(dtype, _terms(dtype, count), count)
                    yield form_in_dtype(f"long-{each.word}.{dtype}-{count}", call, dtype)


def _terms(dtype: str, count: int) -> str:
    """Ones, zeros, and minus ones at the end, which count too."""
    ones, less = EXACT[dtype] - EXACT[dtype] // 8, EXACT[dtype] // 2
    return f"concat(0, ones([{ones}]), zeros([{count - ones - less}]), full([{less}], -1))"


def _non_finite(each: Accumulation) -> FormCall:
    """A position with infinities of one sign, one with both, and one with NaN, each beside numbers; another one stays finite."""
    ordinary = each.call("float32", [1, 2, 3, 4], [[1, 2, 3, 1], [2, 1, 1, 3], [1, 1, 2, 1], [2, 2, 1, 1]])
    numbers: list[list[float]] = [[inf, 2, 3, 1], [inf, 1, -inf, 3], [1, nan, 2, 1], [2, 2, 1, 1]]
    return FormCall(f"non-finite-{each.word}", each.call("float32", [1, 2, 3, 4], numbers), ordinary)
