"""Functions made ready by an adapter's ``prepare``: compiled once for each API and what its call binds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from conformance.adapter import Api

Prepare = Callable[[Any, str], Callable[..., Any]]
MOST = 512
"""Functions that are kept; of more, those go that were not called for the longest time."""


class PreparedFunctions:
    """What ``prepare`` made, so that one compiled function serves every shape and dtype that the framework lets it.

    Arguments that are no tensors are bound first, with ``functools.partial``: a shape or an axis is then a constant of
    what is compiled. In a mode that compiles nothing, ``prepare`` gives back what it was given, and is asked no more.
    """

    def __init__(self, prepare: Prepare, mode: str) -> None:
        self._prepare = prepare
        self._mode = mode
        self._compiles = True
        self._kept: OrderedDict[tuple[str, str, str], Callable[..., Any]] = OrderedDict()

    def call(self, api: Api, arguments: dict[str, Any], tensors: Collection[str]) -> Any:
        """What the API gives for these arguments, of which those named in ``tensors`` are tensors."""
        if not self._compiles:
            return api.function(**arguments)
        bound = {name: value for name, value in arguments.items() if name not in tensors}
        function = self._function(api, bound)
        return function(**{name: value for name, value in arguments.items() if name in tensors})

    def recompile(self) -> bool:
        """Forget every function, so that the next calls compile theirs anew; False where there was none."""
        kept = bool(self._kept) and self._compiles
        self._kept.clear()
        return kept

    def _function(self, api: Api, bound: dict[str, Any]) -> Callable[..., Any]:
        key = (api.name, api.operation, repr(bound))
        if key not in self._kept:
            given = partial(api.function, **bound)
            made = self._prepare(given, self._mode)
            self._compiles = made is not given
            self._kept[key] = made
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]
