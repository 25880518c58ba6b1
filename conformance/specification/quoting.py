"""Text that YAML cannot read because it lacks quotes: what to write, and the text with them, so that the rest is read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_CALL = re.compile(r"(?<![\w.\"'(])[A-Za-z_][\w.]*\(")
_ENTRY = re.compile(r"(\s*(?:- )*)([^\s:#{\[\"'-][^:#{\[\"']*): +([^\s\"'\[{|>&*!#].*: .*?)(?=\s*$)")

_FLOW_ENTRY = re.compile(r"([{,]\s*)([\w-]+): ([^\s\"'\[{,}][^\"'\[\]{},]*: [^\"'\[\]{},]*?)(?=\s*[,}])")


@dataclass(frozen=True)
class Repair:
    """A text with quotes that it lacked."""

    message: str
    text: str


def repaired(text: str, line: int) -> Repair | None:
    """The text with quotes around what lacks them in a line (the first is 0); None where that is not what is wrong."""
    lines = text.splitlines(keepends=True)
    if line >= len(lines):
        return None
    repair = _call(lines[line]) or _colon(lines[line])
    if repair is None:
        return None
    return Repair(repair.message, "".join([*lines[:line], repair.text, *lines[line + 1 :]]))


def _call(line: str) -> Repair | None:
    """A constructor or an expression whose brackets or commas YAML takes for its own."""
    for start in (match.start() for match in _CALL.finditer(line)):
        end = _closing(line, start)
        call = line[start:end]
        if end and re.search(r"[\[\]{},]", call) and not _is_quoted(line, start):
            quoted = json.dumps(call, ensure_ascii=False)
            message = f"{call} lacks quotes: inside braces its brackets and commas are YAML's; write {quoted}"
            return Repair(message, f"{line[:start]}{quoted}{line[end:]}")
    return None


def _colon(line: str) -> Repair | None:
    """A sentence with a colon, which YAML takes for a key."""
    entry = _ENTRY.match(line) or _FLOW_ENTRY.search(line)
    if entry is None:
        return None
    before, key, value = entry.groups()
    written = f"{key}: {json.dumps(value, ensure_ascii=False)}"
    message = f"{key}: the text lacks quotes, which a colon in it asks for; write {written}"
    return Repair(message, f"{line[: entry.start()]}{before}{written}{line[entry.end() :]}")


def _closing(line: str, start: int) -> int:
    """Where the call that begins here ends; 0 where it does not in this line."""
    depth = 0
    for position in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[position], 0)
        if line[position] == ")" and depth == 0:
            return position + 1
    return 0


def _is_quoted(line: str, position: int) -> bool:
    return line[:position].count('"') % 2 == 1 or line[:position].count("'") % 2 == 1
