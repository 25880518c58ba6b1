"""Calls that are compiled together give what each gives alone, in every mode whose target.toml asks for it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conformance.adapter import PRELOAD
from conformance.environments.definition import definitions
from conformance.environments.environment import ensure
from conformance.environments.prepared_target import Prepared
from conformance.environments.resolve import resolve
from conformance.processes.worker_code import staged_worker

pytestmark = pytest.mark.frameworks

SOURCE, INDEX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[2, 0, 1], [1, 2, 0]]
GATHER = {"operation": "gather_elements", "arguments": {"input": SOURCE, "dim": 1, "index": INDEX}}
SELECT = {"operation": "index_select", "arguments": {"input": SOURCE, "dim": 0, "index": [1, 0, 1]}}
SCATTER = {
    "operation": "scatter_elements",
    "arguments": {"input": SOURCE, "dim": 1, "index": INDEX, "src": [[7.0, 8.0, 9.0], [1.5, 2.5, 3.5]]},
}
ADD = {
    "operation": "tensor_scatter_nd_add",
    "arguments": {"tensor": SOURCE, "indices": [[0, 1], [1, 2]], "updates": [10.0, 20.0]},
}
REDUCE = {
    "operation": "index_reduce",
    "arguments": {"input": SOURCE, "dim": 0, "index": [1, 0], "source": SOURCE, "reduce": "amax", "include_self": None},
}
LINE_OF_SECOND = 3
"""In the source of a group, whose first line begins the function."""
OF_TORCH = [{"api": "torch.gather", **GATHER}, {"api": "torch.Tensor.scatter_", **SCATTER}]
OF_TENSORFLOW = [{"api": "tf.gather", **SELECT}, {"api": "tf.tensor_scatter_nd_add", **ADD}]
OF_JAX = [{"api": "jax.numpy.take_along_axis", **GATHER}, {"api": "jax.Array.at[].add", **ADD}]
OF_MINDSPORE = [{"api": "mindspore.ops.gather_d", **GATHER}, {"api": "mindspore.ops.scatter_nd_add", **ADD}]
MODES = [
    *(("torch", mode, OF_TORCH) for mode in ("compile", "compile-dynamic", "export", "onnx")),
    *(("tensorflow", mode, OF_TENSORFLOW) for mode in ("function", "xla", "tflite")),
    *(("jax", mode, OF_JAX) for mode in ("jit", "export")),
    ("mindspore", "graph", OF_MINDSPORE),
]


Group = list[dict[str, Any]]


def found_in(folder: Path, framework: str, mode: str, *groups: Group, preload: str = "") -> list[dict[str, Any]]:
    """What the calls of each group give alone and together in an interpreter of the target.

    preload: code that is run once the adapter has imported the framework.
    """
    [target] = resolve([f"{framework}[{mode}]"], definitions())
    prepared = Prepared(target, ensure(target, report=lambda _: None))
    (folder / "calls.json").write_text(json.dumps(groups), encoding="utf-8")
    script = Path(__file__).with_name("several_results.py")
    own = {"TORCHINDUCTOR_CACHE_DIR": str(folder), PRELOAD: preload}
    with staged_worker() as worker:
        done = subprocess.run(
            [prepared.python, script, target.adapter, mode, folder / "calls.json"],
            cwd=folder,
            env={**prepared.process_variables(), "PYTHONPATH": str(worker.parent), **own},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, list)
    return found


@pytest.fixture(scope="module", params=MODES, ids=[f"{framework}-{mode}" for framework, mode, _ in MODES])
def right_and_wrong(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Group:
    """What is found of two calls, and of three of which the second is wrong."""
    framework, mode, (first, second) = request.param
    changed = next(iter(second["arguments"]))
    wrong = {**second, "arguments": {**second["arguments"], changed: [1.0]}}
    folder = tmp_path_factory.mktemp(f"{framework}-{mode}")
    return found_in(folder, framework, mode, [first, second], [first, wrong, first])


def test_two_calls_compiled_together_give_what_they_give_alone(right_and_wrong: Group) -> None:
    right, _ = right_and_wrong
    assert right["together"] == right["alone"]
    assert SOURCE not in [one["values"][""][1] for one in right["alone"]]


def test_an_error_while_tracing_names_the_line_of_its_call(right_and_wrong: Group) -> None:
    _, wrong = right_and_wrong
    assert wrong["lines"] == [LINE_OF_SECOND], wrong["error"]


def test_each_mode_that_compiles_many_at_once_is_tried() -> None:
    many = {(name, mode) for name, one in definitions().items() for mode, its in one.modes.items() if its.together > 1}
    assert many == {(name, mode) for name, mode, _ in MODES}


BINDINGS = "from torch._inductor.codecache import CppPythonBindingsCodeCache as Bindings"
OTHER_TEMPLATE = f"{BINDINGS}; Bindings.suffix_template = Bindings.suffix_template.replace('METH_VARARGS', '1')"
"""As in a version of PyTorch whose template has another form."""
NO_FILE = f"""{BINDINGS}
build = Bindings.load_async
def build_one(source, *others, **named):
    assert "kernel_1" not in source
    return build(source, *others, **named)
Bindings.load_async = build_one
"""
"""As in one in which no file of several kernels can be built."""


@pytest.mark.parametrize(
    ("preload", "files"), [("", [1, 0]), (OTHER_TEMPLATE, [0, 0]), (NO_FILE, [0, 1])], ids=["one", "other", "none"]
)
def test_the_kernels_of_a_graph_of_torch_are_one_file_if_it_can_be_built(
    preload: str, files: list[int], tmp_path: Path
) -> None:
    pair = [{"api": "torch.gather", **GATHER}, {"api": "torch.Tensor.index_reduce_", **REDUCE}]
    [found] = found_in(tmp_path, "torch", "compile", pair * 3, preload=preload)
    assert found["files"] == files
    assert found["together"] == found["alone"]


PUT = {"operation": "put", "arguments": {"input": SOURCE, "index": [0, 2], "source": [7.0, 8.0], "reduce": None}}


@pytest.mark.parametrize(
    ("framework", "mode", "refused", "taken"),
    [
        ("torch", "onnx", {"api": "torch.put", **PUT}, OF_TORCH[0]),
        ("tensorflow", "tflite", {"api": "tf.raw_ops.ScatterNdNonAliasingAdd", **ADD}, OF_TENSORFLOW[0]),
    ],
    ids=["onnx", "tflite"],
)
def test_an_exporter_that_refuses_a_call_names_its_line(
    framework: str, mode: str, refused: dict[str, Any], taken: dict[str, Any], tmp_path: Path
) -> None:
    [found] = found_in(tmp_path, framework, mode, [taken, refused, taken])
    assert found["lines"] == [LINE_OF_SECOND], found["error"]
    assert "NotExported" in found["error"]
