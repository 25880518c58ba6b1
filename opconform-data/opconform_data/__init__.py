"""The conclusions of a run of opconform: what frameworks do in scatter and gather, as plain JSON."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opconform_data.version import __version__

if TYPE_CHECKING:
    from opconform_data.types import Behaviours, ClaimEntry, Conclusions, Support

__all__ = ["__version__", "behaviours", "claims", "conclusions", "path", "schema", "support"]


def path(name: str) -> Path:
    """Return a file, such as ``behaviours.json.gz``; FileNotFoundError says which there are."""
    folder = Path(__file__).parent
    names = sorted(file.name for file in folder.glob("*.json*"))
    if name not in names:
        raise FileNotFoundError(f"{name}: not in opconform_data, which has {', '.join(names)}")
    return folder / name


def support() -> Support:
    """Return by API, operation, configuration and situation what it does, and in which versions."""
    return _read("support")


def claims() -> dict[str, ClaimEntry]:
    """Return what the documents say, with their addresses, by the ids that other files name."""
    return support()["claims"]


def behaviours() -> Behaviours:
    """Return what each API does in each situation, in its newest version."""
    return _read("behaviours")


def conclusions() -> Conclusions:
    """Return every statement, with the cases that it rests on."""
    return _read("conclusions")


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of ``behaviours``, ``conclusions`` or ``support``."""
    loaded: dict[str, Any] = json.loads(path(f"{name}.schema.json").read_text(encoding="utf-8"))
    return loaded


def _read(name: str) -> Any:
    return json.loads(gzip.decompress(path(f"{name}.json.gz").read_bytes()))
