"""PyTorch, eager, compiled by ``torch.compile`` for static and for dynamic shapes, on the meta device, which only infers
shapes and dtypes, and exported: run by PyTorch again, or as a model in ONNX Runtime."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import logging
import os
import re
import sys
import traceback
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad

from conformance.adapter import Abstract, FellBack, NotExported, Unsupported, api, hook
from conformance.worker.forms import (
    of_elements,
    one_item,
    one_part,
    only,
    only_a_mask,
    only_a_tensor,
    only_add,
    only_an_index,
    only_indices,
    slices,
)

INDEX_DTYPES = ("int64",)
INTS = ("int64", "int32")
DYNAMIC = {"compile": False, "compile-dynamic": True}
"""Mode to whether torch.compile makes code for shapes that are symbols, as it does by default from the second shape on."""
MODES = ("eager", *DYNAMIC, "meta", "export", "onnx")
UNBIND = {"indices.rank": "torch.Tensor.unbind"}
PLACED: list[torch.device] = []
"""The selected device, unless tensors are created there anyway."""
COMPILES: list[str] = []
"""The backend of torch.compile in a mode of it, otherwise empty: torch.compile takes derivatives by torch.func into its graphs, but not those by torch.autograd."""
DUAL_NUMBERS = [f"torch.autograd.forward_ad.{name}" for name in ("make_dual", "unpack_dual", "dual_level")]
REDUCTIONS = {"add": "sum", "multiply": "prod"}


def describe() -> dict[str, Any]:
    return {
        "framework": "torch",
        "version": torch.__version__,
        "dtypes": [name for name in BITS if hasattr(torch, name)],
    }


def variants() -> dict[str, None]:
    """The overloads of the operators of ATen, under the names that torch.ops gives them."""
    schemas = [schema for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")]
    return {f"torch.ops.aten.{each.name[6:]}.{each.overload_name or 'default'}": None for each in schemas}


def setup(device: str, mode: str, backend: str = "inductor") -> None:
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is not supported by this adapter; available: {', '.join(MODES)}")
    try:
        actual = (torch.zeros(1, device=device) + 1).device
    except (RuntimeError, AssertionError) as error:
        raise RuntimeError(f"PyTorch {torch.__version__} cannot use the device {device!r}: {error}") from error
    if (torch.device(device).index or 0) != (actual.index or 0):
        raise RuntimeError(f"PyTorch {torch.__version__} has no device {device!r}; it used {str(actual)!r} instead")
    if actual.type != "cpu" or mode == "meta":
        placed = torch.device("meta") if mode == "meta" else actual
        torch.set_default_device(placed)
        PLACED[:] = [placed]
    if mode in DYNAMIC:
        set_up_compiler(mode, backend)
    if mode in LOADED:
        set_up_exporter(mode)


def set_up_compiler(mode: str, backend: str) -> None:
    if not hasattr(torch, "compile"):
        raise RuntimeError(f"PyTorch {torch.__version__} has no torch.compile, which requires 2.0 or later")
    COMPILES[:] = [backend]
    for name in ("recompile_limit", "cache_size_limit", "accumulated_recompile_limit", "accumulated_cache_size_limit"):
        if hasattr(torch._dynamo.config, name):
            setattr(torch._dynamo.config, name, 1_000_000)
    # Do not treat axes of equal length as one symbol, so that more shapes share compiled code.
    torch.fx.experimental._config.use_duck_shape = False
    try:
        prepare(torch.neg, mode)(input=torch.ones(2))
    except Exception as error:
        raise RuntimeError(
            f"torch.compile with the backend {backend!r} cannot generate code; for the CPU, inductor needs a C++ compiler, g++ "
            f"or the one in CXX: {error}"
        ) from error


def prepare(function: Any, mode: str) -> Any:
    if mode in LOADED:
        return exporting(function, mode, LOADED[mode])
    if mode == "meta":
        return of_known_shapes(function)
    if mode not in DYNAMIC:
        return function

    constants = {name: value for name, value in bound(function).items() if isinstance(value, torch.Tensor)}
    literals = {name: (value.flatten().tolist(), value.dtype, value.shape) for name, value in constants.items()}

    def traced(**tensors: torch.Tensor) -> Any:
        if not torch.compiler.is_compiling():
            raise FellBack("torch.compile ran the function without compiling it")
        # Tensors of an enclosing scope would be arguments of what is compiled.
        made = {name: torch.tensor(data, dtype=dtype).reshape(shape) for name, (data, dtype, shape) in literals.items()}
        return function(**made, **tensors)

    compiled = torch.compile(own_code(traced), backend=COMPILES[0], dynamic=DYNAMIC[mode], fullgraph=True)

    def call(**tensors: torch.Tensor) -> Any:
        try:
            return compiled(**tensors)
        except torch._dynamo.exc.Unsupported as error:
            # Tracing hides the adapter's own Unsupported; a call on the meta device, with shapes only, raises it.
            with contextlib.suppress(RuntimeError, IndexError, TypeError, ValueError):
                function(**{name: on_meta(value) for name, value in {**constants, **tensors}.items()})
            # Without fullgraph, which shows that everything is compiled, torch.compile runs such a call in eager mode.
            raise Unsupported(f"torch.compile breaks the graph here: {str(error).strip().splitlines()[0]}") from error

    return call


def of_known_shapes(function: Any) -> Any:
    """The function, which raises Unsupported if it needs a shape that depends on values: the meta device has none, as documented."""

    def call(**tensors: torch.Tensor) -> Any:
        try:
            return function(**tensors)
        except NotImplementedError as error:
            if any(name in str(error) for name in SHAPED_BY_VALUES):
                raise Unsupported("only what has shapes that do not depend on values") from error
            raise

    return call


SHAPED_BY_VALUES = ("aten::masked_select", "aten::_unique", "aten::bincount", "torch.nonzero()")
"""Operators whose results have such shapes, as errors name them."""


def own_code(function: Any) -> Any:
    """The function with a code object of its own, by which torch.compile finds what it has compiled: it tries whatever it has for one."""
    code = function.__code__.replace(co_name=f"{function.__name__}_{next(NUMBERS)}")
    return types.FunctionType(code, function.__globals__, code.co_name, function.__defaults__, function.__closure__)


NUMBERS = itertools.count()


def prepare_together(function: Any, mode: str) -> Any:
    prepared = prepare(function, mode)
    if mode not in DYNAMIC:
        # Otherwise an exporter records only the lines of functions that are called forward.
        getattr(torch.fx.proxy, "_register_stack_trace_anchor", id)(function.func)
        return prepared

    def call(**tensors: torch.Tensor) -> Any:
        with beside("one_cpp_file").one_cpp_file():
            return prepared(**tensors)

    return call


@functools.lru_cache(maxsize=None)
def beside(name: str) -> Any:
    """A module in the folder of this file, which is not on the import path."""
    spec = importlib.util.spec_from_file_location(f"conformance_torch_{name}", Path(__file__).with_name(f"{name}.py"))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bound(function: Any) -> dict[str, Any]:
    """The arguments that are constants of what is compiled."""
    return getattr(function, "keywords", {})


def on_meta(value: Any) -> Any:
    return value.to("meta") if isinstance(value, torch.Tensor) else value


def set_up_exporter(mode: str) -> None:
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    if mode == "onnx":
        # The exporter collects its operators for each call, which takes longer than everything else.
        with contextlib.suppress(ImportError, AttributeError):
            from torch.onnx._internal.exporter._registration import ONNXRegistry

            collect = functools.lru_cache(maxsize=None)(ONNXRegistry.from_torchlib)
            ONNXRegistry.from_torchlib = staticmethod(collect)
    try:
        exported(torch.neg, {"input": torch.ones(2)}, mode)
    except Exception as error:
        raise RuntimeError(f"PyTorch {torch.__version__} cannot export a function: {root_of(error)}") from error


class Called(torch.nn.Module):
    """Calls a function with the tensors of these names."""

    returned: list[str | None]
    """The argument that each of its results is, if it is one."""
    has_several: bool
    """Whether it returns a tuple of results."""

    def __init__(self, function: Any, names: list[str]) -> None:
        super().__init__()
        self.function, self.names = function, names

    def forward(self, *tensors: torch.Tensor) -> Any:
        given = dict(zip(self.names, tensors))  # noqa: B905 # not in Python 3.9
        result = self.function(**given)
        self.has_several = isinstance(result, tuple)
        results = result if self.has_several else (result,)
        self.returned = [next((name for name, tensor in given.items() if tensor is one), None) for one in results]
        return result


@functools.lru_cache(maxsize=None)
def decompositions() -> Any:
    return torch.export.default_decompositions()


MODELS: dict[str, bytes] = {}
"""ONNX models by the graph that they were made of, since several APIs have the same."""


def exported(function: Any, tensors: dict[str, torch.Tensor], mode: str) -> tuple[Any, Called]:
    """The program, or the ONNX model that it is translated to, and what was called to make it."""
    called = Called(function, list(tensors))
    with contextlib.suppress(RuntimeError, IndexError, TypeError, ValueError):
        called(*copies(tensors))  # it raises Unsupported at a fraction of the cost
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(called, copies(tensors))
        if mode == "export":
            return program.run_decompositions(decompositions()), called
        forms = [(tensor.dtype, tensor.shape) for tensor in tensors.values()]
        graph = repr((program.graph_module.code, program.constants, forms))
        if graph not in MODELS:
            MODELS[graph] = torch.onnx.export(program, dynamo=True, verbose=False).model_proto.SerializeToString()
    return MODELS[graph], called


def copies(tensors: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    return tuple(tensor.clone() for tensor in tensors.values())


def exporting(function: Any, mode: str, load: Any) -> Any:
    """The function, exported once for each form of its tensors."""
    programs: dict[Any, Any] = {}

    def call(**tensors: torch.Tensor) -> Any:
        form = tuple((name, tensor.dtype, tensor.shape) for name, tensor in tensors.items())
        if form not in programs:
            try:
                programs[form] = exported(function, tensors, mode)
            except Exception as error:
                programs[form] = error
        if isinstance(programs[form], Exception):
            # An error of the function itself is the call's.
            function(**dict(zip(tensors, copies(tensors))))  # noqa: B905 # not in Python 3.9
            raise NotExported(root_of(programs[form])) from traced_at(programs[form])
        program, called = programs[form]
        results = load(program)(*tensors.values())
        if mode == "export":  # the program has the form of the function, and changes its arguments itself
            return results
        results = [into(tensors.get(name), result) for name, result in zip(called.returned, results)]  # noqa: B905
        return tuple(results) if called.has_several else results[0]

    return call


def into(argument: torch.Tensor | None, result: torch.Tensor) -> torch.Tensor:
    """The argument that a function changes and returns; a model changes none, but returns what it becomes."""
    if argument is None or (argument.dtype, argument.shape) != (result.dtype, result.shape):
        return result
    return argument.copy_(result)


def root_of(error: BaseException) -> str:
    """The error that caused all others, without the hints of the tracer."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {str(error).strip()}".splitlines()[0]


def traced_at(error: BaseException) -> BaseException:
    """The error of an exporter, as that of the lines of source that the node that it did not translate was traced from."""
    each: BaseException | None = error
    while each is not None:
        for frame, _ in traceback.walk_tb(each.__traceback__):
            node = frame.f_locals.get("node")
            if isinstance(node, torch.fx.Node) and node.stack_trace:
                return SyntaxError(node.stack_trace)
        each = each.__cause__
    return error


def by_torch(program: Any) -> Any:
    return program.module()


def by_onnx_runtime(model: bytes) -> Any:
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)  # errors are raised as well
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "0"))
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise error from SyntaxError(lines_of_node(model, error))
    names = [value.name for value in session.get_inputs()]

    def run(*tensors: torch.Tensor) -> list[torch.Tensor]:
        values = [onnxruntime.OrtValue.from_dlpack(tensor.contiguous()) for tensor in tensors]
        return [torch.from_dlpack(one) for one in session.run_with_ort_values(None, dict(zip(names, values)))]  # noqa: B905

    return run


def lines_of_node(model: bytes, error: Exception) -> str:
    """The lines of source that the node was traced from that an error of ONNX Runtime's names, as the exporter has noted them."""
    import onnx

    named = re.search(r"\bnode (?:with name '|\()([^')]+)", str(error))
    nodes = onnx.load_model_from_string(model).graph.node if named else []
    notes = (note for node in nodes if node.name == named[1] for note in node.metadata_props)
    return next((note.value for note in notes if note.key == "pkg.torch.onnx.stack_trace"), "")


def by_reference_evaluator(model: bytes) -> Any:
    import onnx.checker
    import onnx.reference

    loaded = onnx.load_model_from_string(model)
    # The evaluator takes dtypes that ONNX does not allow, and a runtime need not.
    onnx.checker.check_model(loaded, full_check=True)
    evaluator = onnx.reference.ReferenceEvaluator(loaded)

    def run(*tensors: torch.Tensor) -> list[torch.Tensor]:
        values = {name: tensor.numpy() for name, tensor in zip(evaluator.input_names, tensors)}  # noqa: B905
        return [torch.from_numpy(np.asarray(result)) for result in evaluator.run(None, values)]

    return run


LOADED = {"export": functools.lru_cache(maxsize=8)(by_torch), "onnx": functools.lru_cache(maxsize=8)(by_onnx_runtime)}
"""Mode to what loads an exported program; a large one may be called several times in a row."""
EVALUATED = {"export": by_torch, "onnx": by_reference_evaluator}


def intermediate(function: Any, mode: str) -> Any:
    """The function as it was exported, in another evaluator; a program of PyTorch's has no other."""
    return exporting(function, mode, EVALUATED[mode])


BITS = {"bfloat16": "int16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}
"""The dtypes that NumPy lacks, with dtypes of their bits that both have."""


def to_native(array: np.ndarray, dtype: str) -> torch.Tensor:
    # Unlike torch.tensor, from_numpy keeps strides and shares the buffer, which the suite checks.
    if dtype in BITS:
        return on_device(torch.from_numpy(array.view(BITS[dtype])).view(getattr(torch, dtype)))
    return on_device(torch.from_numpy(array))


def on_device(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor on the selected device, with its strides."""
    if not PLACED:
        return tensor
    [device] = PLACED
    if tensor.numel() == 0:
        return tensor.to(device)
    extent = 1 + sum((length - 1) * tensor.stride(axis) for axis, length in enumerate(tensor.shape))
    return tensor.as_strided((extent,), (1,)).to(device).as_strided(tensor.shape, tensor.stride())


def to_numpy(value: torch.Tensor) -> Any:
    if value.is_meta:
        return Abstract(tuple(value.shape), str(value.dtype).removeprefix("torch."))
    name = str(value.dtype).removeprefix("torch.")
    if name in BITS:
        bits = value.view(getattr(torch, BITS[name])).numpy(force=True)
        return bits.view(f"u{bits.dtype}" if bits.dtype.kind == "i" else bits.dtype), name
    return value.numpy(force=True)


def transpose(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.permute(*reversed(range(tensor.dim())))


def expand(tensor: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    return tensor.expand(shape)


def reshape(tensor: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    return tensor.reshape(shape)


def view(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def flip(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.flip(0)


def copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.clone()


def arange(length: int, index: torch.Tensor) -> torch.Tensor:
    return torch.arange(length, dtype=index.dtype)


def total(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.sum(0, dtype=tensor.dtype)


def stacked(tensor: torch.Tensor) -> torch.Tensor:
    return torch.stack([tensor[row] for row in range(tensor.shape[0])])


def fill(tensor: torch.Tensor, number: int) -> None:
    tensor.fill_(number)


def write(tensor: torch.Tensor, values: torch.Tensor) -> None:
    tensor.copy_(values)


def add(tensor: torch.Tensor, values: Any) -> None:
    tensor.add_(values)


@hook(lambda: "torch.func.vjp" if COMPILES else "torch.autograd.grad")
def vjp(function: Any, tensors: dict[str, torch.Tensor], of: str, cotangent: torch.Tensor) -> Any:
    if COMPILES or TRANSFORMED:  # in a batch, torch.autograd.grad has no argument to be told of
        result, pull_back = torch.func.vjp(of_argument(function, tensors, of), tensors[of])
        return result, pull_back(cotangent)[0]
    argument = tensors[of].detach().requires_grad_()
    result = of_argument(function, tensors, of)(argument)
    # The product has the same derivative; with a cotangent for it, torch.autograd.grad imports SymPy in each process, for 2 s.
    product = (result * cotangent.reshape(result.shape)).sum()
    [derivative] = torch.autograd.grad(product, [argument], allow_unused=True)
    return result.detach(), torch.zeros_like(argument) if derivative is None else derivative


@hook(lambda: "torch.func.jvp" if COMPILES else DUAL_NUMBERS)
def jvp(function: Any, tensors: dict[str, torch.Tensor], of: str, tangent: torch.Tensor) -> Any:
    if COMPILES:
        return torch.func.jvp(of_argument(function, tensors, of), (tensors[of],), (tangent,))
    with forward_ad.dual_level():
        dual = forward_ad.unpack_dual(of_argument(function, tensors, of)(forward_ad.make_dual(tensors[of], tangent)))
        return dual.primal, torch.zeros_like(dual.primal) if dual.tangent is None else dual.tangent


@hook("torch.func.vmap")
def vmap(function: Any, tensors: dict[str, torch.Tensor], axes: dict[str, int]) -> torch.Tensor:
    if not hasattr(torch, "func"):
        raise Unsupported("torch.func begins with PyTorch 2.0")
    in_dims = {name: axes.get(name) for name in tensors}
    return torch.func.vmap(lambda given: of_copies(function, given), in_dims=(in_dims,))(tensors)


def of_argument(function: Any, tensors: dict[str, torch.Tensor], of: str) -> Any:
    """The function of one argument."""
    return lambda argument: of_copies(function, {**tensors, of: argument})


def of_copies(function: Any, tensors: dict[str, torch.Tensor]) -> torch.Tensor:
    """The result of a call under a transform, which changes only copies if it changes its arguments in place."""
    TRANSFORMED.append(True)
    try:
        return function(**{name: tensor.clone() for name, tensor in tensors.items()})
    finally:
        TRANSFORMED.pop()


TRANSFORMED: list[bool] = []
"""Has an element for each transform that a call is made under."""


def out_of(shape: Any, dtype: torch.dtype) -> torch.Tensor:
    """What a call writes its result into."""
    if TRANSFORMED:
        raise Unsupported("no transform of PyTorch's takes a call that writes into out")
    return torch.empty(shape, dtype=dtype)


def per_axis(indices: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The components of the index vectors for indexing: a tensor for each axis."""
    if indices.ndim > 0 and indices.shape[-1] == 0:
        raise Unsupported("an index without tensors selects the whole once, whatever the number of index vectors")
    return indices.unbind(-1)


@api("torch.index_put", operation="tensor_scatter_nd_update", helpers=UNBIND, documentation="torch.Tensor.index_put_")
def index_put(tensor, indices, updates):
    return torch.index_put(tensor, per_axis(indices), updates)


@api("torch.Tensor.index_put", operation="tensor_scatter_nd_update", helpers=UNBIND)
def index_put_method(tensor, indices, updates):
    return tensor.index_put(per_axis(indices), updates)


@api("torch.Tensor.__setitem__", operation="tensor_scatter_nd_update", in_place="tensor", helpers=UNBIND)
def setitem(tensor, indices, updates):
    tensor[per_axis(indices)] = updates
    return tensor


@api("torch.Tensor.index_put_", operation="tensor_scatter_nd_update", in_place="tensor", helpers=UNBIND)
def index_put_(tensor, indices, updates):
    return tensor.index_put_(per_axis(indices), updates)


@api("torch.index_put", operation="tensor_scatter_nd_add", helpers=UNBIND, documentation="torch.Tensor.index_put_")
def index_put_accumulate(tensor, indices, updates):
    return torch.index_put(tensor, per_axis(indices), updates, accumulate=True)


@api("torch.Tensor.index_put", operation="tensor_scatter_nd_add", helpers=UNBIND)
def index_put_accumulate_method(tensor, indices, updates):
    return tensor.index_put(per_axis(indices), updates, accumulate=True)


@api("torch.Tensor.index_put_", operation="tensor_scatter_nd_add", in_place="tensor", helpers=UNBIND)
def index_put_accumulate_(tensor, indices, updates):
    return tensor.index_put_(per_axis(indices), updates, accumulate=True)


@api(
    "torch.index_put",
    operation="scatter_nd",
    helpers={**UNBIND, "shape": "torch.zeros"},
    documentation="torch.Tensor.index_put_",
)
def index_put_into_zeros(indices, updates, shape):
    zeros = torch.zeros(shape, dtype=updates.dtype)
    return torch.index_put(zeros, per_axis(indices), updates, accumulate=True)


@api("torch.Tensor.__getitem__", operation="gather_nd", helpers=UNBIND)
def getitem(params, indices):
    return params[per_axis(indices)]


@api("torch.gather", operation="gather_elements")
def gather(input, dim, index):
    return torch.gather(input, dim, index)


@api("torch.gather(out=)", operation="gather_elements", follows="torch.gather")
def gather_out(input, dim, index):
    return torch.gather(input, dim, index, out=out_of(index.shape, input.dtype))


@api("torch.Tensor.gather", operation="gather_elements")
def gather_method(input, dim, index):
    return input.gather(dim, index)


@api("torch.take_along_dim", operation="gather_elements")
def take_along_dim(input, dim, index):
    return torch.take_along_dim(input, index, dim)


@api("torch.Tensor.take_along_dim", operation="gather_elements")
def take_along_dim_method(input, dim, index):
    return input.take_along_dim(index, dim)


@api("torch.take", operation="gather_elements")
def take(input, dim, index):
    if input.dim() > 1 or dim not in (0, -1):
        raise Unsupported("only a vector, as the input is flattened")
    return torch.take(input, index)


def options(reduce: str | None) -> dict[str, str]:
    """The keyword arguments of scatter for a reduction."""
    if reduce not in (None, "add", "multiply"):
        raise Unsupported("only reduce='add' or reduce='multiply'")
    return {} if reduce is None else {"reduce": reduce}


@api("torch.Tensor.scatter_", operation="scatter_elements", in_place="input")
def scatter_(input, dim, index, src, reduce=None):
    return input.scatter_(dim, index, src, **options(reduce))


@api("torch.scatter", operation="scatter_elements")
def scatter(input, dim, index, src, reduce=None):
    return torch.scatter(input, dim, index, src, **options(reduce))


@api("torch.scatter(out=)", operation="scatter_elements", follows="torch.scatter")
def scatter_out(input, dim, index, src, reduce=None):
    out = out_of(input.shape, input.dtype)
    return torch.scatter(input, dim, index, src, **options(reduce), out=out)


@api("torch.Tensor.scatter", operation="scatter_elements")
def scatter_method(input, dim, index, src, reduce=None):
    return input.scatter(dim, index, src, **options(reduce))


@api("torch.Tensor.put_", operation="scatter_elements", in_place="input")
def put_(input, dim, index, src, reduce=None):
    if input.dim() > 1 or dim not in (0, -1) or reduce not in (None, "add"):
        raise Unsupported("only a vector, as the input is flattened, and at most reduce='add'")
    if not isinstance(src, torch.Tensor) or src.shape != index.shape:
        raise Unsupported("only a tensor as src, with the shape of index")
    return input.put_(index, src, accumulate=reduce == "add")


@api("torch.Tensor.scatter_add_", operation="scatter_elements", in_place="input")
def scatter_add_(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    return input.scatter_add_(dim, index, src)


@api("torch.scatter_add", operation="scatter_elements")
def scatter_add(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    return torch.scatter_add(input, dim, index, src)


@api("torch.scatter_add(out=)", operation="scatter_elements", follows="torch.scatter_add")
def scatter_add_out(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    return torch.scatter_add(input, dim, index, src, out=out_of(input.shape, input.dtype))


@api("torch.Tensor.scatter_add", operation="scatter_elements")
def scatter_add_method(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    return input.scatter_add(dim, index, src)


def reduction(reduce: Any, src: Any) -> str:
    """The name of a reduction for scatter_reduce, which has no call without one, or with a number."""
    if reduce is None:
        raise Unsupported("only a reduction")
    only_a_tensor("src", src)
    return REDUCTIONS.get(reduce, reduce)


@api("torch.Tensor.scatter_reduce_", operation="scatter_elements", in_place="input")
def scatter_reduce_(input, dim, index, src, reduce=None):
    return input.scatter_reduce_(dim, index, src, reduction(reduce, src))


@api("torch.scatter_reduce", operation="scatter_elements")
def scatter_reduce(input, dim, index, src, reduce=None):
    return torch.scatter_reduce(input, dim, index, src, reduction(reduce, src))


@api("torch.scatter_reduce(out=)", operation="scatter_elements", follows="torch.scatter_reduce")
def scatter_reduce_out(input, dim, index, src, reduce=None):
    out = out_of(input.shape, input.dtype)
    return torch.scatter_reduce(input, dim, index, src, reduction(reduce, src), out=out)


@api("torch.Tensor.scatter_reduce", operation="scatter_elements")
def scatter_reduce_method(input, dim, index, src, reduce=None):
    return input.scatter_reduce(dim, index, src, reduction(reduce, src))


@api("torch.index_select", operation="index_select", index_dtypes=INTS)
def index_select(input, dim, index):
    return torch.index_select(input, dim, index)


@api("torch.Tensor.index_select", operation="index_select", index_dtypes=INTS)
def index_select_method(input, dim, index):
    return input.index_select(dim, index)


@api("torch.index_select(out=)", operation="index_select", follows="torch.index_select", index_dtypes=INTS)
def index_select_out(input, dim, index):
    return torch.index_select(input, dim, index, out=out_of(0, input.dtype))


@api("torch.Tensor.__getitem__", operation="index_select", composed=True)
def getitem_slices(input, dim, index):
    return input[slices(dim, index)]


@api("torch.index_add", operation="index_add", index_dtypes=INTS)
def index_add(input, dim, index, source, alpha=1):
    return torch.index_add(input, dim, index, source, alpha=alpha)


@api("torch.index_add(out=)", operation="index_add", follows="torch.index_add", index_dtypes=INTS)
def index_add_out(input, dim, index, source, alpha=1):
    out = out_of(input.shape, input.dtype)
    return torch.index_add(input, dim, index, source, alpha=alpha, out=out)


@api("torch.Tensor.index_add", operation="index_add", index_dtypes=INTS)
def index_add_method(input, dim, index, source, alpha=1):
    return input.index_add(dim, index, source, alpha=alpha)


@api("torch.Tensor.index_add_", operation="index_add", in_place="input", index_dtypes=INTS)
def index_add_(input, dim, index, source, alpha=1):
    return input.index_add_(dim, index, source, alpha=alpha)


@api("torch.index_copy", operation="index_copy")
def index_copy(input, dim, index, source):
    return torch.index_copy(input, dim, index, source)


@api("torch.index_copy(out=)", operation="index_copy", follows="torch.index_copy")
def index_copy_out(input, dim, index, source):
    return torch.index_copy(input, dim, index, source, out=out_of(input.shape, input.dtype))


@api("torch.Tensor.index_copy", operation="index_copy")
def index_copy_method(input, dim, index, source):
    return input.index_copy(dim, index, source)


@api("torch.Tensor.index_copy_", operation="index_copy", in_place="input")
def index_copy_(input, dim, index, source):
    return input.index_copy_(dim, index, source)


@api("torch.Tensor.__setitem__", operation="index_copy", composed=True, in_place="input")
def setitem_slices(input, dim, index, source):
    input[slices(dim, index)] = source
    return input


@api("torch.index_fill", operation="index_fill", documentation="torch.Tensor.index_fill")
def index_fill(input, dim, index, value):
    return torch.index_fill(input, dim, index, value)


@api("torch.Tensor.index_fill", operation="index_fill")
def index_fill_method(input, dim, index, value):
    return input.index_fill(dim, index, value)


@api("torch.Tensor.index_fill_", operation="index_fill", in_place="input")
def index_fill_(input, dim, index, value):
    return input.index_fill_(dim, index, value)


@api("torch.index_reduce", operation="index_reduce", index_dtypes=INTS)
def index_reduce(input, dim, index, source, reduce, include_self=None):
    return torch.index_reduce(input, dim, index, source, reduce, include_self=include_self != "no")


@api("torch.index_reduce(out=)", operation="index_reduce", follows="torch.index_reduce", index_dtypes=INTS)
def index_reduce_out(input, dim, index, source, reduce, include_self=None):
    out = out_of(input.shape, input.dtype)
    return torch.index_reduce(input, dim, index, source, reduce, include_self=include_self != "no", out=out)


@api("torch.Tensor.index_reduce", operation="index_reduce", index_dtypes=INTS, documentation="torch.index_reduce")
def index_reduce_method(input, dim, index, source, reduce, include_self=None):
    return input.index_reduce(dim, index, source, reduce, include_self=include_self != "no")


@api("torch.Tensor.index_reduce_", operation="index_reduce", in_place="input", index_dtypes=INTS)
def index_reduce_(input, dim, index, source, reduce, include_self=None):
    return input.index_reduce_(dim, index, source, reduce, include_self=include_self != "no")


def with_out(input, index, out):
    """The tensors of a call, with the one for the result that the word ``out`` names."""
    if TRANSFORMED:
        raise Unsupported("no transform of PyTorch's takes a call that writes into out")
    length = index.shape[0]
    if out == "input":
        given = input.clone()
        return given, index, given
    if out == "index":
        given = index.clone()
        return input, given, given
    if out == "overlapping":
        memory = torch.cat([input, input[:1]])
        return memory[:-1], index, memory[1:]
    shapes = {"empty": (0,), "longer": (length + 1,), "shorter": (length - 1,), "column": (length, 1)}
    dtype = input.dtype if out in ("fitting", *shapes) else getattr(torch, out)
    return input, index, torch.zeros(shapes.get(out, (length,)), dtype=dtype, device=input.device)


@api("torch.gather(out=)", operation="take_into", follows="torch.gather")
def gather_into(input, index, out):
    data, index, given = with_out(input, index, out)
    return torch.gather(data, 0, index, out=given)


@api("torch.index_select(out=)", operation="take_into", follows="torch.index_select", index_dtypes=INTS)
def index_select_into(input, index, out):
    data, index, given = with_out(input, index, out)
    return torch.index_select(data, 0, index, out=given)


@api("torch.masked_select", operation="masked_select")
def masked_select(input, mask):
    of_elements(input, mask)
    return torch.masked_select(input, mask)


@api("torch.Tensor.masked_select", operation="masked_select")
def masked_select_method(input, mask):
    of_elements(input, mask)
    return input.masked_select(mask)


@api("torch.Tensor.__getitem__", operation="masked_select")
def getitem_masked(input, mask):
    return input[mask]


@api("torch.Tensor.masked_fill", operation="masked_fill")
def masked_fill_method(input, mask, value):
    of_elements(input, mask)
    return input.masked_fill(mask, value)


@api("torch.masked_fill", operation="masked_fill", documentation="torch.Tensor.masked_fill")
def masked_fill(input, mask, value):
    of_elements(input, mask)
    return torch.masked_fill(input, mask, value)


@api("torch.Tensor.masked_fill_", operation="masked_fill", in_place="input")
def masked_fill_(input, mask, value):
    of_elements(input, mask)
    return input.masked_fill_(mask, value)


@api("torch.where", operation="masked_fill")
def where(input, mask, value):
    of_elements(input, mask)
    return torch.where(mask, value, input)


@api("torch.where(out=)", operation="masked_fill", follows="torch.where")
def where_out(input, mask, value):
    of_elements(input, mask)
    if not isinstance(value, torch.Tensor):
        raise Unsupported("only a tensor as value, since the form with out= takes no number")
    return torch.where(mask, value, input, out=out_of(input.shape, input.dtype))


@api("torch.Tensor.where", operation="masked_fill", helpers={"mask.dtype": "torch.logical_not"})
def where_method(input, mask, value):
    of_elements(input, mask)
    return input.where(torch.logical_not(mask), value)


@api("torch.Tensor.__setitem__", operation="masked_fill", in_place="input")
def setitem_masked_to_a_number(input, mask, value):
    input[mask] = value
    return input


@api("torch.Tensor.masked_scatter", operation="masked_scatter")
def masked_scatter_method(input, mask, source):
    return input.masked_scatter(mask, source)


@api("torch.masked_scatter", operation="masked_scatter", documentation="torch.Tensor.masked_scatter")
def masked_scatter(input, mask, source):
    return torch.masked_scatter(input, mask, source)


@api("torch.Tensor.masked_scatter_", operation="masked_scatter", in_place="input")
def masked_scatter_(input, mask, source):
    return input.masked_scatter_(mask, source)


@api("torch.Tensor.put_", operation="put", in_place="input")
def put_flat_(input, index, source, reduce=None):
    return input.put_(index, source, accumulate=reduce == "add")


@api("torch.Tensor.put", operation="put")
def put_flat_method(input, index, source, reduce=None):
    return input.put(index, source, accumulate=reduce == "add")


@api("torch.put", operation="put", documentation="torch.Tensor.put")
def put_flat(input, index, source, reduce=None):
    return torch.put(input, index, source, accumulate=reduce == "add")


@api("torch.take(out=)", operation="take_into", follows="torch.take")
def take_into(input, index, out):
    data, index, given = with_out(input, index, out)
    return torch.take(data, index, out=given)


@api("torch.take_along_dim(out=)", operation="take_into", follows="torch.take_along_dim")
def take_along_dim_into(input, index, out):
    data, index, given = with_out(input, index, out)
    return torch.take_along_dim(data, index, 0, out=given)


@api("torch.take", operation="take")
def take_flat(input, index):
    return torch.take(input, index)


@api("torch.Tensor.take", operation="take")
def take_flat_method(input, index):
    return input.take(index)


@api("torch.segment_reduce(lengths=)", operation="segment_reduce", helpers={"segment_ids": "torch.bincount"})
def segment_reduce_by_lengths(data, segment_ids, reduce):
    return torch.segment_reduce(data, reduce.removeprefix("a"), lengths=torch.bincount(segment_ids))


@api("torch.segment_reduce(offsets=)", operation="segment_reduce", helpers={"segment_ids": "torch.bincount"})
def segment_reduce_by_offsets(data, segment_ids, reduce):
    ends = torch.cumsum(torch.bincount(segment_ids), 0)
    return torch.segment_reduce(data, reduce.removeprefix("a"), offsets=torch.nn.functional.pad(ends, (1, 0)))


@api("torch.segment_reduce", operation="split_reduce")
def segment_reduce(data, reduce, axis, offsets=None, lengths=None):
    return torch.segment_reduce(data, reduce.removeprefix("a"), offsets=offsets, lengths=lengths, axis=axis)


@api("torch.Tensor.__getitem__", operation="advanced_index_get")
def getitem_advanced(input, i, j, key):
    return input[key]


@api("torch.Tensor.__setitem__", operation="advanced_index_set", in_place="input")
def setitem_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, None)
    input[key] = values
    return input


@api("torch.index_put", operation="advanced_index_set", documentation="torch.Tensor.index_put_")
def index_put_advanced(input, i, j, values, key, reduce=None):
    only_indices(key, values)
    return torch.index_put(input, key, values, accumulate=reduce == "add")


@api("torch.Tensor.index_put_", operation="advanced_index_set", in_place="input")
def index_put_advanced_(input, i, j, values, key, reduce=None):
    only_indices(key, values)
    return input.index_put_(key, values, accumulate=reduce == "add")


@api("torch.Tensor.__getitem__", operation="basic_index_get")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api("torch.Tensor.__setitem__", operation="basic_index_set", in_place="input")
def setitem_basic(input, key, values, i=None, j=None):
    input[key] = values
    return input


@api("torch.slice_scatter", operation="basic_index_set", index_dtypes=())
def slice_scatter(input, key, values, i=None, j=None):
    only_a_tensor("values", values)
    dim, item = one_item(key, slice)
    return torch.slice_scatter(input, values, dim, item.start, item.stop, 1 if item.step is None else item.step)


@api("torch.select_scatter", operation="basic_index_set", index_dtypes=())
def select_scatter(input, key, values, i=None, j=None):
    only_a_tensor("values", values)
    dim, item = one_item(key, int)
    return torch.select_scatter(input, values, dim, item)


@api("torch.Tensor.slice_scatter", operation="basic_index_set", documentation="torch.slice_scatter", index_dtypes=())
def slice_scatter_method(input, key, values, i=None, j=None):
    only_a_tensor("values", values)
    dim, item = one_item(key, slice)
    return input.slice_scatter(values, dim, item.start, item.stop, 1 if item.step is None else item.step)


@api("torch.Tensor.select_scatter", operation="basic_index_set", documentation="torch.select_scatter", index_dtypes=())
def select_scatter_method(input, key, values, i=None, j=None):
    only_a_tensor("values", values)
    dim, item = one_item(key, int)
    return input.select_scatter(values, dim, item)


@api("torch.narrow", operation="basic_index_get", index_dtypes=())
def narrow(input, key, i=None, j=None):
    return torch.narrow(input, *one_part(key, input.shape))


@api("torch.Tensor.narrow", operation="basic_index_get", documentation="torch.narrow", index_dtypes=())
def narrow_method(input, key, i=None, j=None):
    return input.narrow(*one_part(key, input.shape))


@api("torch.select", operation="basic_index_get", index_dtypes=())
def select(input, key, i=None, j=None):
    return torch.select(input, *one_item(key, int))


@api("torch.Tensor.select", operation="basic_index_get", documentation="torch.select", index_dtypes=())
def select_method(input, key, i=None, j=None):
    return input.select(*one_item(key, int))


def view_of(target, view):
    """The part of the target that a result goes into."""
    if TRANSFORMED:
        raise Unsupported("no transform of PyTorch's takes a call that writes into out")
    return target[1::2] if view == "every-second" else target[:, 1]


@api("torch.gather(out=)", operation="take_into_view", follows="torch.gather", in_place="target")
def gather_into_view(input, target, view, index=None, mask=None):
    only_an_index(index)
    torch.gather(input, 0, index, out=view_of(target, view))
    return target


@api(
    "torch.index_select(out=)",
    operation="take_into_view",
    follows="torch.index_select",
    in_place="target",
    index_dtypes=INTS,
)
def index_select_into_view(input, target, view, index=None, mask=None):
    only_an_index(index)
    torch.index_select(input, 0, index, out=view_of(target, view))
    return target


@api("torch.take(out=)", operation="take_into_view", follows="torch.take", in_place="target")
def take_into_view(input, target, view, index=None, mask=None):
    only_an_index(index)
    torch.take(input, index, out=view_of(target, view))
    return target


@api("torch.take_along_dim(out=)", operation="take_into_view", follows="torch.take_along_dim", in_place="target")
def take_along_dim_into_view(input, target, view, index=None, mask=None):
    only_an_index(index)
    torch.take_along_dim(input, index, 0, out=view_of(target, view))
    return target


@api(
    "torch.masked_select(out=)",
    operation="take_into_view",
    follows="torch.masked_select",
    in_place="target",
    index_dtypes=(),
)
def masked_select_into_view(input, target, view, index=None, mask=None):
    only_a_mask(mask)
    torch.masked_select(input, mask, out=view_of(target, view))
    return target


@api("torch.diagonal_scatter", operation="diagonal_scatter")
def diagonal_scatter(input, src, offset, dim1, dim2):
    return torch.diagonal_scatter(input, src, offset, dim1, dim2)


@api("torch.Tensor.diagonal_scatter", operation="diagonal_scatter", documentation="torch.diagonal_scatter")
def diagonal_scatter_method(input, src, offset, dim1, dim2):
    return input.diagonal_scatter(src, offset, dim1, dim2)
