"""Which of several targets of one framework stands for it."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.version import InvalidVersion, Version

from conformance.results.records import TargetRecord


def newest(targets: Sequence[TargetRecord]) -> dict[str, TargetRecord]:
    """Of each framework the first target of its newest version that started, by the framework's name."""
    best: dict[str, TargetRecord] = {}
    for target in targets:
        held = best.get(target.framework)
        if held is None or _rank(target) > _rank(held):
            best[target.framework] = target
    return best


def version_of(text: str | None) -> Version:
    """A version that can be compared; what is none, as a build from a branch, counts as the oldest."""
    try:
        return Version(text or "0")
    except InvalidVersion:
        return Version("0")


def _rank(target: TargetRecord) -> tuple[bool, Version]:
    return target.blocked is None, version_of(target.version)
