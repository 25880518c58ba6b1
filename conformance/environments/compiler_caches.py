"""Folders for what the compilers of a mode keep between processes and runs: one for each environment, adapter and processor."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import time
from functools import cache
from pathlib import Path

from conformance.environments.adapter_digest import source_digest
from conformance.environments.prepared_target import Prepared
from conformance.environments.stored import Environment, home_folder, size_on_disk
from conformance.files import FolderInUse, locked_folder

FOLDER = "compiled"
"""In the folder of an environment, so that it is removed with it, and counts as a part of its size; for the user's own
interpreters in the folder of the suite's data."""
MOST_BYTES = 4_000_000_000
"""A folder that has become larger is emptied by the next run."""
MOST_AGE = 7 * 86_400.0
"""Seconds after which a folder that no run has used, such as that of an adapter that has changed since, is removed."""
_HELD: dict[Path, int] = {}
"""The folders that this process uses, each with a descriptor that holds a shared lock until the process ends."""


def cache_variables(prepared: Prepared, fresh: Path | None = None) -> dict[str, str]:
    """The environment variables that name the folders of a target's compilers; none if these cannot be made.

    They are no part of its record, since results do not depend on them. fresh: an empty folder, in place of that of earlier runs.
    """
    if not prepared.mode.caches:
        return {}
    # Not every compiler distinguishes code for one thread from code for more.
    part = "other-threads" if prepared.overrides else "threads"
    with contextlib.suppress(OSError):
        folder = (_usable(_folder(prepared)) if fresh is None else fresh) / part
        folders = {name: folder / name.lower() for name in prepared.mode.caches}
        for one in folders.values():
            one.mkdir(parents=True, exist_ok=True)
        return {name: str(one) for name, one in folders.items()}
    return {}


def remove_caches_of_interpreters(home: Path) -> None:
    """Remove the folders of the user's own interpreters, but those that a run uses."""
    for folder in _folders_in(home / FOLDER):
        _remove(folder)


def _folder(prepared: Prepared) -> Path:
    environment = prepared.environment
    if environment.folder is not None:
        return environment.folder / FOLDER / _digest(source_digest(prepared.target, {}), _processor())
    return home_folder() / FOLDER / _digest(source_digest(prepared.target, {}), _processor(), *_content(environment))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _content(environment: Environment) -> list[str]:
    """What an interpreter of the user's consists of, which changes as it is used."""
    packages = [f"{name}=={version}" for name, version in sorted(environment.packages.items())]
    return [str(environment.python), environment.python_version, *packages]


@cache
def _processor() -> str:
    """What code is compiled for; machines that share a folder may differ in it."""
    features: list[str] = []
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        features = next((line.split()[1:] for line in lines if line.startswith(("flags", "Features"))), [])
    return " ".join([platform.machine(), *sorted(features)])


def _usable(folder: Path) -> Path:
    """The folder, locked against removal as long as this process runs, without those beside it that are no longer used."""
    if folder in _HELD:
        return folder
    for other in _folders_in(folder.parent):
        if other != folder and time.time() - other.stat().st_mtime > MOST_AGE:
            _remove(other)
    if folder.exists() and size_on_disk(folder) > MOST_BYTES:
        _remove(folder)
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    if sys.platform != "win32":
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        _HELD[folder] = descriptor
    return folder


def _folders_in(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*") if path.is_dir()]


def _remove(folder: Path) -> None:
    with contextlib.suppress(FolderInUse, OSError), locked_folder(folder):
        shutil.rmtree(folder, ignore_errors=True)
