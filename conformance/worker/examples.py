"""Runs the statements of an example as a reader would type them, and captures what they print."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from conformance.worker.calls import message_of

MAX_CHARACTERS = 100_000
"""Of what a statement prints."""


def run_example(namespace: Mapping[str, Any], sources: Iterable[str]) -> list[dict[str, Any]]:
    """For each statement, what it ``printed``, and the ``error`` and ``message`` if it raised.

    All statements share names, at first those of the modules that the adapter imports, as ``np`` is in most examples.
    """
    names: dict[str, Any] = {name: value for name, value in namespace.items() if isinstance(value, ModuleType)}
    names["__name__"] = "__main__"
    display, sys.displayhook = sys.displayhook, sys.__displayhook__
    try:
        return [_run(source, names) for source in sources]
    finally:
        sys.displayhook = display


def _run(source: str, names: dict[str, Any]) -> dict[str, Any]:
    output = io.StringIO()
    raised: dict[str, Any] = {}
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(source, "<example>", "single"), names)  # noqa: S102 # what it is for
        except (Exception, SystemExit) as error:
            raised = {"error": type(error).__name__, "message": message_of(error)}
    return {"printed": output.getvalue()[:MAX_CHARACTERS], **raised}
