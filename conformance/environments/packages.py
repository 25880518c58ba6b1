"""The targets that exist by name: those of the suite, and those of installed packages.

A package offers a target with an entry point in the group ``conformance.adapters``: its name is the target's, its value a
module of the package, whose folder contains adapter.py and target.toml. A package that does not is reported by a warning, and
offers nothing; its code is never imported.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import warnings
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from conformance.data_folders import adapters_folder
from conformance.distribution import DISTRIBUTION
from conformance.environments.name_checks import Outline, read_outline
from conformance.environments.target_toml import FILE_NAME, base_folder

GROUP = "conformance.adapters"


@dataclass(frozen=True)
class TargetFolder:
    """The folder of a target, and where it comes from."""

    name: str
    folder: Path
    source: str
    """The distribution with its version; ``opconform`` for a target of the suite."""

    @property
    def adapter(self) -> Path:
        """Its own, or that of the target that it extends."""
        return base_folder(self.folder / FILE_NAME) / "adapter.py"


class PackageWarning(UserWarning):
    """A package offers a target that cannot be used."""


@cache
def target_folders() -> dict[str, TargetFolder]:
    """The folder of each target by name; a PackageWarning for each package that offers none, or one that exists already."""
    suite = [
        TargetFolder(path.parent.name, path.parent, DISTRIBUTION) for path in adapters_folder().glob(f"*/{FILE_NAME}")
    ]
    folders: dict[str, TargetFolder] = {}
    # Of two with one name, the suite's is used.
    for target in (*sorted(suite, key=_by_name), *sorted(_of_packages(), key=_by_name)):
        other = folders.setdefault(target.name, target)
        if other is not target:
            warn(
                f"two targets are named {target.name!r}: one of {other.source} ({other.folder}), which is used, and one of "
                f"{target.source} ({target.folder}); uninstall one of them"
            )
    return dict(sorted(folders.items()))


def warn(message: str) -> None:
    """Say what is wrong with an installed package, which does not matter unless its target is used."""
    warnings.warn(message, PackageWarning, stacklevel=3)


def _by_name(target: TargetFolder) -> tuple[str, str]:
    return target.name, target.source


@cache
def outlines() -> dict[str, Outline]:
    """The outline of each target by name, without those that cannot be read."""
    read = {name: read_outline(target.folder / FILE_NAME) for name, target in target_folders().items()}
    return {name: outline for name, outline in read.items() if outline is not None}


def _of_packages() -> list[TargetFolder]:
    folders = []
    for entry in importlib.metadata.entry_points(group=GROUP):
        source = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value
        folder = _folder_of(entry.module)
        if folder is not None:
            folders.append(TargetFolder(entry.name, folder, source))
        else:
            place = f"the entry point {entry.name} = {entry.value} of {source}"
            warn(f"{place} names no package with adapter.py and {FILE_NAME}, so there is no target {entry.name}")
    return folders


def _folder_of(module: str) -> Path | None:
    """The folder of a package's module that has an adapter; None if there is none. Nothing is imported."""
    first, *others = module.split(".")
    try:
        spec = importlib.util.find_spec(first)
        for number, _ in enumerate(others, 2):
            # Not find_spec() of the whole name, which imports the packages around the module.
            locations = spec.submodule_search_locations if spec is not None else None
            spec = PathFinder.find_spec(".".join(module.split(".")[:number]), locations) if locations else None
    except (ImportError, ValueError):
        return None
    for folder in map(Path, (spec.submodule_search_locations if spec is not None else None) or ()):
        if (folder / FILE_NAME).is_file() and (base_folder(folder / FILE_NAME) / "adapter.py").is_file():
            return folder
    return None
