"""Edit a divergences.yaml without changing its comments and its order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from glob import escape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from conformance.known.load import load_known
from conformance.known.proposals import Proposal
from conformance.specification import yaml_editing
from conformance.specification.problems import SpecError
from conformance.specification.yaml_editing import add, dumped, empty, loaded, on_one_line, remove

if TYPE_CHECKING:
    from ruamel.yaml.comments import CommentedMap

KEY = "divergences"


class EditError(Exception):
    """A file that cannot be edited by a program; the message says what to do."""


def entry_content(
    proposal: Proposal, reason: str, link: str, since: date, expires: date | None = None, *, triaged: bool = True
) -> CommentedMap:
    """The fields of an entry."""
    kinds = list(proposal.kinds)
    content = loaded("")
    for key, patterns in (("cases", proposal.cases), ("programs", proposal.programs)):
        if patterns:
            content[key] = list(patterns) if len(patterns) > 1 else patterns[0]
    content["api"] = escape(proposal.api)  # where a name is a pattern
    if proposal.when:
        content["when"] = on_one_line(dict(proposal.when))
    content["kind"] = on_one_line(kinds) if len(kinds) > 1 else kinds[0]
    if proposal.behaviour is not None:
        content["behaviour"] = proposal.behaviour
    content["since"] = since.replace()  # of its own, as YAML has aliases for what several entries share
    if expires is not None:
        content["expires"] = expires.replace()
    if not triaged:
        content["triaged"] = False
    content |= {"reason": reason, "link": link}
    return content


def edited(
    text: str,
    removed: Mapping[str, Collection[str]] = MappingProxyType({}),
    added: Mapping[str, CommentedMap] = MappingProxyType({}),
    replaced: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType({}),
    ranges: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The text of a file without the ``removed`` patterns of cases (by entry id), and with the ``added`` entries.

    replaced: by entry id and pattern, the patterns in its place. ranges: by entry id, another range of versions. An entry that loses all its patterns, of programs too, is removed.
    EditError if the text is not valid YAML.
    """
    try:
        content = loaded(text)
    except ValueError as error:
        raise EditError(f"not a file of known divergences: {error}") from None
    entries = content.setdefault(KEY, loaded(""))
    for name, patterns in removed.items():
        cases = entries[name]["cases"]
        if set(_as_list(cases)) <= set(patterns):
            if "programs" in entries[name]:
                remove(entries[name], "cases")
            else:
                remove(entries, name)
            continue
        for index in reversed([index for index, case in enumerate(cases) if case in patterns]):
            remove(cases, index)
    for name, patterns_of in replaced.items():
        _replace(entries[name], patterns_of)
    for name, versions in ranges.items():
        entries[name]["when"]["version"] = versions
    if not entries:
        empty(content, KEY)
    for name, fields in added.items():
        add(content[KEY], name, fields)
    return dumped(content)


def _replace(entry: Any, patterns: Mapping[str, Sequence[str]]) -> None:
    cases = entry["cases"]
    if isinstance(cases, str):
        now = patterns[cases]
        entry["cases"] = now[0] if len(now) == 1 else list(now)
        return
    for index in reversed([index for index, case in enumerate(cases) if case in patterns]):
        first, *more = patterns[cases[index]]
        cases[index] = first
        for text in reversed(more):
            cases.insert(index + 1, text)


def save(file: Path, text: str, ids: Collection[str]) -> None:
    """Replace the file atomically; EditError if the text does not hold exactly these entries: the file is unchanged."""

    def check(written: Path) -> None:
        if {entry.id for entry in load_known(written).entries} != set(ids):
            raise EditError("cannot edit this form of YAML; edit the file by hand")

    try:
        yaml_editing.save(file, text, check)
    except SpecError as error:
        raise EditError(f"the change would make the file invalid: {error.problems[0].message}") from None
    except OSError as error:
        raise EditError(f"cannot write the file: {error.strerror}") from None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
