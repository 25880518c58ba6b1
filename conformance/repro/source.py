"""Quotes an adapter's functions unchanged, with the rest of its file that they need, as code that runs without the suite."""

from __future__ import annotations

import ast
import builtins
import contextlib
import itertools
import symtable
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path

from conformance.repro.errors import NoScript
from conformance.repro.one_mode import other_modes
from conformance.worker import forms
from conformance.worker.keys import KEY, Key

_SUITE = "conformance"
_EXCEPTIONS = ("Unsupported", "NotExported", "FellBack")
"""Exceptions of the suite that a script can define itself."""

_USUAL_IMPORTS = {
    "platform": "import platform",
    "Counter": "from collections import Counter",
    "partial": "from functools import partial",
    "np": "import numpy as np",
}
"""Names that a script may use in addition to those of the adapter's file."""


class AdapterSource:
    """The source of an adapter's file."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tree = ast.parse(text)
        self.without_key: frozenset[str] = frozenset()
        """The functions that have lost the argument; see ``with_keys``."""

    @cached_property
    def _suite(self) -> dict[str, str]:
        """Names that are imported from the suite, each with its name there, but for those that a script quotes too."""
        return {
            _bound(alias): alias.name
            for node in self._tree.body
            for alias in _aliases(node)
            if _package(node, alias) == _SUITE and not _is_quoted(node, alias)
        }

    @cached_property
    def _quoted(self) -> frozenset[str]:
        """The functions of ``conformance.worker.forms`` that the file imports."""
        aliases = ((node, alias) for node in self._tree.body for alias in _aliases(node))
        return frozenset(alias.name for node, alias in aliases if _is_quoted(node, alias))

    @cached_property
    def _definitions(self) -> dict[str, ast.stmt]:
        """The statements that define the file's own functions, classes and constants, by name."""
        return {name: node for node in self._tree.body for name in _defined(node)}

    @cached_property
    def _effects(self) -> list[ast.stmt]:
        """The statements that change something when the file is imported, such as an environment variable.

        Only those that need nothing but imports: what the file does to its own functions is for the suite.
        """
        imported = {_bound(alias) for node in self._tree.body for alias in _aliases(node)} - self._suite.keys()
        effects = [node for node in self._tree.body if _has_effect(node)]
        return [node for node in effects if names_in(self._segment(node)) <= imported]

    def defines(self, name: str) -> bool:
        """Whether the file has a function or a constant of this name."""
        return name in self._definitions

    @property
    def modules(self) -> list[str]:
        """The names of the framework's modules in the file."""
        not_framework = {_SUITE, "numpy", *sys.stdlib_module_names}
        return [
            _bound(alias)
            for node in self._tree.body
            for alias in _aliases(node)
            if isinstance(node, ast.Import) and _package(node, alias) not in not_framework
        ]

    @property
    def version(self) -> str | None:
        """The expression that ``describe`` returns as the framework's version."""
        describe = self._definitions.get("describe")
        for node in ast.walk(describe) if describe else ():
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "version" and not isinstance(value, ast.Constant):
                        return ast.unparse(value)
        return None

    def function_name(self, source: str) -> str:
        """The name of an API's function; NoScript where it is none that the file defines by itself."""
        try:
            [node] = ast.parse(textwrap.dedent(source)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # what ``ast.parse`` raises for what is no code
            raise NoScript("the adapter's function has no source") from None
        if not isinstance(node, ast.FunctionDef) or not self.defines(node.name):
            raise NoScript("the adapter's function is not a plain function of its file")
        return node.name

    def for_mode(self, mode: str) -> AdapterSource:
        """The source whose ``setup`` and ``prepare`` have no branches for other modes."""
        others = [
            node
            for name in ("setup", "prepare")
            if isinstance(function := self._definitions.get(name), ast.FunctionDef)
            for node in other_modes(self._tree, function, mode)
        ]
        lines = self._text.splitlines(keepends=True)
        left_out = {number for node in others for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
        return AdapterSource("".join(line for number, line in enumerate(lines, 1) if number not in left_out))

    def with_keys(self, keys: Sequence[Key], *, is_given: bool) -> AdapterSource:
        """The source with a key where functions take one, as a person writes it: ``input[i, :, j]``.

        They lose the argument, and are in ``without_key``, unless the script gives it: the text of one of these keys.
        """
        edits, names = [], set()
        for name, node in self._definitions.items():
            of_function = list(self._edits(node, keys, is_given)) if isinstance(node, ast.FunctionDef) else []
            if of_function:
                edits += of_function
                names.add(name)
        text = self._text.encode()
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new.encode() + text[end:]
        changed = AdapterSource(text.decode())
        changed.without_key = frozenset() if is_given else frozenset(names)
        return changed

    def _edits(self, function: ast.FunctionDef, keys: Sequence[Key], is_given: bool) -> Iterator[tuple[int, int, str]]:
        """What replaces which bytes of the text; nothing if a function is under no API, or takes none of these keys."""
        arguments = function.args.args
        names = [one.arg for one in arguments]
        place = names.index(KEY) if KEY in names else 0
        fitting = [key for key in keys if key.names <= {*names}]
        is_optional = place >= len(arguments) - len(function.args.defaults)
        if not place or is_optional or not fitting or not self._is_mapped(function):
            return
        in_brackets = {id(node.slice) for node in ast.walk(function) if isinstance(node, ast.Subscript)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id == KEY:
                start, end = self._span(node)
                yield start, end, _written(fitting, in_brackets=id(node) in in_brackets)
        if not is_given:
            yield self._span(arguments[place - 1])[1], self._span(arguments[place])[1], ""

    def _is_mapped(self, function: ast.FunctionDef) -> bool:
        return any(names_in(ast.unparse(each)) & self._suite.keys() for each in function.decorator_list)

    def _span(self, node: ast.expr | ast.arg) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        lines = self._text.encode().split(b"\n")
        starts = [0, *itertools.accumulate(len(line) + 1 for line in lines)]
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def in_host_memory(self, name: str) -> str:
        """An expression for a tensor as an array: by the adapter's ``to_numpy``, unless that needs something of the suite."""
        if self.defines("to_numpy"):
            with contextlib.suppress(NoScript):
                self.definitions(["to_numpy"])
                return f"to_numpy({name})"
        return f"np.asarray({name})"

    def definitions(self, code: Sequence[str]) -> list[str]:
        """The file's own functions and constants that code needs, directly or indirectly, in the order of the file.

        Before them stand those of ``conformance.worker.forms``.
        NoScript if they need something of the suite other than exceptions, which the script defines itself.
        """
        needed, new = set[str](), names_in(*code)
        while new:
            needed |= new
            new = (
                names_in(*(self._segment(self._definitions[name]) for name in new & self._definitions.keys())) - needed
            )
        nodes = {id(self._definitions[name]) for name in needed & self._definitions.keys()}
        own = [self._segment(node) for node in self._tree.body if id(node) in nodes]
        for text in [*code, *own]:
            _refuse_suite(text)
        quoted = _forms().definitions(sorted(needed & self._quoted)) if needed & self._quoted else []
        return [*dict.fromkeys([*map(self._exception, sorted(needed & self._suite.keys())), *quoted]), *own]

    def imports(self, code: Sequence[str]) -> list[str]:
        """The import statements for exactly the names that code needs, and between them what the file does on import."""
        names, own = names_in(*code), {_bound(alias) for node in self._tree.body for alias in _aliases(node)}
        names |= names_in(*map(self._segment, self._effects))
        lines = ["from __future__ import annotations\n"] if any(map(_is_annotated, code)) else []
        lines += [line for name, line in _USUAL_IMPORTS.items() if name in names - own]
        if self._quoted:
            lines += _forms().imports_of(names - own)
        for node in self._tree.body:
            if node in self._effects:
                lines.append(self._segment(node))
            lines += _imports(node, names)
        return lines

    def imports_of(self, names: Collection[str]) -> list[str]:
        """The import statements for some names."""
        return [line for node in self._tree.body for line in _imports(node, names)]

    def _exception(self, name: str) -> str:
        if self._suite[name] not in _EXCEPTIONS:
            raise NoScript(f"the adapter's code uses {name} from the suite")
        return f"class {name}(Exception):\n    pass"

    def _segment(self, node: ast.stmt) -> str:
        """The text of a definition, without the suite's decorators."""
        segment = ast.get_source_segment(self._text, node) or ast.unparse(node)
        decorators = map(ast.unparse, node.decorator_list) if isinstance(node, ast.FunctionDef) else ()
        quoted = [f"@{decorator}" for decorator in decorators if not names_in(decorator) & self._suite.keys()]
        return "\n".join([*quoted, segment])


@cache
def _forms() -> AdapterSource:
    """The source of the functions that adapters share."""
    return AdapterSource(Path(forms.__file__).read_text(encoding="utf-8"))


def _is_quoted(node: ast.AST, alias: ast.alias) -> bool:
    """Whether a script has the text of what is imported: that of the functions that adapters share."""
    return isinstance(node, ast.ImportFrom) and node.module == forms.__name__ and alias.asname is None


def _imports(node: ast.stmt, names: Collection[str]) -> list[str]:
    """The import statements for those of the names that a statement imports from elsewhere than the suite."""
    chosen = [alias for alias in _aliases(node) if _bound(alias) in names and _package(node, alias) != _SUITE]
    if chosen and isinstance(node, ast.ImportFrom):
        return [ast.unparse(ast.ImportFrom(node.module, chosen, node.level))]
    return [ast.unparse(ast.Import([alias])) for alias in chosen]


def names_in(*texts: str) -> set[str]:
    """The names in pieces of code, without builtins, and without the variables of the functions in them."""
    names = {
        name for text in texts for name in _outer_names(symtable.symtable(text, "<code>", "exec"), is_outermost=True)
    }
    return names - vars(builtins).keys()


def _outer_names(table: symtable.SymbolTable, *, is_outermost: bool = False) -> Iterator[str]:
    for symbol in table.get_symbols():
        if is_outermost or symbol.is_global():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _outer_names(child)


def _written(keys: Sequence[Key], *, in_brackets: bool) -> str:
    """An expression for what a function takes as the key; of several, for that whose text it takes."""
    if len(keys) == 1:
        return keys[0].text if in_brackets else f"np.s_[{keys[0].text}]"
    return "{" + ", ".join(f"{key.text!r}: np.s_[{key.text}]" for key in keys) + f"}}[{KEY}]"


def _refuse_suite(text: str) -> None:
    for node in ast.walk(ast.parse(text)):
        if any(_package(node, alias) == _SUITE for alias in _aliases(node)):
            raise NoScript(f"the adapter's code imports {_SUITE}:\n{text}")


def _has_effect(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return not all(isinstance(target, ast.Name) for target in node.targets)
    return isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)


def _is_annotated(text: str) -> bool:
    nodes = list(ast.walk(ast.parse(text)))
    return any(getattr(node, field, None) for node in nodes for field in ("annotation", "returns"))


def _aliases(node: ast.AST) -> Sequence[ast.alias]:
    return node.names if isinstance(node, ast.Import | ast.ImportFrom) else ()


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _package(node: ast.AST, alias: ast.alias) -> str:
    module = (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
    return module.partition(".")[0]


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))
