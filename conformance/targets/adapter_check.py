"""An adapter's file, checked without importing its framework."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from conformance.specification.model import Catalogue, Operation
from conformance.specification.problems import Location, Problem, display_path, nearest


def check_adapter(path: Path, catalogue: Catalogue) -> list[Problem]:
    """Everything that can be seen to be wrong with an adapter's text."""
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except OSError as error:
        return [Problem(Location(display_path(path)), f"cannot be read: {error.strerror}")]
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        return [Problem(Location(display_path(path), line), f"not Python: {getattr(error, 'msg', error)}")]
    mapped = [(function, call) for function in _functions(tree) for call in _api_calls(function)]
    if not mapped:
        return [Problem(Location(display_path(path)), "no function is marked with @api(name, operation=...)")]
    return [
        Problem(Location(display_path(path), line), message)
        for function, call in mapped
        for line, message in _problems(function, call, catalogue)
    ]


def api_names(path: Path) -> list[str]:
    """The APIs that a file maps, as far as its text tells; none where it cannot be read."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    calls = [call for function in _functions(tree) for call in _api_calls(function) if call.args]
    return [name for call in calls if isinstance(name := _constant(call.args[0]), str)]


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _api_calls(function: ast.FunctionDef) -> list[ast.Call]:
    return [
        call
        for call in function.decorator_list
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "api"
    ]


def _problems(function: ast.FunctionDef, call: ast.Call, catalogue: Catalogue) -> Iterator[tuple[int, str]]:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    name = _constant(call.args[0]) if call.args else None
    if not isinstance(name, str):
        yield (
            call.lineno,
            f"{function.name}: @api needs the API's name first, as @api('torch.gather', operation=...)",
        )
        return
    operation = str(_constant(given.get("operation")))
    if operation not in catalogue.operations:
        if not catalogue.gaps.files:
            yield (
                call.lineno,
                f"{name}: undefined operation {operation!r}{nearest(operation, catalogue.operations)}",
            )
        return
    found = catalogue.operations[operation]
    yield from _argument_problems(name, function, found)
    in_place = _constant(given.get("in_place"))
    if in_place is not None and in_place not in found.arguments:
        yield (
            call.lineno,
            f"{name}: in_place names no argument: {in_place!r}{nearest(str(in_place), found.arguments)}",
        )
    follows = _constant(given.get("follows"))
    described = {api for document in catalogue.documents.values() for api in document.describes}
    if follows is not None and follows not in described and not catalogue.gaps.files:
        yield (
            call.lineno,
            f"{name}: follows an API that no document describes: {follows!r}{nearest(str(follows), described)}",
        )
    if _only_unsupported(function):
        yield (
            function.lineno,
            f"{name}: raises Unsupported whatever it is given; an API without the operation is left out",
        )


def _argument_problems(name: str, function: ast.FunctionDef, operation: Operation) -> Iterator[tuple[int, str]]:
    taken = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    if function.args.kwarg is None:
        for missing in [one for one in operation.arguments if one not in taken]:
            yield (
                function.lineno,
                f"{name}: does not take {operation.name}'s argument {missing!r}; it takes {', '.join(taken)}",
            )
    for unknown in [one for one in taken if one not in operation.arguments]:
        yield (
            function.lineno,
            f"{name}: takes {unknown!r}, which {operation.name} has not{nearest(unknown, operation.arguments)}",
        )


def _only_unsupported(function: ast.FunctionDef) -> bool:
    """Whether the body is nothing but ``raise Unsupported(...)``, a docstring aside."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or body[0].exc is None:
        return False
    raised = body[0].exc
    return ast.unparse(raised.func if isinstance(raised, ast.Call) else raised).rpartition(".")[2] == "Unsupported"


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
