"""Which examples of a text print random numbers: what they draw, and what they make of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from conformance.documentation.examples import Example

_DRAWING = frozenset({
    *("rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "random_sample", "random_"),
    *("normal", "normal_", "uniform", "uniform_", "bernoulli", "multinomial", "poisson", "exponential", "gamma"),
    *("standard_normal", "StandardNormal", "StandardLaplace", "UniformReal", "UniformInt", "truncated_normal"),
    *("permutation", "shuffle", "choice", "integers"),
})  # fmt: skip
"""The last parts of the names of functions that draw random numbers."""
_SEEDING = frozenset({"seed", "manual_seed", "set_seed", "key", "PRNGKey", "default_rng", "RandomState", "Generator"})
"""Those of functions after which the same numbers are drawn each time, as the text shows them. Without a number, the
last of them draw others each time."""


def random_examples(examples: Sequence[Example]) -> list[bool]:
    """Of each example of a text, whether a statement of it has numbers that are drawn anew each time."""
    names: set[str] = set()
    is_seeded = False
    random = []
    for example in examples:
        has_drawn = False
        for statement in example.statements:
            tree = _parsed(statement.source)
            called = {name: bool(call.args or call.keywords) for call, name in _calls(tree)}
            is_seeded = is_seeded or any(called.get(name, False) for name in _SEEDING)
            loaded = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            draws = not is_seeded and not _DRAWING.isdisjoint(called)
            if draws or not names.isdisjoint(loaded):
                has_drawn = True
                names |= _changed(tree)
        random.append(has_drawn)
    return random


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            yield node, node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id


def _changed(tree: ast.Module) -> set[str]:
    """The names that a statement assigns, and the variable whose method it calls alone, which may change it in place."""
    return {*_assigned(ast.walk(tree)), *(name for node in tree.body for name in _changed_in_place(node))}


def _assigned(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            yield node.value.id


def _changed_in_place(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        root = node.value.func.value
        if isinstance(root, ast.Name) and node.value.func.attr.endswith("_"):
            yield root.id
