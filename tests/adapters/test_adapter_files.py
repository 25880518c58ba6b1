"""What docs/adapters.md requires of every adapter file, read from its source: no framework is needed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "adapters"
PATHS = sorted(FOLDER.glob("*/adapter.py"))
ALSO = {
    "reference": {"ml_dtypes"},
    "onnx": {"ml_dtypes"},
    "onnxruntime": {"onnx"},
    "keras": {"ml_dtypes", "jax"},
    "torch": {"onnx", "onnxruntime"},
}
"""Other packages: of dtypes, of backends, of the format of models, and what runs the models that a framework exports."""
VECTORS = {"tensor_scatter_nd_update", "tensor_scatter_nd_add", "tensor_scatter_nd_reduce", "scatter_nd", "gather_nd"}
SEGMENTS, SORTED = "unsorted_segment_reduce", "segment_reduce"
VECTOR_REDUCE = "tensor_scatter_nd_reduce"
SELECT, BATCHED_ND, INTO, SPLIT = "batched_index_select", "batched_gather_nd", "take_into", "split_reduce"
VIEW, TYPED, DIAGONAL = "take_into_view", "typed_gather", "diagonal_scatter"
BATCHED = {SELECT, BATCHED_ND}
MASKED = {"masked_select", "masked_fill", "masked_scatter"}
ADVANCED = {"advanced_index_get", "advanced_index_set"}
BASIC = {"basic_index_get", "basic_index_set"}
WINDOWS = {"dynamic_slice", "dynamic_update_slice"}
OF_ONNX = {"index_add", "index_copy", "index_fill", "index_reduce", "take", "put"}
LACKS = {
    "onnx": {
        VIEW,
        TYPED,
        DIAGONAL,
        *WINDOWS,
        *OF_ONNX,
        SEGMENTS,
        SORTED,
        SELECT,
        INTO,
        SPLIT,
        *ADVANCED,
        "basic_index_set",
        "masked_scatter",
    },
    "onnxruntime": {VIEW, TYPED, DIAGONAL, *WINDOWS, *OF_ONNX, SEGMENTS, SORTED, SELECT, INTO, SPLIT, *ADVANCED}
    | {"basic_index_set", "masked_scatter"},
    "openvino": {
        VIEW,
        TYPED,
        DIAGONAL,
        *WINDOWS,
        "index_add",
        "index_fill",
        "index_reduce",
        "take",
        "put",
        SEGMENTS,
        SORTED,
        INTO,
        SPLIT,
        *ADVANCED,
    }
    | {"masked_select", "masked_scatter"},
    "keras": {
        VIEW,
        TYPED,
        DIAGONAL,
        "gather_nd",
        "index_fill",
        "index_reduce",
        "put",
        SORTED,
        INTO,
        SPLIT,
        *BATCHED,
        *ADVANCED,
        *BASIC,
    }
    | {"masked_select", "masked_scatter"},
    "tensorflow": {
        VIEW,
        DIAGONAL,
        "dynamic_update_slice",
        "index_fill",
        "put",
        INTO,
        SPLIT,
        *ADVANCED,
        "masked_scatter",
    },
    "mindspore": {VIEW, TYPED, *WINDOWS, "index_reduce", "put", INTO, SPLIT, BATCHED_ND},
    "jax": {VIEW, TYPED, DIAGONAL, SORTED, INTO, SPLIT, *BATCHED},
    "paddle": {TYPED, *WINDOWS, "index_reduce", "put", SEGMENTS, VECTOR_REDUCE, INTO, SPLIT, *BATCHED},
    "mlx": {
        VIEW,
        TYPED,
        DIAGONAL,
        "index_fill",
        "index_reduce",
        "put",
        SEGMENTS,
        SORTED,
        INTO,
        SPLIT,
        *BATCHED,
        "masked_select",
        "masked_scatter",
    },
    "numpy": {TYPED, DIAGONAL, *WINDOWS, SEGMENTS, SORTED, SPLIT, *BATCHED},
    "torch": {TYPED, *WINDOWS, SEGMENTS, VECTOR_REDUCE, *BATCHED},
    "array_api_strict": VECTORS
    | WINDOWS
    | {"scatter_elements", "index_copy", "index_add", "index_fill", "index_reduce", "take", "put"}
    | {VIEW, TYPED, DIAGONAL, SEGMENTS, SORTED, INTO, SPLIT, "advanced_index_set", *BATCHED, "masked_scatter"},
    "pytensor": {
        VIEW,
        TYPED,
        DIAGONAL,
        *WINDOWS,
        "scatter_elements",
        "index_reduce",
        "put",
        SEGMENTS,
        SORTED,
        VECTOR_REDUCE,
        INTO,
        SPLIT,
        *BATCHED,
        "masked_scatter",
    },
    "dask": {
        VIEW,
        TYPED,
        DIAGONAL,
        *WINDOWS,
        *(VECTORS - {"gather_nd"}),
        "gather_elements",
        "scatter_elements",
        "index_add",
        "index_reduce",
        "take",
        "put",
        SEGMENTS,
        SORTED,
        INTO,
        SPLIT,
        *BATCHED,
        "masked_scatter",
    },
}
"""Operations that a framework has no single call for, or that no adapter maps yet."""
NUMPY = ("reference", "numpy")
"""Adapters whose tensors are NumPy's arrays, which need no conversion and no device."""
PARAMETERS = {
    "tensor_scatter_nd_update": ["tensor", "indices", "updates"],
    "tensor_scatter_nd_add": ["tensor", "indices", "updates"],
    VECTOR_REDUCE: ["tensor", "indices", "updates", "reduce"],
    "scatter_nd": ["indices", "updates", "shape"],
    "gather_nd": ["params", "indices"],
    "batched_gather_nd": ["params", "indices", "batch_dims"],
    "gather_elements": ["input", "dim", "index"],
    "scatter_elements": ["input", "dim", "index", "src", "reduce"],
    "index_select": ["input", "dim", "index"],
    "batched_index_select": ["input", "dim", "index", "batch_dims"],
    "index_copy": ["input", "dim", "index", "source"],
    "index_add": ["input", "dim", "index", "source", "alpha"],
    "index_fill": ["input", "dim", "index", "value"],
    "put": ["input", "index", "source", "reduce"],
    "index_reduce": ["input", "dim", "index", "source", "reduce", "include_self"],
    "masked_select": ["input", "mask"],
    "masked_fill": ["input", "mask", "value"],
    "masked_scatter": ["input", "mask", "source"],
    "take": ["input", "index"],
    "take_into": ["input", "index", "out"],
    "advanced_index_get": ["input", "i", "j", "key"],
    "advanced_index_set": ["input", "i", "j", "values", "key", "reduce"],
    "dynamic_slice": ["input", "starts", "sizes"],
    "dynamic_update_slice": ["input", "update", "starts"],
    "basic_index_get": ["input", "key", "i", "j"],
    "basic_index_set": ["input", "key", "values", "i", "j"],
    SEGMENTS: ["data", "segment_ids", "num_segments", "reduce"],
    SORTED: ["data", "segment_ids", "reduce"],
    VIEW: ["input", "target", "view", "index", "mask"],
    TYPED: ["input", "index", "dtype"],
    DIAGONAL: ["input", "src", "offset", "dim1", "dim2"],
    SPLIT: ["data", "reduce", "axis", "offsets", "lengths"],
}
every_adapter = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)


@dataclass(frozen=True)
class Mapped:
    api: str
    operation: str
    in_place: str | None
    function: ast.FunctionDef

    @property
    def parameters(self) -> list[str]:
        return [argument.arg for argument in self.function.args.args]


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


def mapped(path: Path) -> Iterator[Mapped]:
    for function in tree(path).body:
        for call in function.decorator_list if isinstance(function, ast.FunctionDef) else ():
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "api":
                assert isinstance(function, ast.FunctionDef)
                given = {each.arg: each.value for each in call.keywords}
                place = ast.literal_eval(given["in_place"]) if "in_place" in given else None
                name = ast.literal_eval(call.args[0])
                yield Mapped(name, ast.literal_eval(given["operation"]), place, function)


OURS = {"conformance.adapter", "conformance.worker.forms"}
"""What an adapter imports of the suite."""


def imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield "." * node.level + (node.module or "")


def test_the_adapters_that_the_suite_runs_by_default_are_there() -> None:
    assert {path.parent.name for path in PATHS} >= {"reference", "torch", "tensorflow", "mindspore"}


@every_adapter
def test_an_adapter_imports_its_framework_numpy_the_standard_library_and_ours_only(path: Path) -> None:
    name = path.parent.name
    allowed = {name, "numpy", "__future__", *sys.stdlib_module_names, *ALSO.get(name, set())}
    for module in (each for node in ast.walk(tree(path)) for each in imported(node)):
        assert module in OURS or module.split(".")[0] in allowed, module


@every_adapter
def test_every_operation_has_an_api_and_no_api_stands_for_one_twice(path: Path) -> None:
    pairs = [(each.api, each.operation) for each in mapped(path)]
    assert {operation for _, operation in pairs} == set(PARAMETERS) - LACKS.get(path.parent.name, set())
    assert len(pairs) == len(set(pairs))
    functions = [each.function.name for each in mapped(path)]
    assert len(functions) == len(set(functions)), "a later function of the same name would hide an API"


@every_adapter
def test_an_api_takes_the_parameters_of_its_operation(path: Path) -> None:
    for each in mapped(path):
        assert each.parameters == PARAMETERS[each.operation], each.api
        assert each.in_place is None or each.in_place in each.parameters, each.api


@every_adapter
def test_an_api_lets_the_exceptions_of_its_framework_pass(path: Path) -> None:
    for each in mapped(path):
        assert not any(isinstance(node, ast.Try) for node in ast.walk(each.function)), each.api


@every_adapter
def test_an_api_is_short_enough_to_be_quoted(path: Path) -> None:
    if path.parent.name != "reference":
        for each in mapped(path):
            assert len(ast.unparse(each.function).splitlines()) <= 8, each.api


@every_adapter
def test_an_adapter_says_what_it_is(path: Path) -> None:
    defined = {node.name for node in tree(path).body if isinstance(node, ast.FunctionDef)}
    assert "describe" in defined
    assert path.parent.name in NUMPY or {"setup", "to_native", "to_numpy"} <= defined
