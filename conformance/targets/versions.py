"""Find versions of a package in the indexes."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from conformance.targets.definition import Definition
from conformance.targets.errors import TargetBlocked
from conformance.targets.interpreter import NEWEST_MINOR, OLDEST, find_python
from conformance.targets.uv import COMPILE, Uv, UvResult


def newest_version(uv: Uv, definition: Definition, package: str, allowed: SpecifierSet) -> str:
    """Return the newest version in a range that can be installed on a Python of this machine.

    TargetBlocked names the newest version outside of the range, or has uv's last lines.
    """
    pythons = _pythons(uv, definition)
    newest, result = _search(uv, pythons[0][1], package)
    if newest is None:
        raise TargetBlocked(f"{package} not found in any package index. uv's last lines:\n{result.tail}")
    for versions, python in pythons:
        version, _ = _search(uv, python, f"{package}{allowed & versions}")
        if version is not None:
            return version
    _, result = _search(uv, pythons[0][1], f"{package}{allowed}")
    raise TargetBlocked(
        f"{package}{allowed} not found in any package index for this machine; the newest version is {newest}. uv's last lines:\n{result.tail}"
    )


def nearest_versions(uv: Uv, python: Path, package: str, version: str | None) -> list[str]:
    """Return the next older and the next newer version that can be installed on a Python."""
    if version is None:
        return []
    public = Version(version).public
    below, _ = _search(uv, python, f"{package}<{public}")
    above, _ = _search(uv, python, f"{package}>{public}", lowest=True)
    return [nearest for nearest in (below, above) if nearest is not None]


def pythons_with_wheels(uv: Uv, requirements: Sequence[str]) -> list[str]:
    """Return the Python versions, such as 3.11, for which requirements can be installed without a build."""
    pythons = [f"{OLDEST[0]}.{minor}" for minor in range(OLDEST[1], NEWEST_MINOR + 1)]

    def installs(python: str) -> bool:
        command = (*COMPILE, "--python-version", python, "--only-binary", ":all:", *uv.index_options)
        return uv.run(*command, text="\n".join(requirements)).ok

    with ThreadPoolExecutor(4) as pool:
        return [python for python, suitable in zip(pythons, pool.map(installs, pythons), strict=True) if suitable]


def _pythons(uv: Uv, definition: Definition) -> list[tuple[SpecifierSet, Path]]:
    pythons, last_error = [], TargetBlocked(f"{definition.title}: target.toml has no releases")
    for release in definition.releases:
        try:
            python = find_python(release.python, uv, f"{definition.title}{release.versions}")
        except TargetBlocked as error:
            last_error = error
        else:
            pythons.append((release.versions, python))
    if not pythons:
        raise last_error
    return pythons


def _search(uv: Uv, python: Path, requirement: str, *, lowest: bool = False) -> tuple[str | None, UvResult]:
    order = ("--resolution", "lowest-direct") if lowest else ()
    result = uv.run(*COMPILE, "--no-deps", "--python", str(python), *order, *uv.index_options, text=requirement)
    return (_pinned(result.output, requirement) if result.ok else None), result


def _pinned(pins: str, requirement: str) -> str | None:
    name = canonicalize_name(Requirement(requirement).name)
    for line in pins.splitlines():
        pin = Requirement(line)
        if canonicalize_name(pin.name) == name:
            return Version(next(iter(pin.specifier)).version).public
    return None
