"""Which operations of specs have passed a check, by the digest of what it looked at."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Collection
from pathlib import Path

from conformance.files import read_regular, replace_text

_NAME = "checked.json"


def passed(folder: Path, names: Collection[str], digest_of: Callable[[str], str]) -> frozenset[str]:
    """Those of these operations that have passed with the digest of today.

    folder: that of the cases of the specs.
    """
    digests = _read(folder)
    return frozenset(name for name in names if digests.get(name) == digest_of(name))


def note_passed(folder: Path, names: Collection[str], digest_of: Callable[[str], str]) -> None:
    """Remember that operations have passed; errors of the file system are ignored, since a check can be repeated."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        replace_text(folder / _NAME, json.dumps({**_read(folder), **{name: digest_of(name) for name in names}}))


def _read(folder: Path) -> dict[str, str]:
    try:
        digests = json.loads(read_regular(folder / _NAME))
    except (OSError, ValueError, RecursionError):
        return {}
    return digests if isinstance(digests, dict) else {}
