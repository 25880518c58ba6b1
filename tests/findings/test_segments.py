"""What the naive reader says of labels outside, of results that are known to be those of one treatment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.outcomes.model import Returned
from conformance.results.describe import case_record
from conformance.specification.literals import argument
from conformance.specification.loader import load_specs
from tests.findings.naive.records import Json
from tests.findings.naive.segments import treatment
from tests.findings.test_recorded_call import record
from tests.outcomes import returned, returned_value

LOWEST, HIGHEST = float(np.finfo("float32").min), float(np.finfo("float32").max)


def told(case: Json, outcome: Returned) -> str | None:
    """The naive reader's word for a call that returned this."""
    call = {name: argument(value) for name, value in case["call"].items()}
    return treatment(case, call, {"dtype": outcome.dtype, "shape": [*outcome.shape], "values": outcome.values})


def word(values: Any, dtype: str = "float32", **call: Any) -> str | None:
    return told({"call": call, "points": record("unsorted_segment_reduce", **call).points}, returned(values, dtype))


@pytest.mark.parametrize(
    ("label", "values", "expected"),
    [
        (4, [5, 20, 0], "ignores"),
        (4, [1, 20, 0], "stops"),
        (4, [5, 20, 300], "clamps"),
        (4, [5, 320, 0], "wraps-modulo"),
        (4, [5, 20, 4], "other"),
        (4, [5, 20], "other"),
        (-1, [5, 20, 0], "ignores"),
        (-1, [305, 20, 0], "clamps"),
        (-1, [5, 20, 300], "wraps-negative"),
        (2**32 + 1, [5, 20, 0], "ignores"),
        (2**32 + 1, [5, 320, 0], "other"),  # cut to 32 bits
        (2**32 + 2, [5, 20, 300], None),  # either that or clamped
        (2**32 - 1, [5, 20, 300], None),  # 32 bits are -1
    ],
)
def test_the_word_for_a_slice_says_where_it_went(label: int, values: list[int], expected: str | None) -> None:
    call: Json = {"data": {"float32": [1, 20, 300, 4]}, "segment_ids": {"int64": [0, 1, label, 0]}}
    assert word(values, **call, num_segments=3, reduce="sum") == expected


@pytest.mark.parametrize(
    ("reduction", "dtype", "empty", "expected"),
    [
        ("sum", "float32", 0, "ignores"),
        ("sum", "float32", 1, "other"),
        ("prod", "float32", 1, "ignores"),
        ("prod", "float32", 0, "other"),
        ("mean", "float32", 0, "ignores"),
        ("amax", "float32", LOWEST, "ignores"),
        ("amax", "float32", -np.inf, "ignores"),
        ("amax", "float32", np.inf, "other"),
        ("amin", "float32", HIGHEST, "ignores"),
        ("amin", "float32", np.inf, "ignores"),
        ("amin", "float32", LOWEST, "other"),
        ("amax", "int8", -128, "ignores"),
        ("amin", "int8", 127, "ignores"),
        ("amin", "int8", 0, "other"),
        ("amin", "bool", True, "ignores"),
        ("amax", "bool", True, "other"),
    ],
)
def test_a_segment_without_slices_holds_what_changes_nothing(
    reduction: str, dtype: str, empty: Any, expected: str
) -> None:
    kept, lost = (False, True) if dtype == "bool" else (5, 7)
    if reduction == "amin":
        kept, lost = lost, kept
    call: Json = {"data": {dtype: [kept, lost]}, "segment_ids": {"int64": [0, -1]}}
    assert word([kept, empty, empty], dtype, **call, num_segments=3, reduce=reduction) == expected


def test_without_segments_all_slices_are_left_out() -> None:
    call = {"data": {"float32": [[1, 2], [3, 4]]}, "segment_ids": {"int64": [0, 1]}, "num_segments": 0, "reduce": "sum"}
    case = {"call": call, "points": record("unsorted_segment_reduce", **call).points}
    assert told(case, returned_value(argument({"float32": "zeros([0, 2])"}))) == "ignores"  # type: ignore[arg-type]


def test_the_result_of_each_treatment_of_a_written_call_is_told_by_its_word() -> None:
    """Those that the suite computes with the reference, for the calls of the spec."""
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    words = set()
    for case in written_cases(load_specs().operations["unsorted_segment_reduce"], reference):
        assert isinstance(case, Case)
        written = case_record(case)
        for policy in case.policies:
            expected = "other" if policy.policy == "cut" else policy.policy
            assert told({"call": written.call, "points": written.points}, returned_value(policy.result)) == expected
            words.add(policy.policy)
    assert words == {"ignores", "stops", "clamps", "wraps-negative", "wraps-modulo", "cut"}
