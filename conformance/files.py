"""Atomic replacement of files: readers see either the old or the new content."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file that replaces ``path`` at the end of the block; after an error ``path`` is unchanged.

    It has the same suffix as ``path``, because the suffix may determine the format.
    """
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Replace the content of a file by text, encoded as UTF-8."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
