"""Edits YAML and preserves the comments, quotes and indentation of unchanged parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.files import replacing

if TYPE_CHECKING:
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

_MARKS = re.compile("[\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Marks that change the direction of text, or end a line for some readers."""


def loaded(text: str) -> CommentedMap:
    """The mapping of a text with its formatting, empty for an empty text; ValueError for anything else."""
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.error import YAMLError

    try:
        content = _yaml().load(text)
    except YAMLError as error:
        raise ValueError(str(error)) from None
    content = CommentedMap() if content is None else content
    if not isinstance(content, CommentedMap):
        raise ValueError("not a mapping")  # noqa: TRY004 - the text is invalid, not the type of an argument
    return content


def dumped(content: CommentedMap) -> str:
    """The text of a mapping, with the indentation that it was loaded with."""
    yaml = _yaml()
    mapping = next(_map_indents(content), 2)
    sequence = next(_sequence_indents(content), mapping + 2)
    yaml.indent(mapping=mapping, sequence=sequence, offset=sequence - 2)
    text = StringIO()
    yaml.dump(content, text)
    return text.getvalue()


def save(file: Path, content: CommentedMap | str, check: Callable[[Path], object]) -> None:
    """Replace a file, which is made where it is missing, by text that ``check`` accepts; what it raises leaves the file unchanged."""
    file.parent.mkdir(exist_ok=True)
    with replacing(file) as temporary:
        temporary.write_text(content if isinstance(content, str) else dumped(content), encoding="utf-8", newline="\n")
        check(temporary)


def remove(content: CommentedMap | CommentedSeq, key: Any) -> None:
    """Remove a key of a mapping or an item of a list; comments before and after it remain, and one of the empty lines around it."""
    keys = list(content) if isinstance(content, dict) else list(range(len(content)))
    index = keys.index(key)
    column = content.lc.data[key][1] - (0 if isinstance(content, dict) else 2)
    after = _outside(_tail(content, key).text, column)
    del content[key]
    before = _tail(content, keys[index - 1]) if index else None
    if before is None or before.text.endswith("\n\n"):
        after = after.lstrip("\n")
    if not after:
        return
    if before is not None:
        before.append(after)
    else:
        _before(content).append(_token(after))


def add(content: CommentedMap, key: str, value: CommentedMap) -> None:
    """Add a key at the end, after an empty line."""
    siblings = [sibling for sibling in content.values() if _is_loaded(sibling)]
    column = _column(siblings[0]) if siblings else 4
    for token in _before(value):
        token.start_mark.column = column
    if content:
        _tail(content, list(content)[-1]).end_with_an_empty_line()
    content[key] = value


def append(content: CommentedMap, key: str, value: Any) -> None:
    """Add a key on the line after the last one; comments and empty lines below that remain below."""
    below = _tail(content, list(content)[-1]).take_below() if content else ""
    content[key] = value
    if below:
        _tail(content, key).append(below)


def replace(content: CommentedMap, key: str, value: CommentedMap) -> None:
    """Replace a value; comments and empty lines below it remain below."""
    below = _tail(content, key).take_below()
    content[key] = value
    if below:
        _tail(content, key).append(below)


def empty(content: CommentedMap, key: str) -> None:
    """Replace the value of a key by an empty mapping; comments below the key remain."""
    comments = "".join(token.value for token in _before(content[key]))
    content[key] = loaded("")
    content.ca.items.pop(key, None)
    if comments:
        _tail(content, key).append(comments)


def on_one_line(value: dict[str, str] | list[str]) -> Any:
    """A mapping in braces or a list in brackets."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    flow = CommentedMap(value) if isinstance(value, dict) else CommentedSeq(value)
    flow.fa.set_flow_style()
    return flow


class _Tail:
    """The comment that follows a value."""

    def __init__(self, items: dict[Any, list[Any]], key: Any, slot: int) -> None:
        self.items, self.key, self.slot = items, key, slot

    @property
    def text(self) -> str:
        token = self.items.get(self.key, [None] * 4)[self.slot]
        return token.value if token is not None else ""

    def append(self, text: str) -> None:
        slots = self.items.setdefault(self.key, [None] * 4)
        slots[self.slot] = _token((self.text or "\n") + text)

    def take_below(self) -> str:
        """Remove and return the part of the comment that is on lines of its own."""
        first, _, below = self.text.partition("\n")
        if below:
            self.items[self.key][self.slot] = _token(f"{first}\n") if first.strip() else None
        return below

    def end_with_an_empty_line(self) -> None:
        if not self.text.endswith("\n\n"):
            self.append("\n")


def _tail(content: Any, key: Any) -> _Tail:
    value = content[key]
    if _is_block(value):
        return _tail(value, list(value)[-1] if isinstance(value, dict) else len(value) - 1)
    return _Tail(content.ca.items, key, 2 if isinstance(content, dict) else 0)


def _before(content: Any) -> list[Any]:
    if content.ca.comment is None:
        content.ca.comment = [None, []]
    if content.ca.comment[1] is None:
        content.ca.comment[1] = []
    tokens: list[Any] = content.ca.comment[1]
    return tokens


def _token(text: str) -> Any:
    from ruamel.yaml.error import CommentMark
    from ruamel.yaml.tokens import CommentToken

    return CommentToken(text, start_mark=CommentMark(0))


def _outside(comment: str, column: int) -> str:
    """The part of a comment after a value that is indented no deeper than the value."""
    lines = comment.splitlines(keepends=True)
    first = len(lines)
    while first > 1 and not (lines[first - 1].startswith(" " * (column + 1)) and lines[first - 1].strip()):
        first -= 1
    return "".join(lines[first:])


def _yaml() -> Any:
    # Imported here because it is slow and few commands edit YAML.
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 2**16
    yaml.Emitter = _escaping(yaml.Emitter)
    return yaml


def _escaping(emitter: Any) -> Any:
    """An emitter that escapes marks which change the direction of text, such as in ids of results; as YAML, they may stand there."""

    class Escaping(emitter):  # type: ignore[misc]
        allow_unicode: Any

        def analyze_scalar(self, scalar: Any) -> Any:
            analysis = super().analyze_scalar(scalar)
            if _MARKS.search(scalar):  # only in double quotes has anything an escape
                analysis.allow_flow_plain = analysis.allow_block_plain = False
                analysis.allow_single_quoted = analysis.allow_block = False
            return analysis

        def write_double_quoted(self, text: Any, split: bool = True) -> None:
            allowed, self.allow_unicode = self.allow_unicode, not _MARKS.search(text)
            super().write_double_quoted(text, split)
            self.allow_unicode = allowed

    return Escaping


def _is_block(value: Any) -> bool:
    """Whether a value is written on its own lines below its key."""
    return isinstance(value, dict | list) and bool(value) and hasattr(value, "fa") and not value.fa.flow_style()


def _is_loaded(value: Any) -> bool:
    return _is_block(value) and value.lc.data is not None


def _column(mapping: Any) -> int:
    return min(int(position[1]) for position in mapping.lc.data.values())


def _map_indents(content: Any) -> Iterator[int]:
    for key, value in content.items():
        if isinstance(value, dict) and _is_loaded(value):
            yield _column(value) - content.lc.key(key)[1]
            yield from _map_indents(value)


def _sequence_indents(content: Any) -> Iterator[int]:
    for key, value in content.items():
        if isinstance(value, dict) and _is_loaded(value):
            yield from _sequence_indents(value)
        elif _is_loaded(value):
            yield value.lc.data[0][1] - content.lc.key(key)[1]
