"""The titles that begin a section in the styles of Google, NumPy, Sphinx and MindSpore."""

from __future__ import annotations

import re
from typing import Literal

Role = Literal["text", "parameters", "raises", "returns", "entries"]
"""What a section consists of: paragraphs, or entries for parameters, exceptions, results, or other names."""

_ROLES: dict[Role, tuple[str, ...]] = {
    "parameters": (
        *("args", "arguments", "parameters", "other parameters", "inputs", "attributes"),
        *("keyword args", "keyword arguments"),
    ),
    "raises": ("raises", "warns"),
    "returns": ("returns", "outputs", "yields"),
    "text": (
        *("example", "examples", "note", "notes", "warning", "warnings", "caution", "see also", "references"),
        *("supported platforms", "todo", "deprecated"),
    ),
}
_ROLE_OF = {title: role for role, titles in _ROLES.items() for title in titles}
_NAMES: dict[Role, str] = {"parameters": "args", "raises": "raises", "returns": "returns"}
_FIELD_ROLES: dict[str, Role] = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "key", "keyword", "type"), "parameters"),
    **dict.fromkeys(("raise", "raises", "except", "exception"), "raises"),
    **dict.fromkeys(("return", "returns", "rtype", "yield", "yields"), "returns"),
}
_FIELD = re.compile(rf":({'|'.join(_FIELD_ROLES)})(?:\s+([^:]*?))?:(?=\s|$)")
_MARKDOWN = re.compile(r"#{1,6} +(\S.*?)#*$")


def titled(line: str) -> tuple[str, Role] | None:
    """The name and role of a section if a line is its heading, as in ``Args:`` or ``Example::``."""
    title = line.rstrip(":").casefold()
    return _named(title) if title in _ROLE_OF and line.endswith(":") else None


def underlined(line: str, below: str) -> tuple[str, Role] | None:
    """The same for a heading with a line of signs below it; any title is one."""
    is_rule = len(below) >= 3 and len(set(below)) == 1 and below[0] in "-=~^"
    if not is_rule or not line or line[0] in "-=~^":
        return None
    title = line.rstrip(":").casefold()
    if title == "see also":
        return title, "entries"
    return _named(title) if title in _ROLE_OF else (line, "text")


def _named(title: str) -> tuple[str, Role]:
    """The common name and the role of a known section, whatever the style calls it."""
    role = _ROLE_OF[title]
    return _NAMES.get(role) or title.removesuffix("s"), role


def markdown(line: str) -> tuple[str, Role] | None:
    """The same for a heading of markdown."""
    match = _MARKDOWN.fullmatch(line)
    return (match[1].strip(), "text") if match else None


def field(line: str) -> tuple[str, Role, str | None] | None:
    """The section, its role and the entry of a Sphinx field, as in ``:param Tensor input: ...``."""
    match = _FIELD.match(line)
    if match is None:
        return None
    role = _FIELD_ROLES[match[1]]
    named = (match[2] or "").split()
    return _NAMES[role], role, named[-1] if named else None
