"""Whether there is room and a device for what is about to be installed, and how much that is."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.recipe import Attempt, Recipe
from conformance.environments.resolve import Target
from conformance.environments.stored import home_folder, known_recipe, stored_environment
from conformance.environments.uv import Uv

_MEGABYTES_PER_SECOND = 10
_COMPRESSION = 2
"""What is on disk is about this many times as large as what is downloaded."""


def to_install(targets: Iterable[Target]) -> str | None:
    """A sentence on the environments that do not exist yet, with their size and about how long it takes; None if none."""
    sizes = {target.asked: _size(target) for target in targets if _is_missing(target)}
    known = {name: size for name, size in sizes.items() if size is not None}
    if not known:
        return None
    total = sum(known.values())
    minutes = math.ceil(total * 1000 / _COMPRESSION / _MEGABYTES_PER_SECOND / 60)
    each = ", ".join(f"{name} {size:g} GB" for name, size in known.items())
    return (
        f"this first run creates environments, which later runs use again: {each}; at {_MEGABYTES_PER_SECOND} MB/s that takes "
        f"about {minutes} min"
    )


def _is_missing(target: Target) -> bool:
    if target.interpreter is not None:
        return False
    try:
        recipe = known_recipe(target)
        if recipe is None or stored_environment(recipe, home_folder()) is not None:
            return False
        check_driver(target, recipe)
    except (TargetBlocked, TargetError):
        return False  # preparing it reports the reason
    return True


def _size(target: Target) -> float | None:
    """Gigabytes on disk of the first way to install it; None if not known."""
    recipe = known_recipe(target)
    return recipe.attempts[0].size if recipe is not None else None


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


def check_driver(target: Target, recipe: Recipe) -> None:
    """Raise TargetBlocked if target.toml lists files of the device's driver, and none exists on this machine."""
    files = target.definition.devices[target.device_kind].driver if target.definition else []
    if not files or sys.platform != "linux" or any(map(_exists, files)):
        return
    size = recipe.attempts[-1].size
    raise TargetBlocked(
        f"this machine has no device {target.device_kind}: none of {', '.join(files)} exists. {recipe.title}"
        f"{f' ({size:g} GB)' if size else ''} was not installed; conformance env make --force {target.asked} installs it"
    )


def _exists(pattern: str) -> bool:
    root = Path(Path(pattern).anchor)
    return any(root.glob(str(Path(pattern).relative_to(root))))
