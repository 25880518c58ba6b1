"""The text of a script: pure functions of what it is to show."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.repro.source import Quoted, inlined

WIDTH = 100
"""Columns of the script's comments and of a call with its tensors put in."""


@dataclass(frozen=True)
class Step:
    """One call of a script."""

    name: str
    """The variable that holds its result, and the word before it in what is printed."""
    quoted: Quoted
    tensors: Mapping[str, str]
    """Argument name to the expression that makes it."""
    catches: bool = False
    """An error is printed rather than raised."""
    shows: Sequence[str] = ()
    """Arguments that are printed after the call."""
    remark: str | None = None
    lines: Sequence[str] = ()
    """Statements that build the views among the tensors."""
    buffers: Sequence[str] = ()
    """Variables of views' buffers that are printed after the call."""


@dataclass(frozen=True)
class Script:
    """Everything that a script says."""

    head: Sequence[str]
    """Paragraphs of its comment."""
    imports: Sequence[str]
    helpers: Sequence[str]
    setup: str | None
    version: str | None
    """An expression for the framework's version."""
    title: str
    """The framework's own spelling."""
    documented: Sequence[str]
    """Lines that it prints before the calls."""
    steps: Sequence[Step] = field(default_factory=list)
    elements: Sequence[tuple[int, ...]] = ()
    """Elements of a large result that it prints."""

    def text(self) -> str:
        """The script itself; what is of no use in it is left out."""
        blocks = [
            "\n".join(_comment(self.head)),
            *sorted_imports(["import platform", *self.imports]),
            *(f"\n{one}\n" if one.startswith("def ") else one for one in self.helpers),
            "\n".join([*([self.setup] if self.setup else []), self._versions(), *map(_printed, self.documented)]),
            *("\n".join(step_lines(step)) for step in self.steps),
        ]
        lines = [f'print("{self.steps[-1].name} at {list(at)}:", {self.steps[-1].name}{list(at)})'
                 for at in self.elements]  # fmt: skip
        text = "\n\n".join([*blocks, *(["\n".join(lines)] if lines else [])]) + "\n"
        return re.sub("\n{4,}", "\n\n\n", text)

    def _versions(self) -> str:
        version = f"{self.version}, " if self.version else ""
        return f'print("{self.title}", {version}"on Python", platform.python_version(), platform.platform())'


def step_lines(step: Step) -> list[str]:
    """The call, its tensors in their places where that is short, else by name."""
    lines = [f"# {step.remark}"] if step.remark else []
    lines += map(_broken, step.lines)
    whole = (
        None if step.shows or step.quoted.before or step.quoted.functions else inlined(step.quoted.call, step.tensors)
    )
    if whole is None or len(whole) + 10 > WIDTH:
        lines += [_broken(f"{name} = {text}") for name, text in step.tensors.items()]
        whole = step.quoted.call
    body = [*step.quoted.before, f"{step.name} = {whole}", f'print("{step.name}:", repr({step.name}))']
    if step.catches:
        raised = f'print(f"{step.name}: raised {{type(error).__name__}}: {{error}}")'
        body = ["try:", *(_indented(body)), "except Exception as error:", f"    {raised}"]
    shown = [*step.shows, *step.buffers]
    return [*lines, *body, *(f'print("{name} is now:", repr({name}))' for name in shown)]


def sorted_imports(lines: Iterable[str]) -> list[str]:
    """Blocks of import statements: the standard library's, then others, each statement once."""
    blocks: dict[bool, list[str]] = {True: [], False: []}
    for line in sorted(dict.fromkeys(lines), key=lambda one: (one.startswith("from"), one)):
        blocks[line.split()[1].partition(".")[0] in sys.stdlib_module_names].append(line)
    return ["\n".join(some) for some in blocks.values() if some]


def _broken(line: str) -> str:
    """A long line in several, at the rows of nested lists where that is enough."""
    if len(line) <= WIDTH:
        return line
    rows = line.replace("], [", "],\n    [")
    if max(map(len, rows.splitlines())) <= WIDTH:
        return rows
    # its spaces are all inside brackets, after the name and its equals sign
    name, equals, text = line.partition(" = ")
    wrapped = textwrap.wrap(
        name + "=" + text, WIDTH - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(wrapped).replace("=", equals, 1)


def _indented(lines: Sequence[str]) -> list[str]:
    return [textwrap.indent(line, "    ") for line in lines]


def _printed(line: str) -> str:
    # a call that ends the process must not take it along
    return f"print({json.dumps(line, ensure_ascii=False)}, flush=True)"


def _comment(paragraphs: Sequence[str]) -> list[str]:
    lines = []
    for paragraph in paragraphs:
        indent = "  " if paragraph.startswith("- ") else ""
        lines += textwrap.wrap(paragraph, WIDTH - 2, subsequent_indent=indent, break_long_words=False,
                               break_on_hyphens=False) or [""]  # fmt: skip
    return [f"# {line}".rstrip() for line in lines]
