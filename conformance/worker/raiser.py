"""What raised an error in a composed adapter function: the API under test, or something else that the function does.

The traceback says which expression of the adapter's file was evaluated, in Python 3.11 and later. It belongs to the API if it calls
something of the API's name, or passes it to a function. What a graph raises when it runs belongs to the API that the function calls last.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Collection, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Callable, Optional

from conformance.adapter import Api

OWN_CODE = "the adapter's own code"
COMPILED = "the compiled function as a whole"
"""What raised an error of which nobody knows which of its calls it belongs to."""
_ITEMS = ("__getitem__", "__setitem__")
_CONTAINERS = (list, tuple, dict)


def raiser(error: BaseException, api: Api, path: str, given: Collection[str]) -> Optional[str]:
    """The call that raised an error in place of an API, as it is written in the adapter; None if that is not known.

    path: that of the adapter's file. Of a function that is not composed, everything belongs to the API but a call without an
    argument that the function needs.
    """
    if isinstance(error, TypeError) and not _takes(api.function, given):
        return OWN_CODE
    if not api.composed:
        return None
    name = api.name.partition("(")[0].rpartition(".")[2]
    tree = _tree(path)
    if tree is None or (name not in _ITEMS and not any(_named(node, name) for node in ast.walk(tree))):
        return None
    inner: Optional[ast.expr] = None
    frames = list(_frames(error.__traceback__, path))
    definition = _definition(tree, api)
    if definition is not None and not any(_is_within(frame, definition) for frame, _ in frames):
        # The function has returned: what ``prepare`` made of it raised, in which no line of it can be found.
        return None if _calls_last(definition, name) else COMPILED
    for frame, index in frames:
        node = _evaluated(tree, frame, index)
        if node is not None and _performs(node, name, frame):
            return None
        inner = node or inner
    if inner is None:
        return None
    return ast.unparse(inner.func) if isinstance(inner, ast.Call) else OWN_CODE


def _takes(function: Callable[..., Any], given: Collection[str]) -> bool:
    """Whether a function can be called with arguments of these names; True if it does not say which it takes."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(**dict.fromkeys(given))
    except TypeError:
        return False
    return True


def _frames(trace: Optional[TracebackType], path: str) -> Iterator[tuple[FrameType, int]]:
    """The frames of a file, the outermost first, each with the offset of its instruction."""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            yield trace.tb_frame, trace.tb_lasti
        trace = trace.tb_next


@functools.lru_cache(maxsize=8)
def _tree(path: str) -> Optional[ast.Module]:
    try:
        return ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return None


def _evaluated(tree: ast.Module, frame: FrameType, index: int) -> Optional[ast.expr]:
    """The expression that an instruction evaluates; None if that is not known."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return None
    line, end_line, column, end_column = list(positions())[index // 2]
    if None in (line, end_line, column, end_column):
        return None
    ending = [node for node in ast.walk(tree) if isinstance(node, ast.expr) and _end(node) == (end_line, end_column)]
    exact = [node for node in ending if _start(node) == (line, column)]
    # The instruction that calls a method may begin at the name of the method, on a later line than the expression.
    around = [node for node in ending if isinstance(node, ast.Call) and _start(node) <= (line, column)]
    return exact[0] if exact else max(around, key=_start, default=None)


def _definition(tree: ast.Module, api: Api) -> Optional[ast.FunctionDef]:
    """Where an adapter's file defines the function of an API; None if that is not known."""
    code = getattr(inspect.unwrap(api.function), "__code__", None)
    if code is None:
        return None
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == code.co_name)
    return next((node for node in functions if _first(node) <= code.co_firstlineno <= node.lineno), None)


def _first(node: ast.FunctionDef) -> int:
    """Its first line, which may be that of a decorator."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _is_within(frame: FrameType, definition: ast.FunctionDef) -> bool:
    return _first(definition) <= frame.f_code.co_firstlineno <= (definition.end_lineno or definition.lineno)


def _calls_last(definition: ast.FunctionDef, name: str) -> bool:
    """Whether the last expression that a function evaluates, but for names, calls an API of this name."""
    for statement in reversed(definition.body):
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Return) and (value is None or isinstance(value, ast.Name)):
            continue
        return isinstance(value, ast.expr) and _performs(value, name, None)
    return False


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[Optional[int], Optional[int]]:
    return node.end_lineno, node.end_col_offset


def _performs(node: ast.expr, name: str, frame: Optional[FrameType]) -> bool:
    """Whether an expression calls an API of this name, or passes it to a function; frame: in which it is evaluated, if that is known."""
    if isinstance(node, ast.Subscript):
        is_container = isinstance(node.value, ast.Name) and isinstance(_value(node.value, frame), _CONTAINERS)
        return (name in _ITEMS and not is_container) or any(_named(part, name) for part in _chain(node))
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Name) and getattr(_value(called, frame), "__name__", None) == name:
        return True
    return any(_named(part, name) for part in (*_chain(called), *node.args))


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """``x.at[i].set``, ``x.at[i]``, ``x.at`` and ``x`` for the first of them, also if it is ``getattr(x.at[i], word)``."""
    yield node
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        yield from _chain(node.value)
    elif isinstance(node, ast.Call):
        is_getattr = isinstance(node.func, ast.Name) and node.func.id == "getattr" and bool(node.args)
        yield from _chain(node.args[0] if is_getattr else node.func)


def _named(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == name
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Constant) and node.value == name)


def _value(node: ast.Name, frame: Optional[FrameType]) -> Any:
    return None if frame is None else frame.f_locals.get(node.id, frame.f_globals.get(node.id))
