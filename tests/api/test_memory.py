"""One's own function and the memory around its arguments: it may do anything with an index outside, but for leaving its memory."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.api.child import made_in_child
from conformance.api.own_tests import Case, load_cases
from conformance.outcomes.model import Hung

Array = np.ndarray[Any, Any]


def _cases(operation: str, **options: Any) -> list[Case]:
    mark = load_cases(operation, **options)
    return list(mark.args[1])  # type: ignore[attr-defined] # of a mark of pytest


OUTSIDE = [case for case in _cases("index_add") if "index-outside" in case.id]


def _memory(array: Array) -> Array:
    """The elements of an array, and those behind it."""
    return np.lib.stride_tricks.as_strided(array, (array.shape[0] + 8, *array.shape[1:]), array.strides)


def _adding(rows_of: Callable[[Array], Array]) -> Callable[..., Array]:
    def index_add(input: Array, dim: int, index: Array, source: Array, alpha: float = 1) -> Array:  # noqa: A002
        result = input
        rows, moved = np.moveaxis(rows_of(result), dim, 0), np.moveaxis(np.asarray(source), dim, 0)
        for place, row in enumerate(index):
            if not -1 <= row < len(rows):
                raise IndexError(row)
            rows[row] += alpha * moved[place]
        return result

    return index_add


def _failures(function: Callable[..., Array], cases: list[Case]) -> dict[str, str]:
    failed = {}
    for case in cases:
        try:
            case.check(function)
        except AssertionError as error:
            failed[case.id] = str(error)
    return failed


def test_calls_with_an_index_outside_are_there_unless_they_are_left_out() -> None:
    assert len(OUTSIDE) >= 10
    left = {case.id for case in _cases("index_add", outside=False)}
    assert not left & {case.id for case in OUTSIDE}
    assert all(case.expected is None and case.raises is None for case in OUTSIDE)


def test_a_function_that_adds_behind_its_tensor_is_told_where() -> None:
    failed = _failures(_adding(_memory), [case for case in OUTSIDE if case.id.endswith("/vector")])
    [text] = failed.values()
    assert "the call wrote 1 element past the end of input" in text


def test_a_function_may_count_from_the_end_or_raise() -> None:
    assert not _failures(_adding(lambda array: array), [case for case in OUTSIDE if "/vector-minus" in case.id])


def test_a_function_that_ends_its_process_fails_its_test_alone() -> None:
    def index_add(input: Array, dim: int, index: Array, source: Array, alpha: float = 1) -> Array:  # noqa: A002
        if index.max() >= input.shape[dim]:
            os.kill(os.getpid(), signal.SIGSEGV)
        return input

    failed = _failures(index_add, [case for case in OUTSIDE if case.id.endswith("/vector")])
    assert any("the call was killed by SIGSEGV" in text for text in failed.values())


def test_a_call_of_a_function_that_cannot_be_called_after_a_fork_is_made_here() -> None:
    here = os.getpid()

    def index_add(input: Array, dim: int, index: Array, source: Array, alpha: float = 1) -> Array:  # noqa: A002
        if os.getpid() != here:
            os.abort()
        return _adding(_memory)(input, dim, index, source, alpha)

    failed = _failures(index_add, [case for case in OUTSIDE if case.id.endswith("/vector")])
    [text] = failed.values()
    assert "the call wrote 1 element past the end of input" in text


def test_a_result_that_shows_what_lies_behind_an_argument_fails_whatever_is_expected() -> None:
    def take(input: Array, index: Array) -> Array:  # noqa: A002
        flat = np.lib.stride_tricks.as_strided(input.reshape(-1), (input.size + 8,), (input.itemsize,))
        if index.size and (index.min() < 0 or index.max() >= flat.size):
            raise IndexError
        return np.array(flat[index])

    texts = _failures(
        take, [case for case in _cases("take") if case.id.endswith(("outside/matrix", "outside/vector"))]
    ).values()
    assert any("the result shows memory 1 element past the end of input" in text for text in texts)


def test_an_error_in_the_fork_is_no_end_of_it() -> None:
    def fails() -> None:
        raise KeyError("the suite's own")

    with pytest.raises(KeyError, match="the suite's own"):
        made_in_child(fails)


def test_a_fork_that_does_not_answer_hung() -> None:
    assert made_in_child(signal.pause, limit=0.2) == Hung(0.2)
