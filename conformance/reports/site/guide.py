"""The documentation of the suite as pages of the site: Markdown files of one folder, whose links to each other are kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it.token import Token


_LINKED = re.compile(r"\]\(([\w-]+)\.md\)")
_ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')


@dataclass(frozen=True)
class Chapter:
    """A file."""

    name: str
    title: str
    html: Markup


@dataclass(frozen=True)
class Guide:
    """The files of a folder: first ``index.md``, if there is one, then what it links to in its order, then the others by name."""

    chapters: Sequence[Chapter]

    @property
    def first(self) -> str | None:
        """The name of the chapter to begin with; None without chapters."""
        return next((chapter.name for chapter in self.chapters), None)

    @classmethod
    def read(cls, folder: Path) -> Guide:
        """The chapters of a folder with Markdown files; OSError if it cannot be read."""
        paths = {path.stem: path for path in sorted(folder.glob("*.md"))}
        index = paths["index"].read_text(encoding="utf-8") if "index" in paths else ""
        linked = [name for name in _LINKED.findall(index) if name in paths]
        order = dict.fromkeys([*(["index"] if index else []), *linked, *paths])
        return cls([_chapter(paths[name], paths.keys()) for name in order])


def _chapter(path: Path, names: Collection[str]) -> Chapter:
    from markdown_it import MarkdownIt  # rich installs it; only publishing needs it

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    title = path.stem
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            text = tokens[position + 1].content
            title = text.replace("`", "") if token.tag == "h1" and title == path.stem else title
            token.attrSet("id", _heading_id(text))
        for child in token.children or ():
            _link(child, names)
        if token.children:
            token.children = [
                part for child in token.children if child.type != "image" for part in _with_anchors(child)
            ]
    # rendered from the suite's own files, without raw HTML other than anchors
    return Chapter(path.stem, title, Markup(markdown.renderer.render(tokens, markdown.options, {})))  # noqa: S704


def _heading_id(text: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _with_anchors(token: Token) -> Iterator[Token]:
    """The parts of an inline token: anchors such as those of a glossary, and the text between them."""
    if token.type != "text":
        yield token
        return
    for number, part in enumerate(_ANCHOR.split(token.content)):
        # every second part is the name of an anchor
        is_anchor = number % 2 == 1
        content = f'<a id="{part}"></a>' if is_anchor else part
        yield token.copy(type="html_inline" if is_anchor else "text", content=content)


def _link(token: Token, names: Collection[str]) -> None:
    """A link to another chapter leads to its page; one to a file that is not part of the site leads nowhere."""
    if token.type != "link_open":
        return
    file, _, fragment = str(token.attrGet("href") or "").partition("#")
    if file.startswith(("https://", "http://")) or (not file and fragment):
        return
    name = file.removesuffix(".md")
    if name in names:
        token.attrSet("href", f"../{name}/index.html{f'#{fragment}' if fragment else ''}")
    else:
        token.attrs.pop("href", None)
