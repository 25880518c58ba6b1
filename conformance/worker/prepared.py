"""Functions prepared by an adapter: compiled once for each API and its bound arguments."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Optional

from conformance.adapter import Api
from conformance.worker.arrays import Tensor

Prepare = Callable[[Any, str], Callable[..., Any]]
MAX_FUNCTIONS = 512
"""Functions to keep; beyond that, the least recently called are discarded."""


class PreparedFunctions:
    """A cache of functions returned by ``prepare``, so that a compiled function can serve several shapes and dtypes.

    Arguments that are not tensors are bound first, with ``functools.partial``: a shape or an axis is then a constant of
    the compiled function. In a mode that compiles nothing, ``prepare`` returns its argument and is not called again.
    A call may bind tensors too, or leave a number or a shape to the compiled function.
    """

    def __init__(self, prepare: Prepare, mode: str, prepare_together: Optional[Prepare] = None) -> None:
        """prepare_together: as ``prepare``, for functions of several results; by default the same."""
        self._prepare = prepare
        self._prepare_together = prepare_together or prepare
        self._mode = mode
        self._compiles = True
        self._functions: OrderedDict[tuple[str, str, str], Callable[..., Any]] = OrderedDict()

    def call(
        self, api: Api, arguments: dict[str, Any], tensors: Mapping[str, Tensor], passed: Mapping[str, str]
    ) -> Any:
        """Call an API with these arguments, of which ``tensors`` has those that are tensors; passed: as in ``Manner``."""
        if not (self._compiles or passed):
            return api.function(**arguments)
        free = {
            name for name in arguments if passed.get(name, "argument" if name in tensors else "constant") == "argument"
        }
        bound = {name: value for name, value in arguments.items() if name not in free}
        constants = {name: tensors[name] for name in bound if name in tensors}
        function = self._function(api, bound, constants)
        return function(**{name: value for name, value in arguments.items() if name in free})

    def together(self, function: Any) -> Callable[..., Any]:
        """A function of several results as the mode compiles it, which is not kept."""
        return self._prepare_together(function, self._mode)

    def recompile(self) -> bool:
        """Discard all functions, so that they are compiled again; return False if there were none."""
        had_compiled = bool(self._functions) and self._compiles
        self._functions.clear()
        return had_compiled

    def _function(self, api: Api, bound: dict[str, Any], constants: Mapping[str, Tensor]) -> Callable[..., Any]:
        plain = {name: value for name, value in bound.items() if name not in constants}
        data = {name: (dtype, array.shape, array.tobytes()) for name, (array, dtype) in constants.items()}
        key = (api.name, api.operation, repr((plain, data)))
        if key not in self._functions:
            function = partial(api.function, **bound)
            prepared = self._prepare(function, self._mode)
            if not constants:  # of which a mode that compiles nothing else may make a model
                self._compiles = prepared is not function
            self._functions[key] = prepared
            if len(self._functions) > MAX_FUNCTIONS:
                self._functions.popitem(last=False)
        self._functions.move_to_end(key)
        return self._functions[key]
