"""A target's environment: the one that the suite made before, a new one, or an interpreter of the user's."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from conformance import __version__
from conformance.targets.definition import Definition
from conformance.targets.disk_space import check_room
from conformance.targets.errors import TargetBlocked, TargetError
from conformance.targets.home import (
    Environment,
    environment_folder,
    home_folder,
    kept_environments,
    locked,
    read_environment,
    remove_folder,
    write_environment,
)
from conformance.targets.indexes import configure
from conformance.targets.installer import choose, install, installed, make_environment
from conformance.targets.interpreter import find_python, inspect_interpreter
from conformance.targets.name import exact_version
from conformance.targets.pip_settings import PipSettings, find_pip, read_pip_settings
from conformance.targets.recipe import NUMPY_ONLY, Attempt, Recipe, recipe_for
from conformance.targets.resolve import Target, check_version
from conformance.targets.uv import Uv, find_uv
from conformance.targets.versions import newest_version

Say = Callable[[str], None]


def ensure(target: Target, *, say: Say, offline: bool = False, home: Path | None = None) -> Environment:
    """Give the target's environment, making it if it is missing; TargetBlocked says why that failed.

    An environment that is there is used without asking an index or running uv. Only a target that names a
    range of versions needs both each time: what the range means today is for the indexes to say.
    """
    if target.interpreter is not None:
        return _given(target, target.interpreter)
    home = home or home_folder()
    try:
        recipe = recipe_of(target, home, say, offline=offline)
        return _kept(recipe, home) or _make(recipe, home, say, offline=offline)
    except TargetError as error:
        raise TargetBlocked(str(error)) from None
    except OSError as error:
        raise TargetBlocked(
            f"the environment cannot be made: {error}; CONFORMANCE_HOME names another folder to make it in"
        ) from None


def recipe_of(target: Target, home: Path, say: Say, *, offline: bool) -> Recipe:
    """Say how a target is installed, asking the indexes what a range means today; TargetError where nobody knows."""
    definition, specifier = target.definition, target.specifier
    if definition is None or specifier is None:
        return NUMPY_ONLY
    version = exact_version(specifier)
    if version is None:
        version = _version_in_range(target, definition, specifier, home, say, offline=offline)
        say(f"{target.asked} is {version} now")
    return recipe_for(definition, version, target.device_kind, own=target.is_file)


def _version_in_range(
    target: Target, definition: Definition, allowed: SpecifierSet, home: Path, say: Say, *, offline: bool
) -> str:
    try:
        uv = prepare_uv(home, say, offline=offline)
        return newest_version(uv, definition, definition.package or "", allowed)
    except TargetBlocked as error:
        made = _newest_kept(target, definition, allowed, home)
        if made is None:
            raise
        say(f"taking {made}, the newest that has an environment already: {str(error).splitlines()[0]}")
        return made


def _newest_kept(target: Target, definition: Definition, allowed: SpecifierSet, home: Path) -> str | None:
    """Find the newest version in a range whose environment is there, made for the same device."""
    found = []
    for kept in kept_environments(home):
        version = kept.environment.version if kept.environment else None
        if version is not None and allowed.contains(version, prereleases=True):
            public = Version(version).public
            if recipe_for(definition, public, target.device_kind, own=target.is_file).name == kept.name:
                found.append(public)
    return max(found, key=Version, default=None)


def _kept(recipe: Recipe, home: Path) -> Environment | None:
    environment = read_environment(environment_folder(home, recipe.name))
    return environment if environment is not None and environment.recipe == recipe.digest else None


def _make(recipe: Recipe, home: Path, say: Say, *, offline: bool) -> Environment:
    folder = environment_folder(home, recipe.name)
    with locked(home, recipe.name, say):
        made_meanwhile = _kept(recipe, home)
        if made_meanwhile is not None:
            return made_meanwhile
        remove_folder(folder)
        uv = prepare_uv(home, say, offline=offline)
        python = find_python(recipe.python, uv, recipe.title)
        say(f"resolving {recipe.title}")
        choice = choose(uv, python, recipe, say)
        check_room(uv, home, choice.attempt)
        say(f"installing {len(choice.pins.splitlines())} packages for {choice.attempt.shown}")
        try:
            inside = make_environment(uv, python, folder)
            install(uv, inside, choice, say)
            environment = _describe(recipe, folder, inside, choice.attempt, installed(uv, inside))
            write_environment(environment, folder)
        except BaseException:
            remove_folder(folder)
            raise
    return environment


def prepare_uv(home: Path, say: Say, *, offline: bool) -> Uv:
    """Find uv and give it pip's index settings; TargetBlocked where there is no uv, or no index answers."""
    home.mkdir(parents=True, exist_ok=True)
    pip = find_pip()
    if pip is None:
        say("there is no pip to ask for its index settings: uv uses its own (UV_DEFAULT_INDEX, UV_INDEX, uv.toml)")
    settings = read_pip_settings(pip) if pip else PipSettings()
    return configure(find_uv(os.environ, home, offline=offline), settings, say)


def _describe(recipe: Recipe, folder: Path, python: Path, attempt: Attempt, packages: dict[str, str]) -> Environment:
    requirement = attempt.requirements[0]
    return Environment(
        folder=folder,
        python=python,
        python_version=inspect_interpreter(python).version,
        requirement=requirement if recipe.package else " ".join(attempt.requirements),
        version=_version_of(requirement, packages) if recipe.package else recipe.version,
        packages=packages,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        recipe=recipe.digest,
    )


def _given(target: Target, path: Path) -> Environment:
    """Take an interpreter of the user's with the packages that it has."""
    interpreter = inspect_interpreter(path)
    version = _found_version(target, interpreter.packages)
    if version is not None:
        check_version(target, version)
    return Environment(
        folder=None,
        python=path,
        python_version=interpreter.version,
        requirement=None,
        version=version,
        packages=interpreter.packages,
        created=None,
    )


def _found_version(target: Target, packages: dict[str, str]) -> str | None:
    definition = target.definition
    if definition is None:
        return None
    if definition.package is None:
        return __version__
    ways = [way.package for release in definition.releases for each in release.install.values() for way in each]
    found = (_version_of(package, packages) for package in [definition.package, *ways])
    return next((version for version in found if version is not None), None)


def _version_of(requirement: str, packages: dict[str, str]) -> str | None:
    name = canonicalize_name(Requirement(requirement).name)
    for package, version in packages.items():
        if canonicalize_name(package) == name:
            return version
    return None
