"""A script builds a view with the same elements, strides and surroundings as the worker."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.outcomes.model import Outside
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
        {"float64": [[1], [2], [3]], "view": "loose"},
        {"float32": "zeros([2, 0])", "view": "empty"},
        {"int32": "zeros([0])", "view": "strided"},
    ],
    ids=lambda written: "-".join([next(iter(written)), written["view"]]),
)
def test_a_script_builds_the_same_view_as_the_worker(written: dict[str, object]) -> None:
    value = argument(written)
    assert isinstance(value, Tensor)
    view = view_of("input", value)
    assert view is not None
    namespace: dict[str, np.ndarray] = {"np": np}  # type: ignore[dict-item]
    exec("\n".join(view.lines), namespace)
    expected = build(value.array, value.view)
    assert expected.base is not None
    actual, buffer = namespace[view.variable], namespace[view.buffer]
    assert (actual.dtype, actual.shape) == (expected.array.dtype, expected.array.shape)
    assert actual.strides == expected.array.strides or not actual.size
    assert actual.tobytes() == expected.array.tobytes()
    assert (buffer.shape, buffer.tobytes()) == (expected.base.shape, expected.base.tobytes())
    assert np.shares_memory(actual, buffer) or not actual.size


def test_a_tensor_with_a_buffer_of_its_own_is_not_a_view() -> None:
    value = argument({"int32": [1]})
    assert isinstance(value, Tensor)
    assert view_of("input", value) is None


@pytest.mark.parametrize("distances", [(1,), (-2, 3), (None,)], ids=str)
def test_a_script_has_the_elements_around_an_argument_next_to_which_a_call_wrote_or_read(
    distances: tuple[int | None, ...],
) -> None:
    value = argument({"float32": [[1, 2], [3, 4]]})
    assert isinstance(value, Tensor)
    outside = [Outside("input", "read", distance) for distance in distances]
    view = view_of("input", value, outside, place=1)
    assert view is not None
    namespace: dict[str, np.ndarray] = {"np": np}  # type: ignore[dict-item]
    exec("\n".join(view.lines), namespace)
    actual, buffer = namespace[view.variable], namespace[view.buffer]
    assert np.array_equal(actual, value.array)
    assert np.shares_memory(actual, buffer)
    guards = build(value.array, None, 1).guards
    memory = np.frombuffer(guards.memory, np.float32)
    first = next(at for at in range(len(memory)) if np.array_equal(memory[at : at + len(buffer)], buffer))
    shown = [distance for distance in distances if distance is not None] or [-16, 16]
    assert first == len(guards.zones.before) // 4 + min(0, *shown)
    assert len(buffer) == 4 + max(0, *shown) - min(0, *shown)


def test_a_dtype_that_numpy_lacks_cannot_be_written_down() -> None:
    value = argument({"bfloat16": [1, 2], "view": "strided"})
    assert isinstance(value, Tensor)
    with pytest.raises(NoScript, match="NumPy has no such dtype"):
        view_of("input", value)
