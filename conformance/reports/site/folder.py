"""The site in a folder: what an earlier report left there is replaced, and nothing else is touched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from conformance.files import replace_parts
from conformance.findings.conclusions import Conclusions
from conformance.reports.site.addresses import PAGE
from conformance.reports.site.call_data import START
from conformance.reports.site.guide import Guide
from conformance.reports.site.site import MARK, Published, site_files
from conformance.results.file import Results

FOLDERS = (
    "api",
    "operation",
    "situation",
    "finding",
    "port",
    "changes",
    "mode",
    "documents",
    "run",
    "guide",
    "data",
    "site",
)
"""What the site may consist of besides ``index.html``."""


def write_site(
    results: Results,
    folder: Path,
    conclusions: Conclusions | None = None,
    *,
    guide: Guide | None = None,
    published: Published | None = None,
) -> Path:
    """Write the site into a folder and return its first page, which is written last.

    The same results give the same files. OSError if the folder cannot be written.
    """
    remove_site(folder)
    first: Iterable[str] = ()
    for name, parts in site_files(results, conclusions, guide, published):
        if name == PAGE:
            first = parts
        else:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_parts(path, parts)
    replace_parts(folder / PAGE, first)
    return folder / PAGE


def remove_site(folder: Path) -> None:
    """Remove the pages and data of an earlier report, links in their place, and the folders that are then empty."""
    for name in FOLDERS:
        for path in _entries(folder / name):
            if path.is_symlink() or (path.is_file() and _is_ours(path)):
                path.unlink()
            elif path.is_dir():
                with suppress(OSError):  # not empty: there is something else in it
                    path.rmdir()


def _entries(top: Path) -> Iterator[Path]:
    """A folder after everything in it; links are not followed."""
    if top.is_symlink() or not top.is_dir():
        yield from [top] if top.is_symlink() else []
        return
    for parent, folders, files in os.walk(top, topdown=False):
        yield from (Path(parent) / name for name in [*files, *folders])
    yield top


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(64)
    return start.startswith((MARK.encode(), START.encode(), b"/* conformance */", b"// conformance"))


def move_site(source: Path, folder: Path) -> None:
    """Move the site of one folder into another, where it replaces an earlier one."""
    remove_site(folder)
    for name in FOLDERS:
        for path in sorted((source / name).rglob("*")):
            if path.is_file():
                to = folder / path.relative_to(source)
                to.parent.mkdir(parents=True, exist_ok=True)
                path.replace(to)
    remove_site(source)
