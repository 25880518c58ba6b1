"""Functions that the programs of claims may use without defining them.

A program that uses one gets its definition, so that it runs wherever it is printed: in any interpreter of a framework, without
this package.
"""

from __future__ import annotations

import ast

HELPERS = {
    "refuses": '''\
def refuses(error, call):
    """Whether a call raises this error, or one of these."""
    try:
        call()
    except error:
        return True
    return False
''',
    "same": '''\
def same(*values):
    """Whether all tensors and lists have the same elements."""

    def elements(value):
        for convert in ("asnumpy", "numpy", "tolist"):
            value = getattr(value, convert)() if hasattr(value, convert) else value
        return value

    first, *others = map(elements, values)
    return all(first == other for other in others)
''',
}
"""By name, the definition in Python 3.9."""


def with_helpers(program: str) -> str:
    """A program below the definitions of the helpers that it uses; one that is not Python stays as it is."""
    if not any(name in program for name in HELPERS):  # most have none, and parsing takes longer
        return program
    try:
        nodes = list(ast.walk(ast.parse(program)))
    except (SyntaxError, ValueError):
        return program
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return "\n".join([*(text for name, text in HELPERS.items() if name in used), program])


def defined_again(tree: ast.AST) -> str | None:
    """A helper that a program gives another meaning; None if there is none."""
    return next((name for name in map(_given_name, ast.walk(tree)) if name in HELPERS), None)


def _given_name(node: ast.AST) -> str | None:
    """The name to which a part of a program gives a meaning."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    return node.arg if isinstance(node, ast.arg) else None
