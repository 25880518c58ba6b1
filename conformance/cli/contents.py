"""The names in the specs, and of the cases that a run has. They are cached, because building cases takes longer than listing them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from pathlib import Path
from typing import TypedDict

import click

from conformance.cases.code_digest import code_digest
from conformance.data_folders import reference_adapter, specs_folder
from conformance.environments.stored import home_folder
from conformance.files import read_regular, replace_text


class ClauseContents(TypedDict):
    """A clause with the ids of its cases, written and derived."""

    id: str
    states: str
    cases: list[str]


class OperationContents(TypedDict):
    """An operation with its clauses."""

    name: str
    summary: str
    clauses: list[ClauseContents]


def contents(path: Path | None) -> list[OperationContents]:
    """The operations of a spec file or folder, by default the suite's; ConformanceError for invalid specs."""
    source = (path or specs_folder()).absolute()
    key = _key(source)
    file = home_folder() / "contents" / f"{hashlib.sha256(str(source).encode()).hexdigest()[:16]}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        cached = json.loads(file.read_text(encoding="utf-8"))
        if cached["key"] == key:
            operations: list[OperationContents] = cached["operations"]
            return operations
    if sys.stderr.isatty():
        click.echo("building the cases of the specs, once ...", err=True)
    operations = _read(path)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_text(file, json.dumps({"key": key, "operations": operations}))
    return operations


def _key(source: Path) -> str:
    """A digest of everything that the names depend on."""
    digest = hashlib.sha256(code_digest().encode() + read_regular(reference_adapter()))
    for folder in {source if source.is_dir() else source.parent, specs_folder()}:
        for file in sorted([*folder.glob("*.yaml"), *folder.glob("*/*.yaml"), *folder.glob("*.py")]):
            with contextlib.suppress(OSError):
                digest.update(str(file).encode() + b"\0" + read_regular(file) + b"\0")
    return digest.hexdigest()


def _read(path: Path | None) -> list[OperationContents]:
    from conformance.app import loading

    loaded = loading.catalogue_with_cases(path)
    ids: dict[str, list[str]] = {}
    for case in loaded.cases:
        ids.setdefault(case.clause.id, []).append(case.id)
    return [
        {
            "name": operation.name,
            "summary": operation.summary,
            "clauses": [
                {
                    "id": clause.id,
                    "states": clause.states,
                    "cases": ids.get(clause.id, []),
                }
                for clause in operation.clauses
            ],
        }
        for operation in loaded.catalogue.operations.values()
    ]
