"""Where each page of the site is. All links are relative, so that they work from disk and below any address."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from posixpath import relpath
from urllib.parse import quote

from conformance.findings.findings import Cause
from conformance.findings.situations import Situation
from conformance.reports.text import visible

MOST = 80
"""Characters of the name of a folder."""
PAGE = "index.html"
FINDINGS = f"finding/{PAGE}"
"""The list of what is dangerous or breaks the documentation of its own API."""
PORTABILITY = f"finding/portability/{PAGE}"
"""The list of what contradicts the documentation of other APIs only."""


def folders(names: Iterable[str]) -> dict[str, str]:
    """A folder for each name: unique whatever a file system makes of upper and lower case, and safe whatever a name contains."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        folder = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:MOST]
        if folder.lower() in taken or not folder:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
            folder = f"{folder or 'name'}-{digest[:8]}"
        taken.add(folder.lower())
        found[name] = folder
    return found


def anchor(text: str) -> str:
    """An id of an element: ``negative index`` is ``negative-index``."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-").lower() or "row"


def relative(start: str, path: str) -> str:
    """The link from one page to another; both are relative to the root of the site, and ``path`` may have a fragment."""
    return _link(start.rpartition("/")[0] or ".", path)


@lru_cache(maxsize=10_000)
def _link(folder: str, path: str) -> str:
    file, _, fragment = path.partition("#")
    link = quote(relpath(file, folder))
    return f"{link}#{fragment}" if fragment else link


def place_in_list(cause: Cause) -> str:
    """Where the list that has the cause begins with its danger."""
    return f"{FINDINGS if cause.is_alarming else PORTABILITY}#{cause.danger}"


def call_fragment(case: str, target: str) -> str:
    """The fragment that opens a call on the page of its API."""
    return f"call={quote(visible(case), safe='/')}&target={quote(visible(target), safe='=@')}"


def without_page(path: str) -> str:
    """The address of a page on a server: ``api/torch.gather/``."""
    return path.removesuffix(PAGE)


class Addresses:
    """The path of each page below the root of the site."""

    def __init__(
        self,
        apis: Iterable[str],
        operations: Iterable[str],
        causes: Iterable[str],
        documents: Iterable[str],
        modes: Iterable[str],
        situations: Iterable[str],
    ) -> None:
        self._folders: Mapping[str, Mapping[str, str]] = {
            "api": folders(apis),
            "operation": folders(operations),
            "finding": folders(["portability", *causes]),
            "documents": folders(documents),
            "mode": folders(modes),
            "situation": folders(situations),
        }

    def api(self, name: str) -> str:
        return self._page("api", name)

    def operation(self, name: str) -> str:
        return self._page("operation", name)

    def situation(self, situation: Situation) -> str:
        return self._page("situation", situation.name)

    def cause(self, identifier: str) -> str:
        return self._page("finding", identifier)

    def document(self, name: str) -> str:
        return self._page("documents", name)

    def mode(self, target: str) -> str:
        """What differs on a target from the default mode; by the id of the target."""
        return self._page("mode", target)

    def port(self, first: str, second: str, operation: str | None = None) -> str:
        """From one framework to another; with an operation, the page of its APIs."""
        below = f"{self._folders['operation'][operation]}/" if operation else ""
        return f"port/{anchor(first)}/{anchor(second)}/{below}{PAGE}"

    def data(self, name: str) -> str:
        """The file with the calls of an API."""
        return f"data/{self._folders['api'][name]}.js"

    def cases(self, operation: str) -> str:
        """The file with the cases of an operation."""
        return f"data/cases/{self._folders['operation'][operation]}.js"

    def has_document(self, name: str) -> bool:
        return name in self._folders["documents"]

    def _page(self, kind: str, name: str) -> str:
        return f"{kind}/{self._folders[kind][name]}/{PAGE}"
