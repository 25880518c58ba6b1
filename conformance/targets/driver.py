"""Whether this machine has a device, before gigabytes are installed for it."""

from __future__ import annotations

import sys
from pathlib import Path

from conformance.targets.errors import TargetBlocked
from conformance.targets.recipe import Recipe
from conformance.targets.resolve import Target


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
