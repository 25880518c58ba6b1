"""Load an adapter's file: its APIs and its optional hooks, with their defaults."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import operator
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Optional, Union

import numpy as np

from conformance.adapter import BACKEND, PRELOAD, REPLACES, Abstract, Api, apis_of
from conformance.worker.arrays import BITS_OF, FLOAT8, Tensor, holds, name_of
from conformance.worker.conversions import Conversions
from conformance.worker.keys import with_keys_of
from conformance.worker.manner import PLAIN
from conformance.worker.prepared import PreparedFunctions
from conformance.worker.programs import within

_MODULE = "conformance_adapter_under_test"
_INSTALLED = {"site-packages", "dist-packages"}
"""Names of folders of installed packages."""


class AdapterError(Exception):
    """An error of the adapter, not of the framework: it maps no API, or returned a value that is not an array."""


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
    """None if it has no ``prepare``."""
    intermediate: Optional[PreparedFunctions] = None
    """What a path has exported, run by something else; None if it has no such hook."""
    device: str = "cpu"
    """The kind of the device on which it runs, without a number."""
    mode: Optional[str] = None
    """The execution mode; None if its functions are called outside a run."""
    namespace: Mapping[str, Any] = field(default_factory=dict)
    """The names that its file defines."""

    def api(self, name: str, operation: str) -> Api:
        """Return the API of this name for the operation; raise AdapterError if there is none."""
        entry = self._by_name.get((name, operation))
        if entry is None:
            raise AdapterError(f"{self.path}: no function is marked @api({name!r}, operation={operation!r})")
        return entry

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Api]:
        return {(entry.name, entry.operation): entry for entry in self.apis}

    def call(
        self,
        api: Api,
        arguments: dict[str, Any],
        tensors: Mapping[str, Tensor],
        passed: Mapping[str, str] = PLAIN.passed,
    ) -> Any:
        """Call an API with native arguments and return its native result.

        tensors: those among the arguments, in host memory. passed: as in ``Manner``.
        """
        if self.prepared is None:
            return api.function(**arguments)
        return self.prepared.call(api, arguments, tensors, passed)

    def lacks_kernel(self, api: Api) -> bool:
        """Whether the framework has no kernel for an API on this kind of device in this mode, according to the adapter."""
        return bool(api.devices) and not {self.device, f"{self.device}[{self.mode}]"}.intersection(api.devices)

    def around(self, api: Api, program: str) -> Api:
        """An API with a program around it, which calls others only if they have a kernel here."""
        others = [with_keys_of(api, other) for other in self.apis if not self.lacks_kernel(other)]
        return within(api, others, self.namespace, program, compiles=self.prepared is not None)

    def on(self, device: str) -> "Adapter":
        """This adapter on a device, such as ``cuda:1``."""
        kind = device.partition(":")[0]
        return self if kind == self.device else replace(self, device=kind)

    def recompile(self) -> bool:
        """Discard compiled functions, so that they are compiled again; return False if there were none."""
        return self.prepared is not None and self.prepared.recompile()

    def host_result(self, value: Any) -> Union[Tensor, Abstract]:
        """Return a native result in host memory, or its shape and dtype if it has no values.

        Raise AdapterError if it is not an array.
        """
        array = self.to_numpy(value)
        if not isinstance(array, Abstract):
            return self._tensor(array)
        shape = tuple(map(operator.index, array.shape))
        return Abstract(shape, str(array.dtype))

    def host_value(self, value: Any) -> Tensor:
        """Return a native value as an array in host memory with its dtype; raise AdapterError if it is not an array."""
        return self._tensor(self.to_numpy(value))

    def can_create_tensors(self) -> bool:
        """Whether a tensor can be created and read."""
        try:
            self.to_numpy(self.to_native(np.ones(1, np.float32), "float32"))
        except Exception:
            return False
        return True

    def has_lost_device(self) -> bool:
        """Whether an error has made the device unusable for this process; a CPU remains usable."""
        return self.device != "cpu" and not self.can_create_tensors()

    @cached_property
    def conversions(self) -> Conversions:
        """Its conversions, which are tried before they are believed."""
        return Conversions(self.to_native, self.host_result, self.namespace.get("address"))

    def _tensor(self, array: Any) -> Tensor:
        if isinstance(array, tuple) and len(array) == 2 and isinstance(array[0], np.ndarray):
            return self._checked(array[0], str(array[1]))
        if not isinstance(array, (np.ndarray, np.generic)):
            raise AdapterError(
                f"{self.path}: an API returned {type(array).__name__} instead of an array; "
                "return a NumPy array, or define to_numpy(value)"
            )
        array = np.asarray(array)
        return self._checked(array, name_of(array.dtype))

    def _checked(self, array: np.ndarray, dtype: str) -> Tensor:
        if not holds(array.dtype, dtype):
            raise AdapterError(
                f"{self.path}: an API returned an array of dtype {array.dtype} as {dtype!r} instead of an array of "
                "numbers with the name of its dtype; convert it in to_numpy(value)"
            )
        return array, dtype


def load(path: str, mode: Optional[str] = None) -> Adapter:
    """Import an adapter's file under a private module name; its folder is not added to the import path.

    mode: the execution mode for ``prepare``; if None, functions are not prepared.
    """
    module = _import(path)
    try:
        apis = apis_of(vars(module))
    except (TypeError, ValueError) as error:
        raise AdapterError(f"{path}: {error}") from error
    if not apis:
        raise AdapterError(f"{path}: no function is marked with @api; see docs/adapters.md for an example")
    names = ("prepare", "intermediate", "prepare_together")
    prepare, intermediate, prepare_together = (getattr(module, name, None) for name in names)
    return Adapter(
        path,
        apis,
        getattr(module, "describe", dict),
        _with_backend(getattr(module, "setup", _no_setup), path),
        _without_unnamed(getattr(module, "to_native", _numpy_array), getattr(module, "describe", dict)),
        getattr(module, "to_numpy", lambda value: value),
        PreparedFunctions(prepare, mode, prepare_together) if prepare and mode is not None else None,
        PreparedFunctions(intermediate, mode) if intermediate and mode is not None else None,
        mode=mode,
        namespace=vars(module),
    )


def _with_backend(setup: Callable[..., Any], path: str) -> Callable[[str, str], Any]:
    """``setup``, which also gets the backend that the target.toml names; AdapterError if it takes none."""
    backend = os.environ.get(BACKEND)
    if not backend:
        return setup
    if "backend" not in inspect.signature(setup).parameters:
        raise AdapterError(
            f"{path}: backend = {backend!r} in target.toml, but the adapter chooses none; expected setup(device, mode, backend)"
        )
    return lambda device, mode: setup(device, mode, backend)


def source_of(api: Api) -> str:
    """Return the source of the adapter's function for an API; empty if it has none."""
    try:
        return inspect.getsource(api.function)
    except (OSError, TypeError):
        return ""


def own_modules(adapter: Adapter) -> dict[str, str]:
    """By name, the files of the loaded modules that belong to the adapter.

    These are all but those of the standard library, installed packages and the worker; in the adapter's folder, all but
    the worker, whose folder for temporary files may lie there.
    """
    own = f"{Path(adapter.path).absolute().parent}{os.sep}"
    library, worker = (f"{folder}{os.sep}" for folder in (Path(os.__file__).parent, Path(__file__).parent.parent))
    modules = {}
    program = getattr(sys.modules.get("__main__"), "__file__", None)  # which multiprocessing imports as __mp_main__ too
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if not isinstance(file, str) or name == _MODULE or file == program or file.startswith(worker):
            continue
        is_installed = file.startswith(library) or not _INSTALLED.isdisjoint(Path(file).parts)
        if file.startswith(own) or not is_installed:
            modules[str(name)] = file
    return modules


class _Compiled(SourceFileLoader):
    """Compiles the file each time: to Python's cache, an edit in the same second that keeps the size is none."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the signature of the loader
        return self.source_to_code(self.get_data(self.path), self.path)


def _import(path: str) -> ModuleType:
    loader = _Compiled(_MODULE, path) if path.endswith(".py") else None
    spec = importlib.util.spec_from_file_location(_MODULE, path, loader=loader)
    if spec is None or spec.loader is None:
        raise AdapterError(f"{path}: not a Python file; expected a name ending in .py")
    for pair in os.environ.get(REPLACES, "").split():
        name, _, other = pair.partition("=")
        sys.modules[name] = importlib.import_module(other)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    exec(os.environ.get(PRELOAD, ""), {})  # noqa: S102 - the target.toml's own code
    return module


def _without_unnamed(
    to_native: Callable[[Any, str], Any], describe: Callable[[], dict[str, Any]]
) -> Callable[[Any, str], Any]:
    """``to_native``, asked for float8 only if ``describe`` names it: others might take its bits for integers."""

    def converted(array: np.ndarray, dtype: str) -> Any:
        if dtype in FLOAT8 and dtype not in describe().get("dtypes", ()):
            raise TypeError(f"the adapter does not name {dtype} under dtypes in describe()")
        return to_native(array, dtype)

    return converted


def _numpy_array(array: np.ndarray, dtype: str) -> np.ndarray:
    if dtype in BITS_OF:
        raise TypeError(f"NumPy has no {dtype}; define to_native(array, dtype) and to_numpy(value) to convert its bits")
    return array


def _no_setup(device: str, _: str) -> None:
    if device != "cpu":
        raise AdapterError(f"this adapter has no setup(device, mode) and only supports cpu, not {device!r}")
