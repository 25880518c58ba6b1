"""A hook computes the derivative of an adapter's function together with its result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.adapter import Api, Unsupported
from conformance.worker import adapters, calls
from conformance.worker.manner import Manner
from conformance.worker.transforms import INNER_SEED, SEED, transformed

ADAPTER = """
import numpy as np
from conformance.adapter import api

@api("mine.scale", operation="scale")
def scale(data, factor, times=1):
    if factor < 0:
        raise ValueError("negative")
    return data * factor * times

def vjp(function, tensors, of, cotangent):
    result = function(**tensors)
    if (tensors["data"] < 0).any():
        raise RuntimeError("no derivative")
    return result, cotangent if of == "same" else (function(**{"data": np.ones(2)}) * cotangent)
"""


def run(folder: Path, data: list[float], factor: float, of: str = "data") -> tuple[dict[str, Any], Any]:
    (folder / "adapter.py").write_text(ADAPTER)
    adapter = adapters.load(str(folder / "adapter.py"))
    values = {name: (np.array(value), "float64") for name, value in {"data": data, SEED: [5.0, 7.0]}.items()}
    manner = Manner(transform=(("vjp", of),))
    return calls.run(adapter, adapter.apis[0], {**values, "factor": factor}, manner)


def test_the_result_of_the_call_comes_with_the_derivative(tmp_path: Path) -> None:
    outcome, result = run(tmp_path, [1.0, 2.0], 3.0)
    assert result[0].tolist() == [15.0, 21.0]
    assert np.frombuffer(bytes.fromhex(outcome["forward"]["bits"])).tolist() == [3.0, 6.0]


def test_a_derivative_may_be_the_cotangent_itself(tmp_path: Path) -> None:
    outcome, _ = run(tmp_path, [1.0, 2.0], 3.0, of="same")
    assert outcome["aliased"] == []


def test_an_error_comes_with_the_result_of_the_call_itself(tmp_path: Path) -> None:
    outcome, _ = run(tmp_path, [-1.0, 2.0], 3.0)
    assert outcome["error"]["phase"] == "call"
    assert np.frombuffer(bytes.fromhex(outcome["forward"]["bits"])).tolist() == [-3.0, 6.0]


def test_an_error_of_the_call_itself_is_not_that_of_the_transform(tmp_path: Path) -> None:
    outcome, _ = run(tmp_path, [1.0, 2.0], -3.0)
    assert (outcome["error"]["phase"], outcome.get("forward")) == ("forward", None)


def test_an_adapter_without_the_hook_has_no_derivative() -> None:
    with pytest.raises(Unsupported, match="defines no vjp"):
        transformed(Api("mine.scale", "scale", lambda data: data), {}, [("vjp", "data")], ["data", SEED])


BATCHES = """
import numpy as np
from conformance.adapter import api

@api("mine.scale", operation="scale")
def scale(data, factor, times=1):
    if (factor < 0).any():
        raise ValueError("negative")
    return data * factor * times

@api("mine.scale_", operation="scale", in_place="data")
def scale_(data, factor, times=1):
    data *= factor * times
    return data

def vmap(function, tensors, axes):
    if (tensors["data"] == 0).any():
        raise RuntimeError("no batch")
    data, factor = (np.moveaxis(tensors[name], axes.get(name, 0), 0) for name in ("data", "factor"))
    return np.stack([function(data=one, factor=factor[number] if "factor" in axes else factor) for number, one in enumerate(data)])
"""


def run_batch(folder: Path, data: Any, factor: Any, of: str, api: int = 0) -> tuple[dict[str, Any], Any]:
    (folder / "adapter.py").write_text(BATCHES)
    adapter = adapters.load(str(folder / "adapter.py"))
    values = {name: (np.array(value, "float64"), "float64") for name, value in {"data": data, "factor": factor}.items()}
    return calls.run(adapter, adapter.apis[api], {**values, "times": 10}, Manner(transform=(("vmap", of),)))


def test_a_batch_comes_with_the_results_of_single_calls(tmp_path: Path) -> None:
    outcome, result = run_batch(tmp_path, [[1.0, 2.0], [3.0, 4.0]], [1.0, 5.0], "data.last")
    assert result[0].tolist() == [[10.0, 150.0], [20.0, 200.0]]
    assert np.frombuffer(bytes.fromhex(outcome["forward"]["bits"])).tolist() == [10.0, 150.0, 20.0, 200.0]


def test_several_arguments_are_batched_together(tmp_path: Path) -> None:
    _, result = run_batch(tmp_path, [[1.0, 2.0], [3.0, 4.0]], [1.0, 5.0], "data+factor")
    assert result[0].tolist() == [[10.0, 20.0], [150.0, 200.0]]


def test_an_error_of_a_batch_is_not_that_of_a_single_call(tmp_path: Path) -> None:
    outcome, _ = run_batch(tmp_path, [[0.0], [1.0]], [1.0], "data")
    assert (outcome["error"]["phase"], outcome["forward"]["shape"]) == ("call", [2, 1])
    outcome, _ = run_batch(tmp_path, [[1.0], [1.0]], [-1.0], "data")
    assert outcome["error"]["phase"] == "forward"


def test_one_tensor_that_is_changed_in_place_takes_no_batch(tmp_path: Path) -> None:
    outcome, _ = run_batch(tmp_path, [1.0, 2.0], [[1.0, 5.0], [1.0, 1.0]], "factor", api=1)
    assert outcome["status"] == "unsupported"


NESTED = """
import numpy as np
from conformance.adapter import api

@api("mine.square", operation="square")
def square(data, factor):
    return data * data * factor

def vjp(function, tensors, of, cotangent):
    ends = [function(**{**tensors, of: tensors[of] + step}) for step in (-0.5, 0.5)]
    return function(**tensors), ((ends[1] - ends[0]) * cotangent).sum(0) if of == "factor" else (ends[1] - ends[0]) * cotangent

def vmap(function, tensors, axes):
    size = tensors[next(iter(axes))].shape[0]
    singles = [function(**{name: value[number] if name in axes else value for name, value in tensors.items()}) for number in range(size)]
    return tuple(map(np.stack, zip(*singles))) if isinstance(singles[0], tuple) else np.stack(singles)
"""


def run_nested(folder: Path, transform: tuple[tuple[str, str], ...]) -> tuple[dict[str, Any], Any]:
    (folder / "adapter.py").write_text(NESTED)
    adapter = adapters.load(str(folder / "adapter.py"))
    given = {"data": [[1.0, 2.0], [3.0, 4.0]], "factor": [1.0, 10.0], SEED: [[1.0, 1.0], [1.0, 5.0]]}
    values = {name: (np.array(value), "float64") for name, value in given.items()}
    return calls.run(adapter, adapter.apis[0], values, Manner(transform=transform))


def test_a_batch_of_derivatives_has_one_for_each_cotangent_and_comes_with_the_results(tmp_path: Path) -> None:
    outcome, result = run_nested(tmp_path, (("vmap", "data"), ("vjp", "data")))
    assert result[0].tolist() == [[2.0, 40.0], [6.0, 400.0]]
    assert np.frombuffer(bytes.fromhex(outcome["forward"]["bits"])).tolist() == [1.0, 40.0, 9.0, 160.0]


def test_a_derivative_of_a_batch_adds_up_what_its_calls_share(tmp_path: Path) -> None:
    outcome, result = run_nested(tmp_path, (("vjp", "factor"), ("vmap", "data")))
    assert result[0].tolist() == [10.0, 84.0]
    assert outcome["forward"]["shape"] == [2, 2]


def run_twice(folder: Path, data: list[float], by: str = "factor") -> tuple[dict[str, Any], Any]:
    (folder / "adapter.py").write_text(NESTED)
    adapter = adapters.load(str(folder / "adapter.py"))
    given = {"data": data, "factor": [1.0, 10.0], SEED: [1.0, 2.0], INNER_SEED: [1.0, 5.0]}
    values = {name: (np.array(value), "float64") for name, value in given.items()}
    return calls.run(adapter, adapter.apis[0], values, Manner(transform=(("vjp", by), ("vjp", "data"))))


def test_a_derivative_of_a_derivative_comes_with_the_first_one(tmp_path: Path) -> None:
    outcome, result = run_twice(tmp_path, [3.0, 4.0], "data")
    assert result[0].tolist() == [2.0 * 1 * 1, 2.0 * 10 * 5 * 2]
    assert np.frombuffer(bytes.fromhex(outcome["forward"]["bits"])).tolist() == [2.0 * 3, 2.0 * 4 * 10 * 5]


def test_an_error_of_the_second_derivative_comes_with_the_first_one(tmp_path: Path) -> None:
    outcome, _ = run_twice(tmp_path, [3.0, 4.0], "nothing")
    assert outcome["error"]["phase"] == "call"
    assert np.frombuffer(bytes.fromhex(outcome["forward"]["bits"])).tolist() == [6.0, 400.0]
