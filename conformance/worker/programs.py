"""Programs around a call: Python text that a mode compiles together with the call."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, Optional, Protocol, TypeVar, Union

import numpy as np

from conformance.adapter import Abstract, Api, Unsupported
from conformance.worker.arrays import Tensor
from conformance.worker.generated import define
from conformance.worker.keys import texts_of_keys

NAME = "program"
"""The function that the text of a program defines."""
STEPS = ("transpose", "expand", "reshape", "view", "flip", "copy", "arange", "total", "stacked")
CHANGES = ("fill", "write", "add")
IN_PLACE = "_"
"""What follows the name of an operation whose call changes its first argument."""
HOOKS = (*STEPS, *CHANGES)
"""What an adapter may define for programs; docs/adapters.md says what each does."""


class Implementing(Protocol):
    """What is asked of an API to choose that of another operation: of one in a worker, or of the record of one."""

    @property
    def operation(self) -> str: ...
    @property
    def composed(self) -> bool: ...
    @property
    def in_place(self) -> Optional[str]: ...


Chosen = TypeVar("Chosen", bound=Implementing)


def returning(apis: Sequence[Chosen]) -> dict[str, Chosen]:
    """By operation, the API that a program calls for a new tensor: the first that is not composed and changes nothing, if any does."""
    chosen: dict[str, Chosen] = {}
    for api in sorted(apis, key=lambda one: (one.composed, one.in_place is not None)):
        chosen.setdefault(api.operation, api)
    return chosen


def changing(own: Chosen, apis: Sequence[Chosen], first: Callable[[Chosen], Optional[str]]) -> dict[str, Chosen]:
    """By operation, the API that a program calls to change its first argument: that under test, or the first that is not composed.

    first: gives the name of the first argument of an API.
    """
    chosen: dict[str, Chosen] = {}
    for api in sorted(apis, key=lambda one: (one != own, one.composed)):
        if api.in_place is not None and api.in_place == first(api):
            chosen.setdefault(api.operation, api)
    return chosen


def within(api: Api, apis: Sequence[Api], namespace: Mapping[str, Any], text: str, *, compiles: bool = False) -> Api:
    """The API with a function that runs a program around it.

    Where the program calls other operations, their APIs are those of ``returning`` and ``changing``.
    apis: those that it may call. namespace: the names of its file. compiles: what is compiled calls what an adapter defines, and
    nothing that is written here. Unsupported if it lacks something that the program calls.
    """
    names = [other.name for other in apis]
    key = _key(text, api.name, api.operation, api.in_place, names, compiles, *texts_of_keys(api))
    module = _defined(key, text, lambda functions: _fill(functions, api, apis, namespace, compiles=compiles))
    functions = vars(module)
    missing = [used for used in functions[NAME].__code__.co_names if used not in functions]
    if missing:
        raise Unsupported(f"the target has no {missing[0]} for the program around this call")
    return replace(api, name=f"{api.name} in {key}", function=functions[NAME])


def _fill(
    functions: dict[str, Any], api: Api, apis: Sequence[Api], namespace: Mapping[str, Any], *, compiles: bool
) -> None:
    """Add what a program may call."""
    functions.update((hook, namespace[hook]) for hook in HOOKS if hook in namespace)
    functions.update((operation, _on_copy(other, functions)) for operation, other in returning(apis).items())
    changes = changing(api, apis, _first_argument)
    functions.update((operation + IN_PLACE, other.function) for operation, other in changes.items())
    for other in apis if "write" in functions and not compiles else ():
        if other.in_place is None and other.operation + IN_PLACE not in functions:
            functions[other.operation + IN_PLACE] = _writing(other, functions["write"])
    functions[api.operation] = api.function
    functions["changed"] = _first if api.in_place else _second


def _first_argument(api: Api) -> Optional[str]:
    return next(iter(inspect.signature(api.function).parameters), None)


def _on_copy(api: Api, functions: Mapping[str, Any]) -> Any:
    """The function of an API that a program calls beside that under test, which changes none of its arguments.

    It has a text of its own, since some frameworks read that of what they compile.
    """
    if api.in_place is None or "copy" not in functions:
        return api.function
    parameters = inspect.signature(api.function).parameters.values()
    written = ", ".join(
        each.name if each.default is inspect.Parameter.empty else f"{each.name}={each.default!r}" for each in parameters
    )
    given = ", ".join(f"copy({each.name})" if each.name == api.in_place else each.name for each in parameters)
    text = f"def on_a_copy({written}):\n    return call({given})\n"
    module = _defined(
        _key(text, api.name, api.operation, *texts_of_keys(api)),
        text,
        lambda names: names.update(call=api.function, copy=functions["copy"]),
    )
    return vars(module)["on_a_copy"]


def _writing(api: Api, write: Callable[[Any, Any], None]) -> Callable[..., None]:
    """A function that writes what an API returns over its first argument."""

    def written(first: Any, *others: Any) -> None:
        write(first, api.function(first, *others))

    return written


def _key(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _defined(key: str, text: str, fill: Callable[[dict[str, Any]], None]) -> ModuleType:
    """The module of a text with the names that it uses, made once."""
    name = f"conformance_program_{key}"
    if name not in sys.modules:
        names: dict[str, Any] = {}
        fill(names)
        define(name, text, names)
    return sys.modules[name]


def joined(
    results: Sequence[Union[Tensor, Abstract]], text: str
) -> tuple[Union[Tensor, Abstract], list[dict[str, Any]]]:
    """What a program returns as one array of one axis in the dtype of the first, and what each result is."""
    parts: list[dict[str, Any]] = []
    tensors: list[Tensor] = []
    for name, result in zip(names_of_results(text), results):  # noqa: B905 # not in Python 3.9
        if isinstance(result, Abstract):
            return result, []
        parts.append({"name": name, "dtype": result[1], "shape": list(result[0].shape)})
        tensors.append(result)
    return concatenated(tensors), parts


def concatenated(tensors: Sequence[Tensor]) -> Tensor:
    """The elements of all tensors, one after another, in the dtype of the first."""
    first, dtype = tensors[0]
    return np.concatenate([array.reshape(-1).astype(first.dtype) for array, _ in tensors]), dtype


def names_of_results(text: str) -> list[str]:
    """What a program returns, as its text has it."""
    tree: Any = ast.parse(text)
    returned = tree.body[0].body[-1].value
    return [ast.unparse(each) for each in (returned.elts if isinstance(returned, ast.Tuple) else [returned])]


def _first(target: Any, _: Any) -> Any:
    return target


def _second(_: Any, result: Any) -> Any:
    return result
