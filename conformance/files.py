"""Files that are replaced as a whole: a reader meets the old content or the new one, never half of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` that replaces it at the end of the block; after an error ``path`` is as it was.

    Its name ends like that of ``path``, as the suffix may decide how the file is written.
    """
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Write text as UTF-8 in place of what the file holds."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
