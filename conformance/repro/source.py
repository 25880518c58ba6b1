"""What an adapter does for one call, as code that stands without the suite: the call itself, and what it needs."""

from __future__ import annotations

import ast
import builtins
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.repro.folding import folded, substituted

_OURS = "conformance"
_USUAL = ("tensor", "constant", "array", "asarray", "Tensor")
"""Names that frameworks give to what makes a tensor of nested lists."""


class CannotQuote(Exception):
    """An adapter's function that cannot stand without the suite; the message says why."""


@dataclass(frozen=True)
class Quoted:
    """One call: statements that come before it, and the expression that makes it."""

    before: tuple[str, ...]
    call: str
    functions: tuple[str, ...] = ()
    """Functions that are quoted whole, as it cannot be put into their place."""

    @property
    def names(self) -> set[str]:
        """The names that it needs from elsewhere, and its own variables."""
        own = {
            node.name for text in self.functions for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)
        }
        return set().union(*map(names_in, [*self.before, self.call, *self.functions])) - own


class AdapterSource:
    """An adapter's file, to be quoted from."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tree = ast.parse(text)

    @cached_property
    def _ours(self) -> set[str]:
        """Names that come from the suite."""
        return {
            alias.asname or alias.name.partition(".")[0]
            for node in self._tree.body
            for alias in _aliases(node)
            if _module(node, alias).partition(".")[0] == _OURS
        }

    @cached_property
    def _defined(self) -> dict[str, ast.stmt]:
        """Module-level names other than imports, each with the statement that defines it."""
        found: dict[str, ast.stmt] = {}
        for node in self._tree.body:
            for name in _bound(node):
                found[name] = node
        return found

    @property
    def framework_names(self) -> list[str]:
        """Names of modules and of what is taken from them, apart from the standard library's and the suite's."""
        names = []
        for node in self._tree.body:
            for alias in _aliases(node):
                module = alias.name.partition(".")[0]
                if isinstance(node, ast.Import) and module not in {_OURS, "numpy", *sys.stdlib_module_names}:
                    names.append(alias.asname or alias.name.partition(".")[0])
        return names

    @property
    def constructors(self) -> list[str]:
        """What may make a tensor: functions to which ``to_native`` hands its array, then by their usual names."""
        usual = [f"{module}.{name}" for name in _USUAL for module in self.framework_names]
        return list(dict.fromkeys([*self._given_arrays(), *usual]))

    def _given_arrays(self) -> list[str]:
        function = self._defined.get("to_native")
        if not isinstance(function, ast.FunctionDef) or not function.args.args:
            return []
        array = function.args.args[0].arg
        return [
            ast.unparse(node.func)
            for node in ast.walk(function)
            if isinstance(node, ast.Call)
            and len(node.args) == 1
            and not node.keywords
            and _is_name(node.args[0], array)
        ]

    def defines(self, name: str) -> bool:
        """Whether the file has a function or a constant of this name."""
        return name in self._defined

    @property
    def version(self) -> str | None:
        """The expression that ``describe`` gives as the framework's version."""
        function = self._defined.get("describe")
        for node in ast.walk(function) if function is not None else ():
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "version" and not isinstance(value, ast.Constant):
                        return ast.unparse(value)
        return None

    def quote(self, function_source: str, plain: Mapping[str, object]) -> Quoted:
        """A call of an API's function, its tensors by the names of its parameters; CannotQuote where that cannot be.

        plain: the arguments that are no tensors, which are put in.
        """
        function = self._function(function_source)
        values = {**_defaults(function), **{name: _literal(value) for name, value in plain.items()}}
        body = [one for one in function.body if not _is_docstring(one) and not self._is_guard(one)]
        others = [one for one in function.decorator_list if not names_in(ast.unparse(one)) & self._ours]
        rebound = {name for one in body for name in names_in(ast.unparse(one), ast.Store)} & values.keys()
        line = folded([substituted(one, values) for one in body])
        if not others and not rebound and _is_straight(line):
            before = [ast.unparse(self._shortened(one)) for one in line[:-1]]
            last = line[-1]
            assert isinstance(last, ast.Return) and last.value is not None
            return self._checked(Quoted(tuple(before), ast.unparse(self._shortened(last.value))))
        text = self._whole(function, body, others)
        given = [ast.unparse(values.get(one.arg, ast.Name(one.arg))) for one in function.args.args]
        return self._checked(Quoted((), f"{function.name}({', '.join(given)})", (text,)))

    def _whole(self, function: ast.FunctionDef, body: list[ast.stmt], decorators: list[ast.expr]) -> str:
        """The function as its author wrote it, unless something of it is of the suite."""
        there = self._defined.get(function.name)
        guarded = any(self._is_guard(one) for one in function.body)
        if isinstance(there, ast.FunctionDef) and not guarded and not decorators:
            return self._segment(there)
        function.body, function.decorator_list = body, decorators
        return ast.unparse(function)

    def imports(self, names: Iterable[str]) -> list[str]:
        """The import statements that bind these names, each with no other."""
        wanted = set(names)
        lines = []
        for node in self._tree.body:
            some = [one for one in _aliases(node) if (one.asname or one.name.partition(".")[0]) in wanted]
            if some and isinstance(node, ast.Import):
                lines += [ast.unparse(ast.Import([one])) for one in some]
            elif some and isinstance(node, ast.ImportFrom) and node.module != "__future__":
                lines.append(ast.unparse(ast.ImportFrom(node.module, some, node.level)))
        return lines

    def helpers(self, names: Iterable[str]) -> list[str]:
        """The file's own functions and constants of these names, and those that they need in turn."""
        wanted, new = set[str](), set(names)
        while new:
            wanted |= new
            texts = [self._segment(self._defined[name]) for name in new if name in self._defined]
            new = set().union(*map(names_in, texts)) - wanted
        nodes = {id(self._defined[name]): self._defined[name] for name in wanted if name in self._defined}
        found = [self._segment(node) for node in self._tree.body if id(node) in nodes]
        for text in found:
            self._check_ours(text)
        return found

    def _function(self, source: str) -> ast.FunctionDef:
        try:
            [function] = ast.parse(textwrap.dedent(source)).body
        except (SyntaxError, ValueError):
            raise CannotQuote("its adapter's function has no source of its own") from None
        if not isinstance(function, ast.FunctionDef):
            raise CannotQuote("it is no plain function in its adapter")
        return function

    def _segment(self, node: ast.stmt) -> str:
        # from the def on: decorators come before it
        return ast.get_source_segment(self._text, node) or ast.unparse(node)

    def _is_guard(self, statement: ast.stmt) -> bool:
        """A refusal of forms that the API does not have."""
        return (
            isinstance(statement, ast.If)
            and not statement.orelse
            and all(self._is_refusal(one) for one in statement.body)
        )

    def _is_refusal(self, statement: ast.stmt) -> bool:
        """A raise of what is the suite's, or a call of the file's own function that does nothing else."""
        if isinstance(statement, ast.Raise):
            return statement.exc is not None and bool(names_in(ast.unparse(statement.exc)) & self._ours)
        called = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Name):
            return False
        helper = self._defined.get(called.func.id)
        return isinstance(helper, ast.FunctionDef) and all(
            isinstance(one, ast.Raise) and self._is_refusal(one) for one in helper.body if not _is_docstring(one)
        )

    def _shortened(self, node: ast.AST) -> ast.AST:
        """The node with the file's own one-line functions put into their place."""
        source = self

        class Inlining(ast.NodeTransformer):
            def visit_Call(self, node: ast.Call) -> ast.AST:
                self.generic_visit(node)
                return source._one_line(node) or node  # the same class

        shortened: ast.AST = ast.fix_missing_locations(Inlining().visit(node))
        return shortened

    def _one_line(self, call: ast.Call) -> ast.expr | None:
        helper = self._defined.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if not isinstance(helper, ast.FunctionDef) or call.keywords or helper.decorator_list:
            return None
        body = [one for one in helper.body if not _is_docstring(one)]
        names = [one.arg for one in helper.args.args]
        simple = all(isinstance(one, ast.Name | ast.Constant) for one in call.args)
        if len(body) != 1 or not isinstance(body[0], ast.Return) or not simple or len(names) != len(call.args):
            return None
        result: ast.expr = substituted(body[0].value, dict(zip(names, call.args, strict=True)))
        return result

    def _checked(self, quoted: Quoted) -> Quoted:
        for text in [*quoted.before, quoted.call, *quoted.functions]:
            self._check_ours(text)
        return quoted

    def _check_ours(self, text: str) -> None:
        ours = names_in(text) & self._ours
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                ours |= {_module(node, alias).partition(".")[0] for alias in node.names} & {_OURS}
        if ours:
            raise CannotQuote(f"its adapter's code needs {', '.join(sorted(ours))} of this suite:\n{text}")


def names_in(text: str, context: type[ast.expr_context] = ast.expr_context) -> set[str]:
    """The names in a piece of code, builtins apart."""
    return {
        node.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and isinstance(node.ctx, context) and not hasattr(builtins, node.id)
    }


def inlined(call: str, values: Mapping[str, str]) -> str | None:
    """The call with expressions for names; None where one is read more than once, or not at all."""
    tree = ast.parse(call, mode="eval").body
    read = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    if any(read.count(name) != 1 for name in values):
        return None
    return ast.unparse(substituted(tree, {name: ast.parse(text, mode="eval").body for name, text in values.items()}))


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    arguments = function.args.args
    return {
        argument.arg: default
        for argument, default in zip(reversed(arguments), reversed(function.args.defaults), strict=False)
    }


def _literal(value: object) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def _is_straight(body: Sequence[ast.stmt]) -> bool:
    """Whether it is assignments and calls, and a return at the end."""
    if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
        return False
    return all(isinstance(one, ast.Assign | ast.AugAssign | ast.Expr) for one in body[:-1])


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _aliases(node: ast.stmt) -> Sequence[ast.alias]:
    return node.names if isinstance(node, ast.Import | ast.ImportFrom) else ()


def _module(node: ast.stmt, alias: ast.alias) -> str:
    return (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))
