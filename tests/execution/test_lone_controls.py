"""A control that returns only because of earlier calls does not make an error conform."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from conformance.cases.model import Case
from conformance.results.records import ControlRecord
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from tests.execution.harness import WRONG_ADAPTERS, fake_cases, result_of, run_adapters

NEEDS_AN_EARLIER_CALL = """
import numpy as np

from conformance.adapter import api

earlier = []


@api("fake.cached", operation="gather_elements")
def cached(input, dim, index):
    earlier.append(input)
    if len(earlier) == 1:
        raise RuntimeError("no kernel is cached")
    if index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    return np.take_along_axis(input, index, dim) + (len(earlier) == 3)
"""


def test_an_error_is_blocked_if_its_control_returns_only_after_other_calls(tmp_path: Path) -> None:
    adapter = tmp_path / "cached.py"
    adapter.write_text(NEEDS_AN_EARLIER_CALL)
    results = run_adapters(tmp_path, [adapter])
    assert result_of(results, "fake.cached", "lucky-again").divergence == ["value", "contaminated"]
    outside = result_of(results, "fake.cached", "outside")
    assert outside.control == ControlRecord("returned", "returned", "raised")
    assert (outside.verdict, outside.explanation) == (
        "blocked",
        "the control raised too as the first call of a process, and returns only after other calls, so the error proves nothing",
    )


def test_an_error_conforms_if_its_control_returns_alone_too(tmp_path: Path) -> None:
    results = run_adapters(tmp_path, [WRONG_ADAPTERS / "order_dependent.py"])
    outside = result_of(results, "fake.stained", "outside")
    assert (outside.verdict, outside.control) == ("conforms", ControlRecord("returned", "returned", "returned"))


def test_controls_are_made_alone_only_where_results_depend_on_earlier_calls(tmp_path: Path) -> None:
    results = run_adapters(tmp_path, [WRONG_ADAPTERS / "order_dependent.py"])
    outside = result_of(results, "fake.steady", "outside")
    assert (outside.verdict, outside.control) == ("conforms", ControlRecord("returned", "returned", None))


SECOND_CALL = """
import numpy as np

from conformance.adapter import api

shapes = []


@api("fake.second", operation="gather_elements")
def second(input, dim, index):
    shapes.append(index.shape)
    if len(shapes) == 2 and shapes[0] != shapes[1]:
        raise RuntimeError("the second call has another shape than the first")
    if index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    return np.take_along_axis(input, index, dim) + (len(shapes) == 3)
"""


def _longer(case: Case) -> Case:
    """The same call, and control, with each index twice."""

    def of(call: Applied) -> Applied:
        index = call.arguments["index"]
        assert isinstance(index, Tensor)
        return call.with_arguments({"index": Tensor(index.dtype, np.tile(index.array, 2), None)})

    assert case.control is not None
    return replace(case, id=f"{case.id}-longer", call=of(case.call), control=of(case.control))


def test_like_controls_share_a_process_unless_one_of_them_does_not_return_there(tmp_path: Path) -> None:
    adapter = tmp_path / "second.py"
    adapter.write_text(SECOND_CALL)
    cases = fake_cases()
    outside = next(case for case in cases if case.clause.name == "outside")
    results = run_adapters(tmp_path, [adapter], cases=[*cases, _longer(outside)])
    found = [one for one in results.results if one.clause == outside.clause.id]
    assert [one.verdict for one in found] == ["conforms", "conforms"]
    assert [one.control for one in found] == [ControlRecord("returned", "returned", "returned")] * 2
