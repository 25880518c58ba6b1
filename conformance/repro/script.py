"""The text of a script: pure functions of what it is to show."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

WIDTH = 100
"""Columns of the script's comments and of the lines that make tensors."""


@dataclass(frozen=True)
class Step:
    """One call of a script."""

    name: str
    """The variable that holds its result, and the word before it in what is printed."""
    arguments: Sequence[str]
    """Statements that make the tensors."""
    call: str
    catches: bool = False
    """An error is printed rather than raised."""
    shows: Sequence[str] = ()
    """Variables that are printed after the call."""
    remark: str | None = None

    def text(self) -> str:
        lines = [f"{self.name} = {self.call}", f'print("{self.name}:", repr({self.name}))']
        if self.catches:
            raised = f'print(f"{self.name}: raised {{type(error).__name__}}: {{error}}")'
            lines = ["try:", *(f"    {line}" for line in lines), "except Exception as error:", f"    {raised}"]
        remark = [f"# {self.remark}"] if self.remark else []
        shown = [f'print("{name} is now:", repr({name}))' for name in self.shows]
        return "\n".join([*remark, *map(broken, self.arguments), *lines, *shown])


def joined(head: str, imports: Sequence[str], definitions: Sequence[str], body: Iterable[str]) -> str:
    """A whole script from its parts: definitions stand apart, but for constants that follow each other."""
    groups = groupby(definitions, lambda text: text.startswith(("def ", "class ", "@")))
    blocks = [("\n\n\n" if are_functions else "\n").join(texts) for are_functions, texts in groups]
    return "\n\n\n".join([head + "\n\n" + "\n".join(imports), *blocks, "\n\n".join(body)]) + "\n"


def comment(paragraphs: Iterable[str]) -> str:
    """Paragraphs as one comment; those that are items of a list are indented."""
    lines: list[str] = []
    for paragraph in paragraphs:
        indent = "  " if paragraph.startswith("- ") else ""
        lines += _wrapped(paragraph, indent) or [""]
    return "\n".join(f"# {line}".rstrip() for line in lines)


def printed(line: str) -> str:
    """A statement that prints a line at once, before a call that may end the process."""
    return f"print({json.dumps(line, ensure_ascii=False)}, flush=True)"


def broken(line: str) -> str:
    """A long assignment in several lines, at the rows of nested lists where that is enough."""
    if len(line) <= WIDTH:
        return line
    rows = line.replace("], [", "],\n    [")
    if max(map(len, rows.splitlines())) <= WIDTH:
        return rows
    # its spaces are all inside brackets, after the name and its equals sign
    name, equals, text = line.partition(" = ")
    return "\n".join(_wrapped(f"{name}={text}", "    ")).replace("=", equals, 1)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 2, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
