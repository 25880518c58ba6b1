"""Find versions in the indexes, resolve requirements and install them into an environment."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from conformance.environments.definition import Definition
from conformance.environments.errors import TargetBlocked
from conformance.environments.interpreter import NEWEST_MINOR, OLDEST, find_python, inspect_interpreter
from conformance.environments.recipe import Attempt, Recipe
from conformance.environments.unreachable import Unreachable, explained, unanswered
from conformance.environments.uv import COMPILE, Report, Uv, UvResult

_SHORT_TIMEOUTS = {"UV_HTTP_RETRIES": "0", "UV_HTTP_TIMEOUT": "8", "UV_HTTP_CONNECT_TIMEOUT": "4"}
_RESOLVE_LIMIT = 60.0
"""Seconds for resolving with an index that the user did not configure, before the next attempt."""


@dataclass(frozen=True)
class Choice:
    """The attempt that resolved, with its exact versions as a requirements file."""

    attempt: Attempt
    pins: str


def choose(uv: Uv, python: Path, recipe: Recipe, report: Report) -> Choice:
    """Return the first attempt that resolves, reporting why earlier ones did not.

    TargetBlocked if none does, with uv's last lines and what can be installed instead.
    """
    for attempt in recipe.attempts[:-1]:
        started = time.monotonic()
        result = _resolve(uv, python, attempt)
        if result.ok:
            return Choice(attempt, result.output)
        report(f"no {attempt.label} ({time.monotonic() - started:.1f} s): {result.summary}")
    last = recipe.attempts[-1]
    result = _resolve(uv, python, last)
    if result.ok:
        return Choice(last, result.output)
    raise TargetBlocked(f"{recipe.title}: {last.label} cannot be installed{_why_not(uv, python, recipe, result)}")


def _why_not(uv: Uv, python: Path, recipe: Recipe, result: UvResult) -> str:
    """The end of a message: one sentence if the reason is an index or the version, and uv's own words otherwise."""
    problem = _problem_of_an_index(uv, result)
    if problem is not None:
        is_clear = result.is_unanswered or result.not_found or result.lacks_version
        return f": {problem}" if is_clear else f": {problem}.{_own_words(result)}"
    alternatives = _alternatives(uv, python, recipe, result)
    return f".{alternatives}" if alternatives and result.lacks_version else f".{alternatives}{_own_words(result)}"


def _problem_of_an_index(uv: Uv, result: UvResult) -> str | None:
    """Why an index is the reason: it does not answer, or none has a package; None if that is not the reason."""
    if uv.offline:
        return None
    if result.is_unanswered:
        problem = unanswered(result.errors, result.summary, uv.origins)
        return explained([problem]) if problem else f"a package index does not answer: {result.summary}"
    if result.not_found is None:
        return explained(_silent(uv)) if _silent(uv) else None
    if uv.ignored:
        return f"{result.not_found} was not found, and {explained(uv.ignored)}"
    return f"no package index has {result.not_found}. Check the indexes that pip is configured to use"


def _silent(uv: Uv) -> list[Unreachable]:
    """The indexes on the network that do not answer: what the others have says nothing about them."""
    return [problem for problem in uv.ignored if problem.cause != "folder"]


def _own_words(result: UvResult) -> str:
    return f" uv's last lines:\n{result.tail}"


def _alternatives(uv: Uv, python: Path, recipe: Recipe, result: UvResult) -> str:
    """Sentences that suggest another Python for the same version, or else another version."""
    offline = " With --offline, only packages in uv's cache can be installed." if uv.offline else ""
    if recipe.package is None or result.not_found is not None:  # what is not there has no version for any Python
        return offline
    running = inspect_interpreter(python).version
    pythons = pythons_with_wheels(uv, python, recipe.attempts[-1].requirements)
    if pythons and running.rpartition(".")[0] not in pythons:
        return (
            f" It is available for Python {', '.join(pythons)}, but {python} is {running}; run the suite on one of those, or "
            f"use --python with an interpreter that has it.{offline}"
        )
    nearest = nearest_versions(uv, python, recipe.package, recipe.version)
    return (f" Closest versions for this Python: {' and '.join(nearest)}." if nearest else "") + offline


def create_environment(uv: Uv, python: Path, folder: Path) -> Path:
    """Create a virtual environment and return its Python; raise TargetBlocked with uv's last lines."""
    result = uv.run("venv", "--no-project", "--python", str(python), str(folder))
    if not result.ok:
        raise TargetBlocked(f"cannot create a virtual environment of {python}. uv's last lines:\n{result.tail}")
    return folder / ("Scripts/python.exe" if (folder / "Scripts").is_dir() else "bin/python")


def install(uv: Uv, python: Path, choice: Choice, report: Report) -> None:
    """Install into the environment of a Python; raise TargetBlocked with uv's last lines."""
    result = uv.run_verbosely(
        *("pip", "install", "--python", str(python), "--no-deps", "-r", "-"),
        *_backend(choice.attempt),
        *uv.index_options,
        # Repeat the first requirement: its pin no longer says which builds of the version are excluded.
        text=f"{choice.pins}\n{choice.attempt.requirements[0]}",
        report=report,
    )
    if not result.ok:
        raise TargetBlocked(f"{choice.attempt.label} could not be installed. uv's last lines:\n{result.tail}")


def installed_packages(uv: Uv, python: Path) -> dict[str, str]:
    """Return the version of every distribution of an environment by name."""
    result = uv.run("pip", "list", "--format", "json", "--quiet", "--python", str(python))
    if not result.ok:
        raise TargetBlocked(f"cannot list the packages of {python}. uv's last lines:\n{result.tail}")
    return {package["name"]: package["version"] for package in json.loads(result.output)}


def _resolve(uv: Uv, python: Path, attempt: Attempt) -> UvResult:
    limit = None
    if attempt.torch_backend:
        uv, limit = uv.with_variables(**_SHORT_TIMEOUTS), _RESOLVE_LIMIT
    arguments = (*COMPILE, "--python", str(python), *_backend(attempt), *uv.index_options)
    return uv.run(*arguments, text="\n".join(attempt.requirements), limit=limit)


def _backend(attempt: Attempt) -> tuple[str, ...]:
    return ("--torch-backend", attempt.torch_backend) if attempt.torch_backend else ()


def newest_version(uv: Uv, definition: Definition, package: str, allowed: SpecifierSet) -> str:
    """Return the newest version in a range that can be installed on a Python of this machine.

    TargetBlocked names the newest version outside of the range, or has uv's last lines.
    """
    pythons = _pythons(uv, definition)
    newest, result = _search(uv, pythons[0][1], package)
    if newest is None:
        problem = _problem_of_an_index(uv, result)
        raise TargetBlocked(problem or f"{package} not found in any package index.{_own_words(result)}")
    version = _newest(uv, pythons, package, allowed)
    if version is None:
        if _silent(uv):
            raise TargetBlocked(f"{package}{allowed} was not found, and {explained(_silent(uv))}")
        raise TargetBlocked(
            f"{package}{allowed} not found in any package index for this machine; the newest version is {newest}"
        )
    return version


def _newest(uv: Uv, pythons: Sequence[tuple[SpecifierSet, Path]], package: str, allowed: SpecifierSet) -> str | None:
    for versions, python in pythons:
        version, result = _search(uv, python, f"{package}{allowed & versions}")
        if version is not None:
            return version
        if result.is_unanswered:
            raise TargetBlocked(_problem_of_an_index(uv, result) or result.summary)
    return None


def newest_of_each_minor(uv: Uv, definition: Definition, package: str, allowed: SpecifierSet) -> list[str]:
    """Return the newest version of each minor release in a range, the oldest first; TargetBlocked as ``newest_version``."""
    silent = [problem for problem in _silent(uv) if problem.is_default]
    if silent:
        raise TargetBlocked(f"the versions {package}{allowed} are not known: {explained(silent)}")
    pythons, versions = _pythons(uv, definition), list[str]()
    version: str | None = newest_version(uv, definition, package, allowed)
    while version is not None:
        versions.insert(0, version)
        minor = ".".join(map(str, Version(version).release[:2]))
        version = _newest(uv, pythons, package, allowed & SpecifierSet(f"<{minor}"))
    return versions


def nearest_versions(uv: Uv, python: Path, package: str, version: str | None) -> list[str]:
    """Return the next older and the next newer version that can be installed on a Python."""
    if version is None:
        return []
    public = Version(version).public
    below, _ = _search(uv, python, f"{package}<{public}")
    above, _ = _search(uv, python, f"{package}>{public}", lowest=True)
    return [nearest for nearest in (below, above) if nearest is not None]


def pythons_with_wheels(uv: Uv, python: Path, requirements: Sequence[str]) -> list[str]:
    """Return the Python versions, such as 3.11, for which requirements can be installed without a build.

    python: any one, so that uv does not look for one of each version, which takes longer than the rest.
    """
    pythons = [f"{OLDEST[0]}.{minor}" for minor in range(OLDEST[1], NEWEST_MINOR + 1)]

    def installs(version: str) -> bool:
        command = (*COMPILE, "--python", str(python), "--python-version", version, "--only-binary", ":all:")
        return uv.run(*command, *uv.index_options, text="\n".join(requirements)).ok

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
