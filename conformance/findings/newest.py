"""The target that represents a framework."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.version import InvalidVersion, Version

from conformance.results.records import TargetRecord


def newest(targets: Sequence[TargetRecord]) -> dict[str, TargetRecord]:
    """Framework to the first target of its newest version that started."""
    newest_targets: dict[str, TargetRecord] = {}
    for target in targets:
        current = newest_targets.get(target.framework)
        if current is None or _rank(target) > _rank(current):
            newest_targets[target.framework] = target
    return newest_targets


def version_of(text: str | None) -> Version:
    """Parse a version for comparison. An invalid version, such as a build from a branch, counts as the oldest."""
    try:
        return Version(text or "0")
    except InvalidVersion:
        return Version("0")


def release(target: TargetRecord) -> str:
    """The version without the local part that names a build."""
    return (target.version or "").partition("+")[0]


def _rank(target: TargetRecord) -> tuple[bool, Version]:
    return target.blocked is None, version_of(target.version)
