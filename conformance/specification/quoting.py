"""Adds missing quotes to text that YAML cannot read, so that the rest of the file can be checked too."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

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
