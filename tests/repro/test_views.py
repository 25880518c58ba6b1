"""A script builds a view with the same elements, strides and surroundings as the worker."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.repro.errors import NoScript
from conformance.repro.views import view_of
from conformance.specification.literals import Tensor, argument
from conformance.worker.views import build


@pytest.mark.parametrize(
    "written",
    [
        {"int32": [[1, 2, 3], [4, 5, 6]], "view": "transposed"},
        {"float32": [[[1, 2], [3, 4], [5, 6]]], "view": "transposed"},
        {"int64": [[1, 2, 3], [4, 5, 6]], "view": "strided"},
        {"float16": [0.5, -0.0, 2], "view": "offset"},
        {"bool": [True, False, True], "view": "strided"},
        {"complex64": [[1, 2], [3, 4]], "view": "offset"},
        {"int8": [[7, 7, 7], [8, 8, 8]], "view": "expanded"},
        {"float32": "full([3, 4], 2.5)", "view": "expanded"},
        {"float32": "zeros([2, 0])", "view": "empty"},
        {"int32": "zeros([0])", "view": "strided"},
    ],
    ids=lambda written: "-".join([next(iter(written)), written["view"]]),
)
def test_it_is_what_the_worker_builds(written: dict[str, object]) -> None:
    value = argument(written)
    assert isinstance(value, Tensor)
    view = view_of("input", value)
    assert view is not None
    namespace: dict[str, np.ndarray] = {"np": np}  # type: ignore[dict-item]
    exec("\n".join(view.lines), namespace)
    theirs = build(value.array, value.view)
    assert theirs.base is not None
    mine, buffer = namespace[view.variable], namespace[view.buffer]
    assert (mine.dtype, mine.shape, mine.strides) == (theirs.array.dtype, theirs.array.shape, theirs.array.strides)
    assert mine.tobytes() == theirs.array.tobytes()
    assert (buffer.shape, buffer.tobytes()) == (theirs.base.shape, theirs.base.tobytes())
    assert np.shares_memory(mine, buffer) or not mine.size


def test_a_tensor_of_its_own_is_none() -> None:
    value = argument({"int32": [1]})
    assert isinstance(value, Tensor)
    assert view_of("input", value) is None


def test_a_dtype_that_numpy_lacks_cannot_be_written_down() -> None:
    value = argument({"bfloat16": [1, 2], "view": "strided"})
    assert isinstance(value, Tensor)
    with pytest.raises(NoScript, match="NumPy has no such dtype"):
        view_of("input", value)
