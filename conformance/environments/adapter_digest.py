"""Whether an adapter is still the one that gave earlier results."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from conformance.environments.packages import target_folders
from conformance.environments.resolve import Target
from conformance.environments.target_toml import FILE_NAME
from conformance.files import read_regular


def module_paths(target: Target, modules: Mapping[str, str]) -> dict[str, str]:
    """The files of modules by name, relative to the adapter's folder, so that they are the same in a copy of both.

    An adapter of a package consists of its folder: what comes from elsewhere is what a framework has compiled, such as PyTensor.
    """
    paths = {name: os.path.relpath(file, target.adapter.parent) for name, file in sorted(modules.items())}
    return {name: path for name, path in paths.items() if target.is_file or not path.startswith(os.pardir)}


def source_digest(target: Target, modules: Mapping[str, str]) -> str:
    """Differs if anything differs that the adapter consists of.

    That is its file, the target.toml beside it, the modules that it imports, and for a target of a package all Python
    files of its folder and the version of the package. modules: as returned by ``module_paths``.
    """
    folder = target.adapter.parent
    files = {"adapter": target.adapter, FILE_NAME: target.adapter.with_name(FILE_NAME)}
    files |= {f"module {name}": folder / path for name, path in modules.items()}
    if target.definition is not None:
        files[f"own {FILE_NAME}"] = target.definition.folder / FILE_NAME
    digest = hashlib.sha256()
    if not target.is_file:
        digest.update(target_folders()[target.framework].source.encode())
        files |= {f"file {path.relative_to(folder)}": path for path in folder.rglob("*.py")}
    for name, file in sorted(files.items()):
        digest.update(f"{name}\0{_digest_of(file)}\0".encode())
    return digest.hexdigest()[:16]


def _digest_of(file: Path) -> str:
    try:
        return hashlib.sha256(read_regular(file)).hexdigest()
    except OSError:
        return "none"
