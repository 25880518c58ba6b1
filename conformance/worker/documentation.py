"""The documentation that a framework ships: the ``__doc__`` of the objects that dotted names refer to, and its examples.

The statements of an example are run as a reader would type them, and what they print is captured.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from conformance.worker.calls import message_of

MAX_CHARACTERS = 200_000
"""A longer text is not documentation of a function; the longest of a tested framework has 13,000 characters."""
MAX_PRINTED = 100_000
"""Characters of what a statement of an example prints."""
_HINT = "if another object carries its documentation, name that object by documentation= in @api"


class NoDocumentation(Exception):
    """An object that does not exist, or has no readable documentation; the message says which and why."""


def documentation(namespace: Mapping[str, Any], names: Iterable[str]) -> dict[str, dict[str, str]]:
    """By name, the ``text`` of the documentation, or the ``problem`` that it has.

    namespace: the names that the adapter's file defines, where the first part of a name is looked up first.
    """
    return {name: _entry(namespace, name) for name in names}


def _entry(namespace: Mapping[str, Any], name: str) -> dict[str, str]:
    try:
        return {"text": _text(resolved(namespace, name), name)}
    except NoDocumentation as problem:
        return {"problem": str(problem)}
    except Exception as error:  # a framework's attributes may be computed
        return {"problem": f"{name}: looking it up raised {type(error).__name__}: {error}"}


def resolved(namespace: Mapping[str, Any], name: str) -> Any:
    """The object of a dotted name; modules on the way are imported. NoDocumentation if there is none."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        raise NoDocumentation(f"{name}: not a dotted name, so it refers to no object; {_HINT}")
    value = namespace[parts[0]] if parts[0] in namespace else _imported(parts[0], name)
    for index, part in enumerate(parts[1:], 1):
        if hasattr(value, part):
            value = getattr(value, part)
        elif isinstance(value, ModuleType):
            value = _imported(f"{value.__name__}.{part}", name)
        else:
            raise NoDocumentation(f"{name}: {'.'.join(parts[:index])} has no attribute {part!r}; {_HINT}")
    return value


def _imported(module: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NoDocumentation(f"{name}: {error}; {_HINT}") from None


def _text(value: Any, name: str) -> str:
    text = getattr(value, "__doc__", None)
    if text is None:
        raise NoDocumentation(f"{name}: has no documentation; {_HINT}")
    if not isinstance(text, str):
        raise NoDocumentation(f"{name}: its __doc__ is {type(text).__name__}, not text; {_HINT}")
    if len(text) > MAX_CHARACTERS:
        raise NoDocumentation(
            f"{name}: its documentation has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read"
        )
    return str(text)


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
    return {"printed": output.getvalue()[:MAX_PRINTED], **raised}
