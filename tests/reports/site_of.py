"""The site of results as a dictionary, and its pages as elements."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

from conformance.reports.site import site_files
from conformance.results.file import Results

VOID = {"br", "meta", "input", "wbr", "link"}


def site_of(results: Results) -> dict[str, str]:
    """Each file by its path."""
    return {path: "".join(parts) for path, parts in site_files(results)}


def words(text: str) -> str:
    """The text of a page in reading order."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", re.sub(r"<wbr>|</?code>", "", text))).split())


def data_of(script: str) -> Any:
    """What a file with data hands over."""
    return json.loads("[" + script.removeprefix("received(").removesuffix(");\n") + "]")[1]


class Parsed(HTMLParser):
    """The elements of a page, with their attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.elements if "id" in attributes]

    @property
    def text(self) -> str:
        """The words of the page, in the order of their elements' names."""
        return " ".join(" ".join(" ".join(part) for part in self.texts.values()).split())
