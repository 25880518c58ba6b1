"""The targets that exist by name: those of the suite, and those of installed packages.

A package offers a target with an entry point in the group ``conformance.adapters``: its name is the target's, its value a
module of the package, whose folder contains adapter.py and target.toml.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.data_folders import adapters_folder
from conformance.distribution import DISTRIBUTION
from conformance.targets.errors import TargetError
from conformance.targets.outline import FILE_NAME, Outline, read_outline

GROUP = "conformance.adapters"


@dataclass(frozen=True)
class TargetFolder:
    """The folder of a target, and where it comes from."""

    name: str
    folder: Path
    source: str
    """The distribution with its version; ``opconform`` for a target of the suite."""


@cache
def target_folders() -> dict[str, TargetFolder]:
    """The folder of each target by name; TargetError for two of one name, or a package without an adapter."""
    suite = [
        TargetFolder(path.parent.name, path.parent, DISTRIBUTION) for path in adapters_folder().glob(f"*/{FILE_NAME}")
    ]
    folders: dict[str, TargetFolder] = {}
    for target in sorted([*suite, *_of_packages()], key=lambda target: target.name):
        other = folders.setdefault(target.name, target)
        if other is not target:
            raise TargetError(
                f"two targets are named {target.name!r}: one of {other.source} ({other.folder}), "
                f"one of {target.source} ({target.folder}); uninstall one of them"
            )
    return folders


@cache
def outlines() -> dict[str, Outline]:
    """The outline of each target by name, without those that cannot be read."""
    read = {name: read_outline(target.folder / FILE_NAME) for name, target in target_folders().items()}
    return {name: outline for name, outline in read.items() if outline is not None}


def _of_packages() -> list[TargetFolder]:
    return [_target_folder(entry) for entry in importlib.metadata.entry_points(group=GROUP)]


def _target_folder(entry: importlib.metadata.EntryPoint) -> TargetFolder:
    source = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value
    try:
        spec = importlib.util.find_spec(entry.value)
    except (ImportError, ValueError):
        spec = None
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    for folder in map(Path, folders):
        if (folder / "adapter.py").is_file() and (folder / FILE_NAME).is_file():
            return TargetFolder(entry.name, folder, source)
    raise TargetError(
        f"the entry point {entry.name} = {entry.value} of {source} names no package with adapter.py and {FILE_NAME}"
    )
