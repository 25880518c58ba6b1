"""Check the free disk space before gigabytes are downloaded."""

from __future__ import annotations

import shutil
from pathlib import Path

from conformance.targets.errors import TargetBlocked
from conformance.targets.recipe import Attempt
from conformance.targets.uv import Uv

_GIGABYTE = 1e9


def check_disk_space(uv: Uv, folder: Path, attempt: Attempt) -> None:
    """Raise TargetBlocked if a disk has less free space than an attempt needs.

    uv unpacks into its cache and links from there, or copies if the folder is on another disk, so both disks need the
    space. Offline everything is unpacked already, so nothing is checked.
    """
    if attempt.size is None or uv.offline:
        return
    for location in _disks(folder, _cache(uv)):
        free = shutil.disk_usage(location).free / _GIGABYTE
        if free < attempt.size:
            raise TargetBlocked(
                f"{attempt.label} needs about {attempt.size:g} GB, but {location} has only {free:.1f} GB free. Free some "
                "with `conformance env remove` and `uv cache prune`, or set CONFORMANCE_HOME and UV_CACHE_DIR to another "
                "disk. (--offline skips this check.)"
            )


def _cache(uv: Uv) -> Path | None:
    result = uv.run("cache", "dir")
    return Path(result.output.strip()) if result.ok and result.output.strip() else None


def _disks(*folders: Path | None) -> list[Path]:
    """The first folder on each disk; for a missing folder, its nearest existing parent."""
    existing = [next(path for path in (folder, *folder.parents) if path.exists()) for folder in folders if folder]
    return list({folder.stat().st_dev: folder for folder in reversed(existing)}.values())
