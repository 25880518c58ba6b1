"""Modules of generated text, whose source frameworks and tracebacks can read as that of any other module."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any


def define(name: str, text: str, names: Mapping[str, Any]) -> ModuleType:
    """Run a text as a new module of this name. names: what is defined in it before."""
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(names)
    file = file_of(name)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), vars(module))  # noqa: S102 # a text of the suite
    return module


def file_of(name: str) -> str:
    """What stands for the file of such a module, in tracebacks and code objects."""
    return f"<{name}>"


def forget(name: str) -> None:
    """Take a module back, with its source."""
    sys.modules.pop(name, None)
    linecache.cache.pop(file_of(name), None)
