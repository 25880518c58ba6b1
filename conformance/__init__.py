"""A multi-framework conformance suite for scatter and gather operations.

The names in ``__all__`` are public, and docs/api.md describes them; everything else may change from release to release.
They are imported when they are used, so that ``import conformance`` takes milliseconds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from conformance.version import __version__ as __version__

if TYPE_CHECKING:
    from conformance.api.own_tests import Case, load_cases
    from conformance.api.results import Behaviour, Cause, Finding, Result, Results, Target
    from conformance.api.running import Difference, ResultChange, diff, load, run
    from conformance.app.errors import ConformanceError

_MODULES = {
    "Behaviour": "api.results",
    "Case": "api.own_tests",
    "Cause": "api.results",
    "ConformanceError": "app.errors",
    "Difference": "api.running",
    "Finding": "api.results",
    "Result": "api.results",
    "ResultChange": "api.running",
    "Results": "api.results",
    "Target": "api.results",
    "diff": "api.running",
    "load": "api.running",
    "load_cases": "api.own_tests",
    "run": "api.running",
}
"""Each public name and its module."""

__all__ = [
    "Behaviour",
    "Case",
    "Cause",
    "ConformanceError",
    "Difference",
    "Finding",
    "Result",
    "ResultChange",
    "Results",
    "Target",
    "diff",
    "load",
    "load_cases",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
