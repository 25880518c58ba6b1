"""Which versions of a package the indexes have."""

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
from conformance.targets.uv import COMPILE, Outcome, Uv


def newest_version(uv: Uv, definition: Definition, package: str, allowed: SpecifierSet) -> str:
    """Find the newest version in a range that can be installed on a Python of this machine.

    TargetBlocked names the newest version that there is outside of the range, or shows uv's last lines.
    """
    pythons = _pythons(uv, definition)
    newest, outcome = _search(uv, pythons[0][1], package)
    if newest is None:
        raise TargetBlocked(f"no index has {package}. uv's last lines:\n{outcome.tail}")
    for versions, python in pythons:
        found, _ = _search(uv, python, f"{package}{allowed & versions}")
        if found is not None:
            return found
    _, outcome = _search(uv, pythons[0][1], f"{package}{allowed}")
    raise TargetBlocked(
        f"no index has {package}{allowed} for this machine; the newest is {newest}. uv's last lines:\n{outcome.tail}"
    )


def nearest_versions(uv: Uv, python: Path, package: str, version: str | None) -> list[str]:
    """Find the next older and the next newer version that can be installed on a Python."""
    if version is None:
        return []
    public = Version(version).public
    below, _ = _search(uv, python, f"{package}<{public}")
    above, _ = _search(uv, python, f"{package}>{public}", lowest=True)
    return [one for one in (below, above) if one is not None]


def pythons_with_wheels(uv: Uv, requirements: Sequence[str]) -> list[str]:
    """Find the Pythons, as 3.11, for which requirements can be installed without building anything."""
    pythons = [f"{OLDEST[0]}.{minor}" for minor in range(OLDEST[1], NEWEST_MINOR + 1)]

    def installs(python: str) -> bool:
        command = (*COMPILE, "--python-version", python, "--only-binary", ":all:", *uv.index_options)
        return uv.ask(*command, text="\n".join(requirements)).ok

    with ThreadPoolExecutor(4) as pool:
        return [python for python, found in zip(pythons, pool.map(installs, pythons), strict=True) if found]


def _pythons(uv: Uv, definition: Definition) -> list[tuple[SpecifierSet, Path]]:
    found, missing = [], TargetBlocked(f"{definition.title}: target.toml has no releases")
    for release in definition.releases:
        try:
            python = find_python(release.python, uv, f"{definition.title}{release.versions}")
        except TargetBlocked as error:
            missing = error
        else:
            found.append((release.versions, python))
    if not found:
        raise missing
    return found


def _search(uv: Uv, python: Path, requirement: str, *, lowest: bool = False) -> tuple[str | None, Outcome]:
    order = ("--resolution", "lowest-direct") if lowest else ()
    found = uv.ask(*COMPILE, "--no-deps", "--python", str(python), *order, *uv.index_options, text=requirement)
    return (_pinned(found.output, requirement) if found.ok else None), found


def _pinned(pins: str, requirement: str) -> str | None:
    name = canonicalize_name(Requirement(requirement).name)
    for line in pins.splitlines():
        pin = Requirement(line)
        if canonicalize_name(pin.name) == name:
            return Version(next(iter(pin.specifier)).version).public
    return None
