"""What specs hold, by name. It is kept between commands: reading specs takes longer than listing them."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path
from typing import TypedDict

from conformance import __version__
from conformance.files import replace_text
from conformance.places import specs_folder
from conformance.targets.home import home_folder


class ClauseContents(TypedDict):
    """A clause with the ids of its cases."""

    id: str
    states: str
    cases: list[str]


class OperationContents(TypedDict):
    """An operation with its clauses."""

    name: str
    summary: str
    clauses: list[ClauseContents]


def contents(path: Path | None) -> list[OperationContents]:
    """The operations of a path of specs, or of the suite's own; Failure where they cannot be read."""
    place = (path or specs_folder()).absolute()
    key = _key(place)
    file = home_folder() / "contents" / f"{hashlib.sha256(str(place).encode()).hexdigest()[:16]}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["key"] == key:
            operations: list[OperationContents] = kept["operations"]
            return operations
    found = _read(path)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_text(file, json.dumps({"key": key, "operations": found}))
    return found


def _key(place: Path) -> str:
    """Another one as soon as any text that could matter is another one."""
    digest = hashlib.sha256(__version__.encode())
    for folder in {place if place.is_dir() else place.parent, specs_folder()}:
        for file in sorted([*folder.glob("*.yaml"), *folder.glob("*/*.yaml"), *folder.glob("*.py")]):
            with contextlib.suppress(OSError):
                digest.update(str(file).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _read(path: Path | None) -> list[OperationContents]:
    from conformance.cli import loading

    return [
        {
            "name": operation.name,
            "summary": operation.summary,
            "clauses": [
                {
                    "id": clause.id,
                    "states": clause.states,
                    "cases": [f"{clause.id}/{written_call.name}" for written_call in clause.written_calls],
                }
                for clause in operation.clauses
            ],
        }
        for operation in loading.catalogue(path).operations.values()
    ]
