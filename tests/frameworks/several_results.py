"""Run in a target's interpreter: what calls give alone, and all of them compiled together, as JSON.

Words: the adapter's file, its mode, and a file with groups of calls.
"""

from __future__ import annotations

import functools
import json
import linecache
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from conformance.worker import adapters

Call = dict[str, Any]
Tensors = dict[str, Any]


def tensors_of(call: Call, adapter: adapters.Adapter) -> Tensors:
    """The arguments of a call that are lists."""
    arrays = {name: np.array(value) for name, value in call["arguments"].items() if isinstance(value, list)}
    arrays = {name: one.astype(np.float32) if one.dtype == np.float64 else one for name, one in arrays.items()}
    return {name: adapter.to_native(array, str(array.dtype)) for name, array in arrays.items()}


def source_of(calls: Sequence[Call]) -> list[str]:
    """A function of the tensors of all calls, with a line for each call."""
    parameters: list[str] = []
    lines: list[str] = []
    for number, call in enumerate(calls):
        own = {name: f"a{number}_{name}" for name, value in call["arguments"].items() if isinstance(value, list)}
        given = {name: own.get(name, repr(value)) for name, value in call["arguments"].items()}
        parameters += own.values()
        lines.append(f"    r{number} = f{number}({', '.join(map('='.join, given.items()))})\n")
    results = "".join(f"r{number}, " for number in range(len(calls)))
    return [f"def all_of_them({', '.join(parameters)}):\n", *lines, f"    return ({results})\n"]


def together(calls: Sequence[Call], adapter: adapters.Adapter, name: str) -> Callable[..., Any]:
    """The function in a module of this name, whose source can be read."""
    module, lines, file = ModuleType(name), source_of(calls), f"<{name}>"
    functions = [adapter.api(call["api"], call["operation"]).function for call in calls]
    vars(module).update((f"f{number}", function) for number, function in enumerate(functions))
    sys.modules[name] = module
    linecache.cache[file] = (sum(map(len, lines)), None, lines, file)
    exec(compile("".join(lines), file, "exec"), vars(module))
    made: Callable[..., Any] = module.all_of_them
    return made


def described(result: Any, tensors: Tensors, adapter: adapters.Adapter) -> dict[str, Any]:
    """A result, the arguments after the call, and those of them that the result is."""
    values = {name: np.asarray(adapter.host_value(one)[0]) for name, one in {**tensors, "": result}.items()}
    return {
        "values": {name: (str(value.dtype), value.tolist()) for name, value in values.items()},
        "returned": [name for name, tensor in tensors.items() if tensor is result],
    }


def alone(call: Call, adapter: adapters.Adapter, mode: str) -> dict[str, Any]:
    tensors = tensors_of(call, adapter)
    bound = {name: value for name, value in call["arguments"].items() if name not in tensors}
    function = functools.partial(adapter.api(call["api"], call["operation"]).function, **bound)
    return described(adapter.namespace["prepare"](function, mode)(**tensors), tensors, adapter)


def found_of(calls: Sequence[Call], adapter: adapters.Adapter, mode: str, name: str) -> dict[str, Any]:
    """What calls give together, and if they return so, what each gives alone; else the lines that the error names."""
    each = [tensors_of(call, adapter) for call in calls]
    prepare = adapter.namespace.get("prepare_together", adapter.namespace["prepare"])
    named = {f"a{number}_{name}": one for number, own in enumerate(each) for name, one in own.items()}
    try:
        results = prepare(functools.partial(together(calls, adapter, name)), mode)(**named)
    except Exception as error:
        told = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        lines = range(1, len(calls) + 3)
        return {"lines": [line for line in lines if f'File "<{name}>", line {line}' in told], "error": told}
    module: Any = sys.modules.get("conformance_torch_one_cpp_file")
    return {
        "files": None if module is None else [module.Count.built, module.Count.failed],
        "together": [described(*pair, adapter) for pair in zip(results, each, strict=True)],
        "alone": [alone(call, adapter, mode) for call in calls],
    }


def main(path: str, mode: str, groups: Sequence[Sequence[Call]]) -> list[dict[str, Any]]:
    adapter = adapters.load(path, mode)
    adapter.setup("cpu", mode)
    return [found_of(calls, adapter, mode, f"several_results_{number}") for number, calls in enumerate(groups)]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], json.loads(Path(sys.argv[3]).read_text("utf-8")))))
