"""What a run will install before it begins, and how much that is."""

from __future__ import annotations

import math
from collections.abc import Iterable

from conformance.targets.driver import check_driver
from conformance.targets.errors import TargetBlocked, TargetError
from conformance.targets.existing import known_recipe, stored_environment
from conformance.targets.home import home_folder
from conformance.targets.resolve import Target

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
