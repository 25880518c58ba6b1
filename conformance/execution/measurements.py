"""What earlier runs measured of targets: files in the suite's home folder with a number by framework, mode and device."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.files import replace_text

if TYPE_CHECKING:
    from conformance.results.records import TargetRecord
    from conformance.targets.resolve import Target

DURATIONS = "durations.json"
"""Seconds per case of each target in the last run."""
PEAKS = "memory.json"
"""Peak memory in bytes of each target in the last run."""


def key_of(target: Target | TargetRecord) -> str:
    """The key of a target in these files; all its versions share one."""
    return f"{target.framework}[{target.mode}]@{target.device.partition(':')[0]}"


def remembered(home: Path, file: str) -> dict[str, float]:
    """The numbers of a file; empty if there is no readable one."""
    try:
        content = json.loads((home / file).read_text(encoding="utf-8"))
        return {str(name): float(number) for name, number in content.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def remember(home: Path, file: str, numbers: Mapping[str, float]) -> None:
    """Store the numbers of a run for the next one, beside those of other targets; errors are ignored."""
    if numbers:
        with contextlib.suppress(OSError):
            home.mkdir(parents=True, exist_ok=True)
            replace_text(home / file, json.dumps({**remembered(home, file), **numbers}, indent=1))
