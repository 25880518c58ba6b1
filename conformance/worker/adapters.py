"""An adapter's file as the worker sees it: its APIs and its optional hooks, with their defaults."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from conformance.adapter import Api, apis_of
from conformance.worker.arrays import Tensor


class AdapterError(Exception):
    """A fault of the adapter, not of the framework: it has no functions, or gave back what is no array."""


@dataclass(frozen=True)
class Adapter:
    """The functions and hooks of one adapter file."""

    path: str
    apis: list[Api]
    describe: Callable[[], dict[str, Any]]
    setup: Callable[[str, str], Any]
    to_native: Callable[[Any, str], Any]
    to_numpy: Callable[[Any], Any]

    def api(self, name: str, operation: str) -> Api:
        """The API of this name that stands for the operation; AdapterError where there is none."""
        for entry in self.apis:
            if (entry.name, entry.operation) == (name, operation):
                return entry
        raise AdapterError(f"{self.path}: no function is marked @api({name!r}, operation={operation!r})")

    def host_value(self, value: Any) -> Tensor:
        """A native result as an array and the name of its dtype, in host memory; AdapterError where it is none."""
        array = self.to_numpy(value)
        if isinstance(array, tuple) and len(array) == 2 and isinstance(array[0], np.ndarray):
            return array[0], str(array[1])
        if not isinstance(array, (np.ndarray, np.generic)):
            raise AdapterError(
                f"{self.path}: an API gave back {type(array).__name__}, which is no array; "
                "return a NumPy array, or define to_numpy(value)"
            )
        array = np.asarray(array)
        return array, array.dtype.name


def load(path: str) -> Adapter:
    """Import an adapter's file under a name of its own; its folder never goes on the import path."""
    module = _import(path)
    apis = apis_of(vars(module))
    if not apis:
        raise AdapterError(f"{path}: no function is marked with @api; see docs/adapters.md for an example")
    return Adapter(
        path,
        apis,
        getattr(module, "describe", dict),
        getattr(module, "setup", _no_setup),
        getattr(module, "to_native", lambda array, _: array),
        getattr(module, "to_numpy", lambda value: value),
    )


def source_of(api: Api) -> str:
    """The adapter's own code for one API, as the report shows it."""
    try:
        return inspect.getsource(api.function)
    except (OSError, TypeError):
        return ""


def _import(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("conformance_adapter_under_test", path)
    if spec is None or spec.loader is None:
        raise AdapterError(f"{path}: not a Python file; an adapter's name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _no_setup(device: str, _: str) -> None:
    if device != "cpu":
        raise AdapterError(f"this adapter has no setup(device, mode), so it knows no device but cpu: {device!r}")
