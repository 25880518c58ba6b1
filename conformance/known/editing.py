"""Editing a ledger's text, so that its comments and its order stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from conformance.files import replacing
from conformance.known.load import load_ledger
from conformance.known.model import Entry, Ledger
from conformance.known.proposals import Proposal
from conformance.specification.problems import SpecError

KEY = "divergences:"

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./*?-]*")
_NOT_TEXT = frozenset({"true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL"})


class EditError(Exception):
    """A ledger that cannot be edited by a program; the message says what to do."""


def entry_text(proposal: Proposal, reason: str, link: str) -> str:
    """An entry as it is written below ``divergences:``, not indented."""
    lines = [f"{proposal.id}:"]
    lines += _listed("cases", proposal.cases)
    lines.append(f"  api: {_scalar(proposal.api)}")
    if proposal.when:
        inside = ", ".join(f"{name}: {_scalar(value)}" for name, value in proposal.when.items())
        lines.append(f"  when: {{{inside}}}")
    kinds = [_scalar(kind) for kind in proposal.kinds]
    lines.append(f"  kind: {kinds[0] if len(kinds) == 1 else '[' + ', '.join(kinds) + ']'}")
    if proposal.behaviour is not None:
        lines.append(f"  behaviour: {_scalar(proposal.behaviour)}")
    lines += [f"  reason: {_scalar(reason)}", f"  link: {_scalar(link)}"]
    return "\n".join(lines)


def appended(text: str, entries: Sequence[str]) -> str:
    """The text with more entries at its end, indented as those before."""
    lines = text.splitlines() or [KEY]
    at = next((number for number, line in enumerate(lines) if line.startswith(KEY)), None)
    if at is None or lines[at].removeprefix(KEY).partition("#")[0].strip() not in ("", "{}"):
        raise EditError(f"write {KEY} on a line of its own, and each entry indented below it")
    lines[at] = lines[at].replace(" {}", "", 1)
    written = [line for line in lines[at + 1 :] if line.strip() and not line.lstrip().startswith("#")]
    spaces = _indentation(written[0]) if written else "  "
    for entry in entries:
        if lines[-1].strip() and len(lines) > at + 1:
            lines.append("")
        lines += [spaces + line for line in entry.splitlines()]
    return "\n".join(lines) + "\n"


def without(text: str, ledger: Ledger, gone: Mapping[str, Collection[str]]) -> str:
    """The text without patterns of some entries, by id, and without an entry that has none left; all comments stay."""
    lines = text.splitlines()
    dropped: set[int] = set()
    for place, entry in enumerate(ledger.entries):
        patterns = gone.get(entry.id, ())
        if all(pattern.text in patterns for pattern in entry.patterns):
            after = ledger.entries[place + 1].place.line - 1 if place + 1 < len(ledger.entries) else len(lines)
            dropped |= _block(lines, entry, after)
        elif patterns:
            dropped |= _items(lines, entry, patterns)
    kept = [line for number, line in enumerate(lines) if number not in dropped]
    if len([entry for entry in ledger.entries if entry.place.line - 1 not in dropped]) == 0:
        kept = [line.replace(KEY, f"{KEY} {{}}", 1) if line.startswith(KEY) else line for line in kept]
    return "\n".join(kept) + "\n"


def save(file: Path, text: str, ids: Collection[str]) -> None:
    """Replace the file at once; EditError, and the file as it was, where the text is not a ledger of these entries."""
    try:
        with replacing(file) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
            if {entry.id for entry in load_ledger(temporary).entries} != set(ids):
                raise EditError("its form is one that cannot be edited by a program; change it by hand")
    except SpecError as error:
        raise EditError(f"the change would not be a ledger: {error.problems[0].message}") from None
    except OSError as error:
        raise EditError(f"cannot be written: {error.strerror}") from None


def _listed(key: str, texts: Sequence[str]) -> list[str]:
    if len(texts) == 1:
        return [f"  {key}: {_scalar(texts[0])}"]
    return [f"  {key}:", *(f"    - {_scalar(text)}" for text in texts)]


def _scalar(text: str) -> str:
    """Text as YAML reads it back; JSON's strings are YAML's too."""
    plain = _PLAIN.fullmatch(text) and text not in _NOT_TEXT
    return text if plain else json.dumps(text, ensure_ascii=False)


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _block(lines: Sequence[str], entry: Entry, after: int) -> set[int]:
    """The lines of an entry, up to the comments and empty lines that stand before what follows it."""
    first = entry.place.line - 1
    deepest = len(_indentation(lines[first]))
    while after > first + 1 and _stands_outside(lines[after - 1], deepest):
        after -= 1
    return set(range(first, after))


def _stands_outside(line: str, deepest: int) -> bool:
    return not line.strip() or (line.lstrip().startswith("#") and len(_indentation(line)) <= deepest)


def _items(lines: Sequence[str], entry: Entry, patterns: Collection[str]) -> set[int]:
    """The lines of some patterns in a list that has a line for each."""
    found = {pattern.place.line - 1 for pattern in entry.patterns if pattern.text in patterns}
    if len(found) != len(patterns) or not all(lines[number].lstrip().startswith("- ") for number in found):
        raise EditError(f"write the cases of {entry.id} on a line each, or remove by hand: {', '.join(patterns)}")
    return found
