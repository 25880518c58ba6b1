"""What an adapter's code does in one mode: without the branches that are for others."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

_COMPARED = (ast.In, ast.NotIn, ast.Eq, ast.NotEq)


def other_modes(tree: ast.Module, function: ast.FunctionDef, mode: str) -> Iterator[ast.If]:
    """The statements in the body of a function with a parameter ``mode`` that do nothing in this mode.

    Their condition compares ``mode`` with texts, or with constants of the file whose texts or keys it may be among.
    """
    if "mode" not in [argument.arg for argument in function.args.args]:
        return
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in function.body:
        if isinstance(node, ast.If) and not node.orelse and _holds(node.test, mode, constants) is False:
            yield node


def _holds(test: ast.expr, mode: str, constants: Mapping[str, ast.expr]) -> bool | None:
    """Whether a condition holds in a mode; None if it depends on anything else."""
    if isinstance(test, ast.BoolOp):
        parts = [_holds(value, mode, constants) for value in test.values]
        decisive = isinstance(test.op, ast.Or)
        return decisive if decisive in parts else None if None in parts else not decisive
    if not isinstance(test, ast.Compare) or len(test.ops) > 1 or not isinstance(test.ops[0], _COMPARED):
        return None
    if not isinstance(test.left, ast.Name) or test.left.id != "mode":
        return None
    operator, [right] = test.ops[0], test.comparators
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        return None if not isinstance(right, ast.Constant) else (mode == right.value) is isinstance(operator, ast.Eq)
    values = _values(right, constants)
    return None if values is None else (mode in values) is isinstance(operator, ast.In)


def _values(node: ast.expr, constants: Mapping[str, ast.expr]) -> Sequence[object] | None:
    """What a tuple, a list or a set has, or the keys of a dict; None if that is not written out."""
    if isinstance(node, ast.Name):
        return _values(constants[node.id], constants) if node.id in constants else None
    if isinstance(node, ast.Dict):
        elements = node.keys
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        elements = list(node.elts)
    else:
        return None
    values: list[object] = []
    for element in elements:
        if isinstance(element, ast.Constant):
            values.append(element.value)
        elif isinstance(element, ast.Starred) and (more := _values(element.value, constants)) is not None:
            values += more
        else:
            return None
    return values
