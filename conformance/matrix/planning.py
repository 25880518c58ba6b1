"""Which targets a matrix runs, and which existing results it reuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.environments.errors import TargetError
from conformance.environments.name import parse_target
from conformance.results.file import Results
from conformance.results.records import RunRecord
from conformance.results.requests import differences

_OPERATORS = tuple("<>=!~")
_EXPECTED = "expected a list, such as 2.1.2,2.13.0, or a range, such as '>=2.1,<2.16'"
_UNSAFE = re.compile(r"[^A-Za-z0-9.=+_-]+")


def with_versions(
    names: Sequence[str], versions: str | None, in_range: Callable[[str, SpecifierSet], Sequence[str]]
) -> list[str]:
    """Return the targets of a command line; with ``--versions``, the single target in each of the versions.

    in_range: the versions of a framework in a range. Raises TargetError if ``--versions`` is used without exactly one unversioned framework, or a version is invalid.
    """
    if versions is None:
        return list(names)
    if len(names) != 1:
        raise TargetError(
            f"--versions needs exactly one target, got {', '.join(names) or 'none'}; or write torch==2.1.2 for each"
        )
    target = parse_target(names[0])
    if target.specifier is not None or target.path is not None:
        reason = "already has a version" if target.path is None else "is an adapter file, which has no version"
        raise TargetError(f"--versions: {names[0]} {reason}; name a framework without a version, such as torch")
    mode = f"[{target.mode}]" if target.mode else ""
    device = f"@{target.device}" if target.device else ""
    chosen = in_range(target.name, _range(versions)) if versions.strip()[:1] in _OPERATORS else _versions(versions)
    return [f"{target.name}=={version}{mode}{device}" for version in chosen]


def is_reusable(results: Results, planned: RunRecord) -> bool:
    """Whether the results are complete, and their run has the same target, specs, seed, draws and selection."""
    return results.finished and not differences(results.run, planned)


def folder_name(target: str) -> str:
    """A folder name for a target that is valid on any file system and in any artifact store."""
    return _UNSAFE.sub("-", target).strip("-.") or "target"


def _range(text: str) -> SpecifierSet:
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        raise TargetError(f"--versions {text}: invalid range; expected one such as '>=2.1,<2.16'") from None


def _versions(text: str) -> list[str]:
    versions = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for version in versions:
        try:
            Version(version)
        except InvalidVersion:
            raise TargetError(f"--versions {text}: invalid version {version!r}; {_EXPECTED}") from None
    if not versions:
        raise TargetError(f"--versions {text!r}: no versions given; {_EXPECTED}")
    return versions
