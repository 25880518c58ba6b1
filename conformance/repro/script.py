"""The text of a script, from its statements."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.reports.text import visible

RESULTS = "results"
"""The variable of a script that holds the results of all repetitions."""
WIDTH = 100
"""The longest line of the script's comments and of the statements that create tensors."""
_ENCODING = re.compile(r"coding[:=]")


@dataclass(frozen=True)
class Step:
    """One call of a script."""

    name: str
    """The variable that holds its result, also printed before the value."""
    arguments: Sequence[str]
    """Statements that create the tensors."""
    call: str
    compiling: Sequence[str] = ()
    """Statements that compile the function, if needed."""
    catches: bool = False
    """Whether an error is printed instead of raised."""
    shows: Sequence[str] = ()
    """Variables that are printed after the call."""
    remark: str | None = None
    shown: str = "{}"
    """The expression whose representation is printed of a variable, such as ``to_numpy({})``."""
    shared: Sequence[str] = ()
    """Statements that print what shares memory with the result."""
    results: Sequence[str] = ()
    """What the results are called, if there are several."""

    def text(self) -> str:
        lines = [f"{self.name} = {self.call}", *self._printing()]
        if self.catches:
            raised = f'print(f"{self.name}: raised {{type(error).__name__}}: {{error}}")'
            lines = ["try:", *(f"    {line}" for line in lines), "except Exception as error:", f"    {raised}"]
        remark = [f"# {self.remark}"] if self.remark else []
        shows = [f'print("{name} is now:", {self._repr(name)})' for name in self.shows]
        return "\n".join([*remark, *map(broken, self.arguments), *self.compiling, *lines, *shows, *self.shared])

    def _printing(self) -> list[str]:
        if not self.results:
            return [f'print("{self.name}:", {self._repr(self.name)})']
        return [
            f"for name, value in zip({list(self.results)!r}, {self.name}):",
            f'    print(f"{self.name}, {{name}}:", {self._repr("value")})',
        ]

    def _repr(self, name: str) -> str:
        return f"repr({self.shown.format(name)})"


def repeated(step: Step, repetitions: int) -> str:
    """A loop over a call whose result is not printed."""
    remark = [f"# {step.remark}"] if step.remark else []
    return "\n".join([*remark, *_loop(step, repetitions)])


def counted(step: Step, repetitions: int, shown: str) -> str:
    """A loop over a call whose result varies, and how often it had each result.

    shown: the expression for what is printed of a ``result``.
    """
    return "\n".join([
        f"{RESULTS} = []",
        *_loop(step, repetitions, f"{RESULTS}.append({step.name})"),
        f"for text, times in Counter({shown} for result in {RESULTS}).items():",
        f'    print(f"{{times}} of {{len({RESULTS})}} times {step.name}: {{text}}")',
    ])  # fmt: skip


def _loop(step: Step, repetitions: int, *more: str) -> list[str]:
    """A function is compiled before the loop: compiling it again may reset what earlier calls left behind."""
    call = f"{step.name} = {step.call}"
    caught = ["try:", f"    {call}", "except Exception as error:", f"    {step.name} = error"]
    body = [*map(broken, step.arguments), *(caught if step.catches else [call]), *more]
    return [*step.compiling, f"for repetition in range({repetitions}):", textwrap.indent("\n".join(body), "    ")]


def joined(header: str, imports: Sequence[str], definitions: Sequence[str], body: Iterable[str]) -> str:
    """A whole script from its parts, with blank lines between definitions, except between constants."""
    groups = groupby(definitions, lambda text: text.startswith(("def ", "class ", "@")))
    blocks = [("\n\n\n" if are_functions else "\n").join(texts) for are_functions, texts in groups]
    text = "\n\n\n".join([header + "\n\n" + "\n".join(imports), *blocks, "\n\n".join(body)]) + "\n"
    return f"# coding: utf-8\n{text}" if _names_encoding(text) else text


def _names_encoding(text: str) -> bool:
    """Whether Python would read the script in another encoding, in which a comment might be code."""
    return any(_ENCODING.search(line) for line in text.split("\n", 2)[:2])


def comment(paragraphs: Iterable[str]) -> str:
    """Paragraphs as one comment; those that are items of a list are indented."""
    lines: list[str] = []
    for paragraph in map(visible, paragraphs):
        indent = "  " if paragraph.startswith("- ") else ""
        lines += _wrapped(paragraph, indent) or [""]
    return "\n".join(f"# {line}".rstrip() for line in lines)


def printed(line: str) -> str:
    """A statement that prints a line and flushes it, since a later call may end the process."""
    return f"print({json.dumps(visible(line), ensure_ascii=False)}, flush=True)"


def broken(line: str) -> str:
    """A long assignment on several lines, broken between the rows of nested lists if that is enough."""
    if len(line) <= WIDTH:
        return line
    rows = line.replace("], [", "],\n    [")
    if max(map(len, rows.splitlines())) <= WIDTH:
        return rows
    # all its other spaces are inside brackets, where a line may be broken
    name, equals, text = line.partition(" = ")
    return "\n".join(_wrapped(f"{name}={text}", "    ")).replace("=", equals, 1)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 2, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
