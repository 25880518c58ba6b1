"""Editing a ledger so that its comments and its order stay as they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.files import replacing
from conformance.known.load import load_known
from conformance.known.proposals import Proposal
from conformance.specification.problems import SpecError
from conformance.specification.round_trip import add, dumped, empty, loaded, on_one_line, remove

if TYPE_CHECKING:
    from ruamel.yaml.comments import CommentedMap

KEY = "divergences"


class EditError(Exception):
    """A ledger that cannot be edited by a program; the message says what to do."""


def entry_content(proposal: Proposal, reason: str, link: str) -> CommentedMap:
    """What stands below an entry's id."""
    cases, kinds = list(proposal.cases), list(proposal.kinds)
    content = loaded("")
    content |= {"cases": cases if len(cases) > 1 else cases[0], "api": proposal.api}
    if proposal.when:
        content["when"] = on_one_line(dict(proposal.when))
    content["kind"] = on_one_line(kinds) if len(kinds) > 1 else kinds[0]
    if proposal.behaviour is not None:
        content["behaviour"] = proposal.behaviour
    content |= {"reason": reason, "link": link}
    return content


def edited(text: str, gone: Mapping[str, Collection[str]], new: Mapping[str, CommentedMap]) -> str:
    """A ledger's text without some patterns of entries, by id, and with new entries; an entry needs a pattern."""
    try:
        content = loaded(text)
    except ValueError as error:
        raise EditError(f"not a ledger: {error}") from None
    entries = content.setdefault(KEY, loaded(""))
    for name, patterns in gone.items():
        cases = entries[name]["cases"]
        left = [case for case in _as_list(cases) if case not in patterns]
        if not left:
            remove(entries, name)
            continue
        for number in reversed([n for n, case in enumerate(cases) if case in patterns]):
            remove(cases, number)
    if not entries:
        empty(content, KEY)
    for name, fields in new.items():
        add(content[KEY], name, fields)
    return dumped(content)


def save(file: Path, text: str, ids: Collection[str]) -> None:
    """Replace the file at once; EditError, and the file as it was, where the text is not a ledger of these entries."""
    try:
        with replacing(file) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
            if {entry.id for entry in load_known(temporary).entries} != set(ids):
                raise EditError("its form is one that cannot be edited by a program; change it by hand")
    except SpecError as error:
        raise EditError(f"the change would not be a ledger: {error.problems[0].message}") from None
    except OSError as error:
        raise EditError(f"cannot be written: {error.strerror}") from None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
