"""What a matrix is to run, and what of it is there already."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packaging.version import InvalidVersion, Version

from conformance.results.file import Results
from conformance.results.records import RunRecord
from conformance.targets.errors import TargetError
from conformance.targets.name import parse_target

_ODD = re.compile(r"[^A-Za-z0-9.=+_-]+")
_SAME = ("suite_version", "spec_digest", "seed", "draws", "selection", "shard", "targets")


def with_versions(names: Sequence[str], versions: str | None) -> list[str]:
    """The targets of a command line: as they stand, or the one that is named in each of the versions.

    TargetError where --versions is given and there is no such one, or where a version is none.
    """
    if versions is None:
        return list(names)
    if len(names) != 1:
        named = ", ".join(names) or "none"
        raise TargetError(f"--versions is about one target, and {named} was named; write torch==2.1.2 for each instead")
    target = parse_target(names[0])
    if target.specifier is not None or target.path is not None:
        why = "has a version of its own" if target.path is None else "is an adapter file, which has no version"
        raise TargetError(f"--versions: {names[0]} {why}; name a framework alone, such as torch")
    mode = f"[{target.mode}]" if target.mode else ""
    device = f"@{target.device}" if target.device else ""
    return [f"{target.name}=={version}{mode}{device}" for version in _versions(versions)]


def is_there(results: Results, wanted: RunRecord) -> bool:
    """Whether the results are all of a run of the same target, specs, seed, draws and selection."""
    return results.finished and all(getattr(results.run, name) == getattr(wanted, name) for name in _SAME)


def folder_name(target: str) -> str:
    """A target's name as that of a folder, which any file system and any artifact store takes."""
    return _ODD.sub("-", target).strip("-.") or "target"


def _versions(text: str) -> list[str]:
    versions = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for version in versions:
        try:
            Version(version)
        except InvalidVersion:
            raise TargetError(
                f"--versions {text}: {version!r} is no version; write them with commas, as 2.1.2,2.13.0"
            ) from None
    if not versions:
        raise TargetError(f"--versions {text!r} names none; write them with commas, as 2.1.2,2.13.0")
    return versions
