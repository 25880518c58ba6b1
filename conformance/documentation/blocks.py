"""Divides a documentation text into blocks: paragraphs, entries, code, examples and markup, each below its headings.

No library does: docstring_parser lost 15 % of the words of the tested frameworks' docstrings, docutils has complaints
about four of five, and griffe and numpydoc must be told one style for a whole text. TensorFlow's texts are markdown
below a Google layout, MindSpore's have several signatures, and every word must be in exactly one piece.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from conformance.documentation import headings
from conformance.documentation.headings import Role
from conformance.documentation.pieces import Kind

_SIGNATURE = re.compile(r"[\w.]+\(.*\)(?:\s*->\s*\S.*)?:?")
_MARKER = re.compile(r"(?:[-*+•]|\d+[.)])\s+\S")
_ENTRY = re.compile(r"(\*{0,2}[^\W\d]\w*(?:\.\w+)*(?:, *\*{0,2}[^\W\d]\w*)*) *(?:\(.*?\))? ?:(?=\s|$)")
_LISTED_ENTRY = re.compile(r"[-*] +\*\*([\w.]+)\*\*")
_DIRECTIVE = re.compile(r"\.\. +([\w:-]+?)::(?:\s+|$)")
_OPTION = re.compile(r":[\w-]+:(?:\s|$)")
_QUOTED = re.compile(r"^(\s*)>(?:> )*( |$)")
_TABLE_RULE = re.compile(r"={2,}(?:\s+={2,})+")
_TAG = re.compile(r"</?[a-z]+\b")
_SIGNATURES = ("function", "method", "class", "py:function", "py:method")
_CODES = ("math", "code-block", "code", "sourcecode", "testcode", "doctest", "parsed-literal")
_PICTURES = ("image", "figure", "plot", "raw", "include")
_INDENTED_CODE = 4
"""Additional columns from which an indented paragraph of a description is code, as in markdown."""


@dataclass(frozen=True)
class Section:
    """A heading, or a directive such as a note, and what belongs to it."""

    title: str = ""
    role: Role = "text"
    indent: int = -1
    """The column of the heading."""
    is_nested: bool = False
    """Only deeper lines belong to it, rather than all lines up to the next heading."""
    is_underlined: bool = False
    base: int | None = None
    """The column of its first line; None before that."""
    entry: str | None = None


@dataclass(frozen=True)
class Block:
    """Consecutive lines of one kind."""

    text: str
    kind: Kind
    section: Section
    overload: int
    begins_entry: bool = False
    is_paragraph: bool = True
    """It consists of sentences."""
    header: str = ""
    """The first line if it only names an entry and its type, as in the style of NumPy."""

    @property
    def below_header(self) -> str:
        return self.text.removeprefix(self.header)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, in order; together they have all its words."""
    lines = inspect.cleandoc(text).expandtabs().splitlines()
    yield from _Reader([_QUOTED.sub(r"\1 \2", line) for line in lines]).read()


@dataclass
class _Reader:
    lines: list[str]
    at: int = 0
    sections: list[Section] = field(default_factory=lambda: [Section()])
    overload: int = 1
    literal: int | None = None
    """The column of the last paragraph if it ends with two colons."""
    marker: int | None = None
    """The column of the last list item of a list that has not ended."""

    def read(self) -> Iterator[Block]:
        yield from self._signatures(at_start=True)
        while self.at < len(self.lines):
            if not self._stripped():
                self.at += 1
                continue
            self._leave_sections(self._indent())
            yield from self._next()

    def _next(self) -> Iterator[Block]:
        """The blocks that begin at the current line; each kind is tried in turn."""
        if self.sections[-1].base is None:
            self.sections[-1] = replace(self.sections[-1], base=self._indent())
        kinds: tuple[Callable[[], Iterator[Block]], ...] = (
            *(self._example, self._literal, self._fenced, self._directive, self._heading),
            *(self._field, self._tags, self._table, self._indented, self._paragraph),
        )
        before = self.at
        for kind in kinds:
            found = list(kind())
            if found or self.at > before:
                yield from found
                return

    def _example(self) -> Iterator[Block]:
        if not self._stripped().startswith(">>>"):
            return
        indent, first = self._indent(), self.at
        self._skip_while(lambda line: bool(line.strip()) and _indent_of(line) >= indent)
        yield self._block(first, "example", is_paragraph=False)

    def _literal(self) -> Iterator[Block]:
        above, self.literal = self.literal, None
        if above is not None and self._indent() > above:
            yield from self._body(above, "code")

    def _fenced(self) -> Iterator[Block]:
        if not self._stripped().startswith("```"):
            return
        first = self.at
        self.at += 1
        self._skip_while(lambda line: not line.strip().startswith("```"))
        self.at = min(self.at + 1, len(self.lines))
        yield self._block(first, self._kind_of_code(first), is_paragraph=False)

    def _kind_of_code(self, first: int) -> Kind:
        """Of the lines from the first one to the current one: an example has prompts."""
        return "example" if any(line.strip().startswith(">>>") for line in self.lines[first : self.at]) else "code"

    def _directive(self) -> Iterator[Block]:
        line, indent, first = self._stripped(), self._indent(), self.at
        match = _DIRECTIVE.match(line)
        if match is None:
            if line.startswith(".. "):  # the target of a link, or a comment
                self.at += 1
                self._skip_while(lambda below: bool(below.strip()) and _indent_of(below) > indent)
                yield self._block(first, "markup", is_paragraph=False)
            return
        name = match[1]
        if name in _PICTURES:
            self.at += 1
            yield from self._body(indent, "markup", first)
            return
        self.lines[first] = " " * (indent + 3) + line[match.end() :]
        is_heading = name not in (*_CODES, *_SIGNATURES)
        kind: Kind = "heading" if is_heading else "markup"
        yield replace(self._new(match[0], kind, is_paragraph=False), section=Section())
        if is_heading:
            outer = self.sections[-1]
            self.sections.append(Section(name, "text", indent, is_nested=True, entry=outer.entry))
            self.at += not self._stripped()
        elif name in _SIGNATURES:
            self.overload += first > 0
            self.sections = [Section()]
            yield from self._signatures(at_start=False)
        else:
            yield from self._options()
            below = self.at
            yield from (replace(block, kind=self._kind_of_code(below)) for block in self._body(indent, "code"))

    def _heading(self) -> Iterator[Block]:
        line, indent, first = self._stripped(), self._indent(), self.at
        below = self.lines[self.at + 1].strip() if self.at + 1 < len(self.lines) else ""
        underlined = headings.underlined(line, below)
        title = underlined or headings.markdown(line) or headings.titled(line)
        if title is None:
            return
        self.at += 2 if underlined else 1
        yield replace(self._block(first, "heading", is_paragraph=False), section=Section())
        while len(self.sections) > 1 and self.sections[-1].indent >= indent:
            self.sections.pop()
        is_nested = self._indent_of_next() > indent
        self.sections.append(Section(*title, indent, is_nested=is_nested, is_underlined=underlined is not None))
        self.marker = None

    def _field(self) -> Iterator[Block]:
        named = headings.field(self._stripped())
        if named is None:
            return
        indent, first = self._indent(), self.at
        title, role, entry = named
        self.at += 1
        self._skip_while(lambda line: bool(line.strip()) and _indent_of(line) > indent)
        self.sections.append(Section(title, role, indent, is_nested=True, entry=entry))
        yield self._block(first, _kind_of(self.sections[-1]), begins_entry=entry is not None)

    def _tags(self) -> Iterator[Block]:
        if _TAG.match(self._stripped()):
            first = self.at
            self._skip_while(lambda line: bool(line.strip()))
            yield self._block(first, "markup", is_paragraph=False)

    def _table(self) -> Iterator[Block]:
        if _TABLE_RULE.fullmatch(self._stripped()):
            first = self.at
            self._skip_while(lambda line: bool(line.strip()))
            for row in self.lines[first : self.at]:
                if not _TABLE_RULE.fullmatch(row.strip()):
                    yield self._new(row.strip(), _kind_of(self.sections[-1]), is_paragraph=False)

    def _indented(self) -> Iterator[Block]:
        section, indent = self.sections[-1], self._indent()
        is_in_list = self.marker is not None and indent > self.marker
        base = section.base if section.base is not None else 0
        if section.role == "text" and section.entry is None and indent >= base + _INDENTED_CODE and not is_in_list:
            yield from self._body(indent - 1, "code")

    def _paragraph(self) -> Iterator[Block]:
        section, indent, first = self.sections[-1], self._indent(), self.at
        entry = self._entry_name()
        if entry is not None:
            section = self.sections[-1] = replace(section, entry=entry)
        elif indent == section.base and section.role != "text":
            section = self.sections[-1] = replace(section, entry=None)
        is_item = _MARKER.match(self._stripped()) is not None
        if is_item or (self.marker is not None and indent <= self.marker):
            self.marker = indent if is_item else None
        self.at += 1
        self._skip_while(lambda _: not self._begins_block(section))
        if self.lines[self.at - 1].rstrip().endswith("::"):
            self.literal = indent
        block = self._block(first, _kind_of(section), begins_entry=entry is not None)
        is_header = entry is not None and section.is_underlined
        yield replace(block, header=self.lines[first]) if is_header else block

    def _entry_name(self) -> str | None:
        """The name of the entry that begins at the current line, if one does."""
        section, line = self.sections[-1], self._stripped()
        if section.role == "text" or self._indent() != section.base:
            return None
        if section.is_underlined:
            return line.partition(":")[0].strip()
        listed = _LISTED_ENTRY.match(line)
        if listed is not None:
            return listed[1]
        match = _ENTRY.match(line) if section.role in ("parameters", "raises", "entries") else None
        return match[1] if match else None

    def _begins_block(self, section: Section) -> bool:
        """Whether the current line does not continue the paragraph above it."""
        line, indent = self._stripped(), self._indent()
        below = self.lines[self.at + 1].strip() if self.at + 1 < len(self.lines) else ""
        return (
            not line
            or line.startswith((">>>", "```", ".. "))
            or (section.is_nested and indent <= section.indent)
            or any((headings.titled(line), headings.markdown(line), headings.field(line)))
            or headings.underlined(line, below) is not None
            or _MARKER.match(line) is not None
            or self._entry_name() is not None
        )

    def _signatures(self, *, at_start: bool) -> Iterator[Block]:
        """The signatures at the current line, and the options below them."""
        while self.at < len(self.lines):
            line, first = self._stripped(), self.at
            if not line and not at_start:
                self.at += 1
                return
            if line and not _SIGNATURE.fullmatch(line):
                break
            self.at += 1
            if line:
                yield self._block(first, "signature", is_paragraph=False)
        if not at_start:
            yield from self._options()

    def _options(self) -> Iterator[Block]:
        """The lines of options of a directive, such as ``:noindex:``."""
        while self.at < len(self.lines) and _OPTION.match(self._stripped()):
            self.at += 1
            yield self._block(self.at - 1, "markup", is_paragraph=False)

    def _body(self, indent: int, kind: Kind, first: int | None = None) -> Iterator[Block]:
        """All lines that are deeper than a column, and the empty ones between them."""
        first = self.at if first is None else first
        self._skip_while(lambda line: not line.strip() or _indent_of(line) > indent)
        if "".join(self.lines[first : self.at]).strip():
            yield self._block(first, kind, is_paragraph=False)

    def _leave_sections(self, indent: int) -> None:
        while self.sections[-1].is_nested and indent <= self.sections[-1].indent:
            self.sections.pop()
            self.marker = None

    def _skip_while(self, holds: Callable[[str], bool]) -> None:
        while self.at < len(self.lines) and holds(self.lines[self.at]):
            self.at += 1

    def _block(self, first: int, kind: Kind, *, begins_entry: bool = False, is_paragraph: bool | None = None) -> Block:
        text = "\n".join(self.lines[first : self.at]).strip("\n")
        return self._new(text, kind, begins_entry=begins_entry, is_paragraph=is_paragraph is None)

    def _new(self, text: str, kind: Kind, *, begins_entry: bool = False, is_paragraph: bool) -> Block:
        return Block(text, kind, self.sections[-1], self.overload, begins_entry, is_paragraph)

    def _stripped(self) -> str:
        return self.lines[self.at].strip()

    def _indent(self) -> int:
        return _indent_of(self.lines[self.at])

    def _indent_of_next(self) -> int:
        """The column of the next line that is not empty; -1 at the end."""
        return next((_indent_of(line) for line in self.lines[self.at :] if line.strip()), -1)


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def _kind_of(section: Section) -> Kind:
    kinds: dict[Role, Kind] = {"parameters": "parameter", "raises": "raises", "returns": "returns"}
    return kinds.get(section.role, "sentence")
