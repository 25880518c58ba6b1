"""Programs around a call: Python text that a mode compiles together with the call."""

from __future__ import annotations

import hashlib
import linecache
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from conformance.adapter import Api, Unsupported

NAME = "program"
"""The function that the text of a program defines."""
HOOKS = ("transpose", "expand")
"""What an adapter defines for programs: ``transpose(tensor)`` reverses the axes, ``expand(tensor, shape)`` repeats elements."""


def within(api: Api, apis: Sequence[Api], namespace: Mapping[str, Any], text: str) -> Api:
    """The API with a function that runs a program around it.

    Where the program calls other operations, the first API of each is taken that is not composed, or else its first one.
    apis: those that it may call. namespace: the names of its file. Unsupported if it lacks something that the program calls.
    """
    key = hashlib.sha256(
        repr((text, api.name, api.operation, api.in_place, [other.name for other in apis])).encode()
    ).hexdigest()[:16]
    name = f"conformance_program_{key}"
    if name not in sys.modules:
        # Some frameworks read the source and the module of what they compile.
        sys.modules[name] = _module(name, api, apis, namespace, text)
    return replace(api, name=f"{api.name} in {key}", function=getattr(sys.modules[name], NAME))


def _module(name: str, api: Api, apis: Sequence[Api], namespace: Mapping[str, Any], text: str) -> ModuleType:
    module = ModuleType(name)
    functions = vars(module)
    functions.update((hook, namespace[hook]) for hook in HOOKS if hook in namespace)
    for other in sorted(apis, key=lambda one: one.composed):
        functions.setdefault(other.operation, other.function)
    functions[api.operation] = api.function
    functions["changed"] = _first if api.in_place else _second
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), functions)  # noqa: S102 # a text of the suite
    missing = [used for used in functions[NAME].__code__.co_names if used not in functions]
    if missing:
        raise Unsupported(f"the target has no {missing[0]} for the program around this call")
    return module


def _first(target: Any, _: Any) -> Any:
    return target


def _second(_: Any, result: Any) -> Any:
    return result
