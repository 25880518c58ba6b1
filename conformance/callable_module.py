"""Makes a package callable, where a public function of ``conformance`` has the name of a package of the suite."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

FUNCTIONS = {"conformance.cases": "conformance.api.own_tests"}
"""Each such package, and the module with the function."""


class _CallableModule(ModuleType):
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        module = importlib.import_module(FUNCTIONS[self.__name__])
        return getattr(module, self.__name__.rpartition(".")[2])(*arguments, **keywords)


def make_callable(name: str) -> None:
    """Make the package of this name callable; it stays a package."""
    sys.modules[name].__class__ = _CallableModule
