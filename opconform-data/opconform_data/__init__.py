"""The conclusions of a run of opconform: what frameworks do in scatter and gather, as plain JSON."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from opconform_data.version import __version__

__all__ = ["__version__", "behaviours", "conclusions", "path", "schema"]


def path(name: str) -> Path:
    """Return a file, such as ``behaviours.json.gz``; FileNotFoundError says which there are."""
    folder = Path(__file__).parent
    names = sorted(file.name for file in folder.glob("*.json*"))
    if name not in names:
        raise FileNotFoundError(f"{name}: not in opconform_data, which has {', '.join(names)}")
    return folder / name


def behaviours() -> dict[str, Any]:
    """Return what each API does in each situation."""
    return _read("behaviours")


def conclusions() -> dict[str, Any]:
    """Return every statement, with the cases that it rests on."""
    return _read("conclusions")


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of ``behaviours`` or ``conclusions``."""
    loaded: dict[str, Any] = json.loads(path(f"{name}.schema.json").read_text(encoding="utf-8"))
    return loaded


def _read(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(gzip.decompress(path(f"{name}.json.gz").read_bytes()))
    return loaded
