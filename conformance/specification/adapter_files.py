"""Check the file of an adapter without importing its framework."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conformance.files import read_regular
from conformance.specification.dtypes import INTEGERS, NAMES
from conformance.specification.model import Catalogue, Operation
from conformance.specification.problems import Location, Problem, display_path, nearest

KEYWORDS = (
    *("operation", "composed", "in_place", "follows", "index_dtypes", "dtypes", "helpers", "devices", "documentation"),
    "exists",
)
"""The keywords of ``@api``."""
INDEX_DTYPES = "INDEX_DTYPES"
"""What a file may define for all its APIs."""


def check_adapter(path: Path, catalogue: Catalogue, advice: str = "") -> list[Problem]:
    """Return the problems in an adapter's source.

    advice: a sentence about operations that the catalogue lacks.
    """
    try:
        tree = ast.parse(read_regular(path), filename=str(path))
    except OSError as error:
        return [Problem(Location(display_path(path)), f"cannot be read: {error.strerror}")]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        return [Problem(Location(display_path(path), line), f"not Python: {getattr(error, 'msg', error)}")]
    if not any(_api_calls(function) for function in _functions(tree)):
        return [Problem(Location(display_path(path)), "no function is marked with @api(name, operation=...)")]
    return _mapping_problems(path, tree, catalogue, advice)


def mapping_problems(path: Path, catalogue: Catalogue, advice: str = "") -> list[Problem]:
    """Return the problems of the functions under ``@api``, as ``check_adapter``; starting the adapter reports anything else."""
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except (OSError, SyntaxError, ValueError):
        return []
    return _mapping_problems(path, tree, catalogue, advice)


def _mapping_problems(path: Path, tree: ast.Module, catalogue: Catalogue, advice: str) -> list[Problem]:
    return [
        *(
            Problem(Location(display_path(path), node.lineno), message)
            for node in tree.body
            if isinstance(node, ast.Assign) and any(_names(target, INDEX_DTYPES) for target in node.targets)
            for message in _dtype_problems(INDEX_DTYPES, node.value, INTEGERS, " = ")
        ),
        *(
            Problem(Location(display_path(path), line), message)
            for function in _functions(tree)
            for call in _api_calls(function)
            for line, message in _problems(function, call, catalogue, advice)
        ),
    ]


def api_names(path: Path) -> list[str]:
    """Return the names of the APIs in an adapter's source; empty if it cannot be parsed."""
    return [name for name, _ in api_operations(path)]


def api_operations(path: Path) -> list[tuple[str, str]]:
    """Return the names of the APIs in an adapter's source with their operations; empty if it cannot be parsed."""
    try:
        tree = ast.parse(read_regular(path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    calls = [call for function in _functions(tree) for call in _api_calls(function) if call.args]
    operations = [{word.arg: _constant(word.value) for word in call.keywords}.get("operation") for call in calls]
    pairs = zip((_constant(call.args[0]) for call in calls), operations, strict=True)
    return [(name, str(operation)) for name, operation in pairs if isinstance(name, str)]


def mapped_operations(path: Path) -> frozenset[str] | None:
    """The operations that an adapter's source maps; None if it may map others, which only running it shows."""
    try:
        tree = ast.parse(read_regular(path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = [*ast.walk(tree)]
    pairs = api_operations(path)
    if not pairs or sum(map(_names_api, nodes)) != len(pairs) or any(map(_brings_functions, nodes)):
        return None
    return frozenset(operation for _, operation in pairs)


def _names_api(node: ast.AST) -> bool:
    """Whether it is a use of ``api``, whatever for."""
    return (isinstance(node, ast.Name) and node.id == "api") or (isinstance(node, ast.Attribute) and node.attr == "api")


def _brings_functions(node: ast.AST) -> bool:
    """Whether it may import functions that another file maps."""
    if not isinstance(node, ast.ImportFrom):
        return False
    if node.module in ("conformance.adapter", "conformance.worker.forms"):
        return any(alias.asname for alias in node.names)
    return node.level > 0 or str(node.module).partition(".")[0] not in {*sys.stdlib_module_names, "numpy"}


def defined_names(path: Path) -> frozenset[str]:
    """The names of the functions and values that an adapter's source defines; empty if it cannot be parsed."""
    try:
        tree = ast.parse(read_regular(path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    assigned = (target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets)
    names = (target.id for target in assigned if isinstance(target, ast.Name))
    return frozenset((*names, *(function.name for function in _functions(tree))))


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _api_calls(function: ast.FunctionDef) -> list[ast.Call]:
    return [
        call
        for call in function.decorator_list
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "api"
    ]


def _problems(
    function: ast.FunctionDef, call: ast.Call, catalogue: Catalogue, advice: str
) -> Iterator[tuple[int, str]]:
    """The line and message of each problem of a function with a call of ``@api``."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    name = _constant(call.args[0]) if call.args else None
    if not isinstance(name, str):
        yield call.lineno, f"{function.name}: @api needs the API's name first: @api('torch.gather', operation=...)"
        return
    yield from ((call.lineno, f"{name}: {problem}") for problem in _keyword_problems(keywords))
    operation_name = _constant(keywords.get("operation"))
    if not isinstance(operation_name, str):
        yield call.lineno, f"{name}: @api needs the operation's name in quotes: @api({name!r}, operation='gather_nd')"
        return
    operation = catalogue.operations.get(operation_name)
    if operation is None:
        if not catalogue.gaps.files:
            hint = nearest(operation_name, catalogue.operations)
            more = f"{'' if hint.endswith('?') else '.'} {advice}" if advice else ""
            yield call.lineno, f"{name}: undefined operation {operation_name!r}{hint}{more}"
        return
    yield from _argument_problems(name, function, operation)
    in_place = _constant(keywords.get("in_place"))
    if in_place is not None and in_place not in operation.arguments:
        hint = nearest(str(in_place), operation.arguments)
        yield call.lineno, f"{name}: in_place: no such argument: {in_place!r}{hint}"
    yield from _helper_problems(name, keywords.get("helpers"), operation)
    follows = _constant(keywords.get("follows"))
    described = {api for document in catalogue.documents.values() for api in document.describes}
    if follows is not None and follows not in described and not catalogue.gaps.files:
        hint = nearest(str(follows), described)
        yield call.lineno, f"{name}: follows: no document describes {follows!r}{hint}"
    if _only_unsupported(function):
        yield function.lineno, f"{name}: always raises Unsupported; remove the function instead"


def _keyword_problems(keywords: Mapping[str | None, ast.expr]) -> Iterator[str]:
    """What is wrong with the keywords of ``@api``, whatever the operation is."""
    for keyword in keywords:
        if keyword is not None and keyword not in KEYWORDS:
            yield f"unknown keyword {keyword!r} of @api{nearest(keyword, KEYWORDS)}"
    for keyword, allowed in (("dtypes", NAMES), ("index_dtypes", INTEGERS)):
        yield from _dtype_problems(keyword, keywords.get(keyword), allowed, "=")


def _dtype_problems(name: str, value: ast.expr | None, allowed: Sequence[str], equals: str) -> Iterator[str]:
    """What is wrong with a list of dtypes, as far as the source shows it."""
    if isinstance(value, ast.Constant) and value.value:
        yield f"{name} is a list; write {name}{equals}({value.value!r},)"
    for element in value.elts if isinstance(value, ast.Tuple | ast.List) else ():
        dtype = _constant(element)
        if dtype is not None and dtype not in allowed:
            yield f"{name}: undefined dtype {dtype!r}{nearest(str(dtype), allowed)}"


def _helper_problems(name: str, helpers: ast.expr | None, operation: Operation) -> Iterator[tuple[int, str]]:
    for key in helpers.keys if isinstance(helpers, ast.Dict) else ():
        argument, _, _ = str(_constant(key)).partition(".")
        if key is not None and argument not in operation.arguments:
            hint = nearest(argument, operation.arguments)
            yield key.lineno, f"{name}: helpers: no such argument: {argument!r}{hint}"


def _argument_problems(name: str, function: ast.FunctionDef, operation: Operation) -> Iterator[tuple[int, str]]:
    signature = function.args
    parameters = [parameter.arg for parameter in (*signature.posonlyargs, *signature.args, *signature.kwonlyargs)]
    if signature.kwarg is None:
        for argument in [argument for argument in operation.arguments if argument not in parameters]:
            problem = f"does not take {operation.name}'s argument {argument!r}; it takes {', '.join(parameters)}"
            yield function.lineno, f"{name}: {problem}"
    for parameter in [parameter for parameter in parameters if parameter not in operation.arguments]:
        hint = nearest(parameter, operation.arguments)
        yield function.lineno, f"{name}: takes {parameter!r}, which is not an argument of {operation.name}{hint}"


def _only_unsupported(function: ast.FunctionDef) -> bool:
    """Whether the body is only ``raise Unsupported(...)``, apart from a docstring."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or body[0].exc is None:
        return False
    raised = body[0].exc
    return ast.unparse(raised.func if isinstance(raised, ast.Call) else raised).rpartition(".")[2] == "Unsupported"


def _names(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
