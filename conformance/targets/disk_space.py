"""Room on the disk: that there is too little is said before gigabytes are fetched."""

from __future__ import annotations

import shutil
from pathlib import Path

from conformance.targets.errors import TargetBlocked
from conformance.targets.recipe import Attempt
from conformance.targets.uv import Uv

_GIGABYTE = 1e9


def check_room(uv: Uv, folder: Path, attempt: Attempt) -> None:
    """Raise TargetBlocked where a disk has less room than an attempt is known to take.

    uv unpacks into its cache and links from there, or copies where the folder is on another disk: each disk needs all of
    it. Offline nothing is unpacked that is not there already, so nothing is asked for.
    """
    if attempt.size is None or uv.offline:
        return
    for place in _disks(folder, _cache(uv)):
        free = shutil.disk_usage(place).free / _GIGABYTE
        if free < attempt.size:
            raise TargetBlocked(
                f"{attempt.shown} takes about {attempt.size:g} GB, and the disk of {place} has {free:.1f} GB left. Make room "
                "with `conformance env remove` and `uv cache prune`, or let CONFORMANCE_HOME and UV_CACHE_DIR name folders "
                "on another disk. With --offline what uv's cache holds is installed without asking for room"
            )


def _cache(uv: Uv) -> Path | None:
    found = uv.ask("cache", "dir")
    return Path(found.output.strip()) if found.ok and found.output.strip() else None


def _disks(*folders: Path | None) -> list[Path]:
    """The folders that exist, or what exists above them, the first for each disk."""
    existing = [next(one for one in (folder, *folder.parents) if one.exists()) for folder in folders if folder]
    return list({folder.stat().st_dev: folder for folder in reversed(existing)}.values())
