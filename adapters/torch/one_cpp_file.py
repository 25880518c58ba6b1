"""Builds all C++ kernels of a graph that inductor compiles as one file.

Inductor runs the C++ compiler for each stretch of loops between two calls of ATen, which is nearly all that compiling many
small calls at once costs. Here the functions of a graph are collected and built by one run. Their bodies and the compiler's
flags stay as they are, so results have the same bits. It leans on private names of PyTorch: where one is missing, where a
source has another form, or where the file cannot be built, inductor builds each function by itself, as it always does.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

try:
    from torch._inductor.async_compile import AsyncCompile
    from torch._inductor.codecache import CppPythonBindingsCodeCache as Bindings

    build_one, wait_for_all = AsyncCompile.cpp_pybinding, AsyncCompile.wait
    TEMPLATE: str = Bindings.suffix_template
except (ImportError, AttributeError):
    TEMPLATE = ""

BINDING = "static PyObject* {entry_func}_py("
"""Where the template's Python binding of a function begins."""
TABLE = "static PyMethodDef py_methods"
"""Where that ends, and the table of the module's functions begins."""
ROW = '{{"{entry_func}", {entry_func}_py, METH_VARARGS, ""}},'
"""The only row of the table."""
KERNEL = re.compile(r"\bkernel(?=\()")
"""The name that inductor gives to each function."""
INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)


class Count:
    """Of the graphs that this process has compiled in the context."""

    built = 0
    """As one file."""
    failed = 0
    """That could not be, although each of their functions could; after one, those of all others are built by themselves."""


class Kernel:
    """A function that is built with the others of its graph, or by itself if it is called before."""

    def __init__(self, compiler: Any, types: list[str], source: str) -> None:
        self.compiler, self.types, self.source = compiler, types, source
        self._built: Any = None

    def built_by_itself(self) -> Any:
        return build_one(self.compiler, self.types, self.source)

    def __call__(self, *arguments: Any) -> Any:
        if self._built is None:
            built = self.built_by_itself()
            self._built = built.result() if hasattr(built, "result") else built
        return self._built(*arguments)


@contextlib.contextmanager
def one_cpp_file() -> Iterator[None]:
    """Graphs that are compiled in this context are built as one file each."""
    if not can_build():
        yield
        return
    AsyncCompile.cpp_pybinding, AsyncCompile.wait = deferred, wait
    try:
        yield
    finally:
        AsyncCompile.cpp_pybinding, AsyncCompile.wait = build_one, wait_for_all


def can_build() -> bool:
    """Whether this PyTorch has what this module leans on, and no graph has failed."""
    return not Count.failed and [TEMPLATE.count(part) for part in (BINDING, TABLE, ROW)] == [1, 1, 1]


def deferred(compiler: Any, types: list[str], source: str, *others: Any, **named: Any) -> Any:
    """Called in a graph's module for each of its functions; what it does with other arguments is unknown."""
    if others or named:
        return build_one(compiler, types, source, *others, **named)
    return Kernel(compiler, types, source)


def wait(compiler: Any, scope: dict[str, Any]) -> Any:
    """Called at the end of a graph's module with its names."""
    kernels = {name: value for name, value in scope.items() if isinstance(value, Kernel)}
    functions: dict[str, Any] = {}
    # Whatever is wrong with the file, the functions by themselves are what a user has.
    with contextlib.suppress(Exception):
        functions = built(kernels) if len(kernels) > 1 else {}
    scope.update(functions or {name: one.built_by_itself() for name, one in kernels.items()})
    if len(kernels) > 1 and not functions:  # the file is wrong, and none of them
        Count.failed += 1
    return wait_for_all(compiler, scope)


def built(kernels: dict[str, Kernel]) -> dict[str, Any]:
    """The functions by the names of their kernels."""
    unique = list({(tuple(one.types), one.source): one for one in kernels.values()}.values())
    module = Bindings.load_async(file_of(unique))()
    Count.built += 1
    functions = {(tuple(one.types), one.source): getattr(module, entry(place)) for place, one in enumerate(unique)}
    return {name: functions[tuple(one.types), one.source] for name, one in kernels.items()}


def entry(place: int) -> str:
    """The name in the file of the kernel at a place."""
    return f"kernel_{place}"


def file_of(kernels: list[Kernel]) -> str:
    """A source file with these functions, and with inductor's own Python binding of each."""
    head, _, rest = TEMPLATE.partition(BINDING)
    binding, _, tail = rest.partition(TABLE)
    binding, tail = BINDING + binding, TABLE + tail
    includes = dict.fromkeys(line for one in kernels for line in INCLUDE.findall(one.source))
    names = [entry(place) for place in range(len(kernels))]
    bodies = [body(one.source, name) for one, name in zip(kernels, names)]  # noqa: B905 # not in Python 3.9
    bindings = [formatted(binding, name, one.types) for one, name in zip(kernels, names)]  # noqa: B905
    rows = "\n".join(formatted(ROW, name, []) for name in names)
    whole = formatted(tail.replace(ROW, "ROWS"), "kernel", []).replace("ROWS", rows)
    return "\n".join([*includes, *bodies, formatted(head, "kernel", []), *bindings, whole])


def body(source: str, name: str) -> str:
    """The source of a function under another name, in a namespace, since others may have the same helpers."""
    renamed, count = KERNEL.subn(name, INCLUDE.sub("", source))
    if count != 1 or "#define" in renamed:
        raise ValueError(f"a kernel has another form than in the versions that are known: {count} names")
    return f"namespace of_{name} {{\n{renamed}\n}}\nusing of_{name}::{name};"


def formatted(template: str, name: str, types: list[str]) -> str:
    """A part of inductor's template for a function with arguments of these types, as inductor itself fills it."""
    parsed = ", ".join(f"parse_arg<{one.replace('const ', '')}>(args, {place})" for place, one in enumerate(types))
    return template.format(
        entry_func=name,
        arg_len=len(types),
        call_entry_func=f"{name}({parsed}); Py_RETURN_NONE;",
        extra_parse_arg="",
    )
