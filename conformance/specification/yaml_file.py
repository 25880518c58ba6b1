"""YAML 1.2 core schema, with the line of every value; duplicate keys and aliases are errors.

PyYAML parses the text; its YAML 1.1 resolvers (``no`` is false, ``010`` is 8, ``1:30`` is 90) are replaced. What a file may
cost is limited before anything is made of it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from conformance.files import read_regular
from conformance.specification.problems import Lines, Location, Path_, Problem, SpecError, display_path

DEEPEST = 50
"""The maximum depth of nested lists and mappings."""
_TOO_DEEP = f"lists and mappings are nested more than {DEEPEST} levels deep; at most {DEEPEST} are allowed"
LONGEST_NUMBER = 100
"""The maximum number of characters of a number."""
_TAB = "it contains a tab, which YAML does not take for indentation; use spaces"
_USUAL = "text with a colon, comma or bracket needs quotes, and keys of one mapping are indented alike"
MOST_REPAIRS = 20
"""The maximum number of lines of a file in which missing quotes are added; each needs another pass over the whole file."""

_CORE = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    "float": (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
}


class _CoreLoader(yaml.CSafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own protocol


for _name, (_pattern, _first) in _CORE.items():
    _CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(f"^(?:{_pattern})$"), _first)


def read_yaml(path: Path) -> tuple[Any, Lines]:
    """The content of a file as plain Python values, and their lines; SpecError if the file is invalid."""
    content, lines, problems = read_sound_yaml(path)
    if problems:
        raise SpecError(problems)
    return content, lines


def read_sound_yaml(path: Path) -> tuple[Any, Lines, list[Problem]]:
    """The readable content of a file, and its problems; SpecError if nothing can be read."""
    lines = Lines(display_path(path))
    try:
        text = read_regular(path).decode("utf-8")
    except FileNotFoundError:
        raise _error(lines, "file not found") from None
    except UnicodeDecodeError as error:
        raise _error(lines, f"not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}") from None
    except OSError as error:
        raise _error(lines, f"cannot be read: {error.strerror}") from None
    problems: list[Problem] = []
    node = _compose(text, lines, problems)
    if node is None:
        raise _error(lines, "the file is empty")
    builder = _Builder(lines)
    return builder.build(node, ()), lines, problems + builder.problems


def _compose(text: str, lines: Lines, problems: list[Problem]) -> yaml.Node | None:
    """The root node; text that only lacks quotes is reported and read as if it were quoted."""
    for repairs_left in range(MOST_REPAIRS, -1, -1):
        try:
            _refuse_deep(text, lines)
            return yaml.compose(text, Loader=_CoreLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line if mark else 0
            if "nesting depth" in (error.problem or ""):  # which newer versions limit too, far beyond this limit
                raise _error(lines, _TOO_DEEP, line + 1) from None
            repair = repaired(text, line) if repairs_left else None
            details = " ".join(filter(None, [error.problem, error.context]))
            hint = _TAB if _has_tab(text, line, details) else _USUAL
            message = repair.message if repair else f"not YAML: {details}; {hint}"
            problems.append(Problem(Location(lines.file, line + 1), message))
            if not repairs_left:
                reason = (
                    f"missing quotes were found in {MOST_REPAIRS} other lines, and the rest of the file was not read"
                )
                problems[-1] = replace(problems[-1], message=f"{message}; {reason}")
            if repair is None:
                raise SpecError(problems) from None
            text = repair.text
        except yaml.YAMLError as error:
            raise _error(lines, f"not YAML: {str(error).splitlines()[0]}") from None
    raise AssertionError("the last pass returns or raises")


def _has_tab(text: str, line: int, details: str) -> bool:
    """Whether a tab is what cannot be read, or indents the line."""
    lines = text.splitlines()
    return "'\\t'" in details or (line < len(lines) and lines[line].lstrip(" ").startswith("\t"))


def _refuse_deep(text: str, lines: Lines) -> None:
    """SpecError if lists and mappings are nested too deeply for functions that call themselves; parsing does not nest calls."""
    depth = 0
    for event in yaml.parse(text, Loader=_CoreLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise _error(lines, _TOO_DEEP, event.start_mark.line + 1 if event.start_mark else 1)


def _error(lines: Lines, message: str, line: int = 1) -> SpecError:
    return SpecError([Problem(Location(lines.file, line), message)])


class _Builder:
    """Turns nodes into values, and records their lines and all problems."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.problems: list[Problem] = []
        self._visited: set[int] = set()

    def build(self, node: yaml.Node, path: Path_) -> Any:
        self.lines.of.setdefault(path, node.start_mark.line + 1)
        # An alias yields a node that was visited already; following aliases may not terminate.
        if id(node) in self._visited:
            self._problem(node, "aliases (*name) are not allowed; write the value out")
            return None
        self._visited.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*path, number)) for number, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path_) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._problem(key_node, "keys must be strings")
                continue
            key = key_node.value
            if key in result:
                self._problem(key_node, f"duplicate key {key!r}")
                continue
            self.lines.of[(*path, key)] = key_node.start_mark.line + 1
            result[key] = self.build(value_node, (*path, key))
        return result

    def _scalar(self, node: yaml.Node) -> Any:
        kind, text = node.tag.removeprefix("tag:yaml.org,2002:"), str(node.value)
        if kind == "str":
            return text
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind in ("int", "float") and len(text) > LONGEST_NUMBER:
            self._problem(node, f"a number has {len(text)} characters; at most {LONGEST_NUMBER} are allowed")
            return None
        if kind == "int":
            return int(text, 0) if text.startswith(("0x", "0o")) else int(text)
        if kind == "float":
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        self._problem(node, f"tags ({node.tag!r}) are not allowed")
        return None

    def _problem(self, node: yaml.Node, message: str) -> None:
        self.problems.append(Problem(Location(self.lines.file, node.start_mark.line + 1), message))


_CALL = re.compile(r"(?<![\w.\"'(])[A-Za-z_][\w.]*\(")
_ENTRY = re.compile(r"(\s*(?:- )*)([^\s:#{\[\"'-][^:#{\[\"']*): +([^\s\"'\[{|>&*!#].*: .*?)(?=\s*$)")

_FLOW_ENTRY = re.compile(r"([{,]\s*)([\w-]+): ([^\s\"'\[{,}][^\"'\[\]{},]*: [^\"'\[\]{},]*?)(?=\s*[,}])")


LONGEST_LINE = 1000
"""Longer lines are not repaired: the time that a repair takes grows faster than the length of the line."""


@dataclass(frozen=True)
class Repair:
    """A text with the missing quotes added, and a message that says what to write."""

    message: str
    text: str


def repaired(text: str, line: int) -> Repair | None:
    """The text with missing quotes added in a line (counted from 0); None if missing quotes are not the problem."""
    lines = text.splitlines(keepends=True)
    if line >= len(lines) or len(lines[line]) > LONGEST_LINE:
        return None
    repair = _call(lines[line]) or _colon(lines[line])
    if repair is None:
        return None
    return Repair(repair.message, "".join([*lines[:line], repair.text, *lines[line + 1 :]]))


def _call(line: str) -> Repair | None:
    """A constructor or an expression whose brackets or commas YAML interprets."""
    for start in (match.start() for match in _CALL.finditer(line)):
        end = _closing(line, start)
        call = line[start:end]
        if end and re.search(r"[\[\]{},]", call) and not _is_quoted(line, start):
            quoted = json.dumps(call, ensure_ascii=False)
            message = f"{call} needs quotes, because YAML interprets its brackets and commas; write {quoted}"
            return Repair(message, f"{line[:start]}{quoted}{line[end:]}")
    return None


def _colon(line: str) -> Repair | None:
    """A sentence with a colon, which YAML reads as a key."""
    entry = _ENTRY.match(line) or _FLOW_ENTRY.search(line)
    if entry is None:
        return None
    before, key, value = entry.groups()
    written = f"{key}: {json.dumps(value, ensure_ascii=False)}"
    message = f"{key}: text with a colon needs quotes; write {written}"
    return Repair(message, f"{line[: entry.start()]}{before}{written}{line[entry.end() :]}")


def _closing(line: str, start: int) -> int:
    """The end of the call that starts at a position; 0 if it does not end in this line."""
    depth = 0
    for position in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[position], 0)
        if line[position] == ")" and depth == 0:
            return position + 1
    return 0


def _is_quoted(line: str, position: int) -> bool:
    return line[:position].count('"') % 2 == 1 or line[:position].count("'") % 2 == 1
