"""An adapter's file as the worker sees it: its APIs and its optional hooks, with their defaults."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Optional, Union

import numpy as np

from conformance.adapter import Abstract, Api, apis_of
from conformance.worker.arrays import Tensor, name_of
from conformance.worker.prepared import PreparedFunctions


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
    prepared: Optional[PreparedFunctions] = None
    """None where it has no ``prepare``."""

    def api(self, name: str, operation: str) -> Api:
        """The API of this name that stands for the operation; AdapterError where there is none."""
        for entry in self.apis:
            if (entry.name, entry.operation) == (name, operation):
                return entry
        raise AdapterError(f"{self.path}: no function is marked @api({name!r}, operation={operation!r})")

    def call(self, api: Api, arguments: dict[str, Any], tensors: Collection[str]) -> Any:
        """What an API gives for native arguments, of which those named in ``tensors`` are tensors."""
        if self.prepared is None:
            return api.function(**arguments)
        return self.prepared.call(api, arguments, tensors)

    def recompile(self) -> bool:
        """Forget what was compiled, so that it is compiled anew; False where nothing was."""
        return self.prepared is not None and self.prepared.recompile()

    def host_result(self, value: Any) -> Union[Tensor, Abstract]:
        """A native result in host memory, or what is known of it where it has no values; AdapterError as below."""
        array = self.to_numpy(value)
        return array if isinstance(array, Abstract) else self._tensor(array)

    def host_value(self, value: Any) -> Tensor:
        """A native result as an array and the name of its dtype, in host memory; AdapterError where it is none."""
        return self._tensor(self.to_numpy(value))

    def takes_tensors(self) -> bool:
        """Whether a tensor can still be made and read: an error may have lost the device for the whole process."""
        try:
            self.to_numpy(self.to_native(np.ones(1, np.float32), "float32"))
        except Exception:
            return False
        return True

    def _tensor(self, array: Any) -> Tensor:
        if isinstance(array, tuple) and len(array) == 2 and isinstance(array[0], np.ndarray):
            return array[0], str(array[1])
        if not isinstance(array, (np.ndarray, np.generic)):
            raise AdapterError(
                f"{self.path}: an API gave back {type(array).__name__}, which is no array; "
                "return a NumPy array, or define to_numpy(value)"
            )
        array = np.asarray(array)
        return array, name_of(array.dtype)


def load(path: str, mode: Optional[str] = None) -> Adapter:
    """Import an adapter's file under a name of its own; its folder never goes on the import path.

    mode: what ``prepare`` is told; without one functions are called as they stand.
    """
    module = _import(path)
    apis = apis_of(vars(module))
    if not apis:
        raise AdapterError(f"{path}: no function is marked with @api; see docs/adapters.md for an example")
    prepare = getattr(module, "prepare", None)
    return Adapter(
        path,
        apis,
        getattr(module, "describe", dict),
        getattr(module, "setup", _no_setup),
        getattr(module, "to_native", lambda array, _: array),
        getattr(module, "to_numpy", lambda value: value),
        PreparedFunctions(prepare, mode) if prepare and mode is not None else None,
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
