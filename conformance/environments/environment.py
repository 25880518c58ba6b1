"""A target's environment: an existing one of the suite, a new one, or the user's interpreter."""

from __future__ import annotations

import datetime
import os
from dataclasses import replace
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.environments.before_installing import check_disk_space, check_driver
from conformance.environments.definition import Definition
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.indexes import configure
from conformance.environments.installer import (
    choose,
    create_environment,
    install,
    installed_packages,
    newest_of_each_minor,
    newest_version,
)
from conformance.environments.interpreter import find_python, inspect_interpreter
from conformance.environments.pip_settings import PipSettings, find_pip, read_pip_settings
from conformance.environments.recipe import Attempt, Recipe, recipe_for
from conformance.environments.resolve import Target
from conformance.environments.stored import (
    Environment,
    environment_folder,
    home_folder,
    known_recipe,
    locked,
    remove_folder,
    stored_environment,
    stored_environments,
    user_environment,
    version_of,
    write_environment,
)
from conformance.environments.uv import Report, Uv, find_uv


def ensure(
    target: Target, *, report: Report, offline: bool = False, home: Path | None = None, force: bool = False
) -> Environment:
    """Return the target's environment, creating it if necessary; raise TargetBlocked if that fails.

    force: create it even if this machine has no such device.

    An existing environment is used without querying an index or running uv, unless the target names a range of
    versions, for which the indexes are queried each time.
    """
    if target.interpreter is not None:
        return user_environment(target, target.interpreter)
    home = home or home_folder()
    try:
        recipe = recipe_of(target, home, report, offline=offline)
        stored = stored_environment(recipe, home)
        if stored is not None:
            return stored
        if not force:
            check_driver(target, recipe)
        return _create(recipe, home, report, offline=offline)
    except TargetError as error:
        raise TargetBlocked(str(error)) from None
    except OSError as error:
        raise TargetBlocked(f"cannot create the environment: {error}; set CONFORMANCE_HOME to another folder") from None


def check_installable(target: Target, *, offline: bool = False, home: Path | None = None) -> None:
    """Raise TargetBlocked if no way to install an exact version can be resolved; nothing is installed."""
    home = home or home_folder()
    try:
        recipe = recipe_of(target, home, _ignore, offline=offline)
        check_driver(target, recipe)
        uv = prepare_uv(home, _ignore, offline=offline)
        choose(uv, find_python(recipe.python, uv, recipe.title), recipe, _ignore)
    except TargetError as error:
        raise TargetBlocked(str(error)) from None
    except OSError:
        return  # making it reports the reason


def _ignore(message: str) -> None:
    """Report nothing: what is asked here is asked again when the environment is made."""


def recipe_of(target: Target, home: Path, report: Report, *, offline: bool) -> Recipe:
    """Return how to install a target, resolving a range with the indexes; raise TargetError if target.toml lacks it."""
    recipe = known_recipe(target)
    if recipe is not None:
        return recipe
    definition = target.definition
    assert definition is not None and target.specifier is not None, "only a range is not known"
    version = _version_in_range(target, definition, target.specifier, home, report, offline=offline)
    report(f"{target.asked} resolved to {version}")
    return recipe_for(definition, version, target.device_kind, target.mode, own=target.is_file)


def _version_in_range(
    target: Target, definition: Definition, allowed: SpecifierSet, home: Path, report: Report, *, offline: bool
) -> str:
    try:
        uv = prepare_uv(home, report, offline=offline)
        return newest_version(uv, definition, definition.package or "", allowed)
    except TargetBlocked as error:
        version = _newest_installed(target, definition, allowed, home)
        if version is None:
            raise
        report(f"using {version}, the newest installed version: {str(error).splitlines()[0]}")
        return version


def versions_in_range(
    definition: Definition, allowed: SpecifierSet, *, report: Report, offline: bool = False, home: Path | None = None
) -> list[str]:
    """Return the newest version of each minor release in a range, the oldest first; TargetBlocked if there is none."""
    if definition.package is None:
        raise TargetBlocked(f"{definition.title} is part of this suite, and has one version")
    uv = prepare_uv(home or home_folder(), report, offline=offline)
    return newest_of_each_minor(uv, definition, definition.package, allowed)


def _newest_installed(target: Target, definition: Definition, allowed: SpecifierSet, home: Path) -> str | None:
    """Return the newest version in a range that has an environment for the same device."""
    versions = []
    for stored in stored_environments(home):
        version = stored.environment.version if stored.environment else None
        if version is not None and allowed.contains(version, prereleases=True):
            public = Version(version).public
            if recipe_for(definition, public, target.device_kind, target.mode, own=target.is_file).name == stored.name:
                versions.append(public)
    return max(versions, key=Version, default=None)


def _create(recipe: Recipe, home: Path, report: Report, *, offline: bool) -> Environment:
    folder = environment_folder(home, recipe.name)
    with locked(home, recipe.name, report) as lock:
        existing = stored_environment(recipe, home)  # created by another run meanwhile
        if existing is not None:
            return existing
        remove_folder(folder)
        uv = replace(prepare_uv(home, report, offline=offline), lock=lock)
        python = find_python(recipe.python, uv, recipe.title)
        report(f"resolving {recipe.title}")
        choice = choose(uv, python, recipe, report)
        check_disk_space(uv, home, choice.attempt)
        count = len(choice.pins.splitlines())
        report(f"installing {count} {'package' if count == 1 else 'packages'} for {choice.attempt.label}")
        try:
            environment_python = create_environment(uv, python, folder)
            install(uv, environment_python, choice, report)
            packages = installed_packages(uv, environment_python)
            environment = _describe(recipe, folder, environment_python, choice.attempt, packages)
            write_environment(environment, folder)
        except BaseException:
            remove_folder(folder)
            raise
    return environment


def prepare_uv(home: Path, report: Report, *, offline: bool) -> Uv:
    """Find uv and apply pip's index settings; raise TargetBlocked if uv is missing or no index answers."""
    home.mkdir(parents=True, exist_ok=True)
    pip = find_pip()
    if pip is None:
        report("pip not found: uv uses its own index settings (UV_DEFAULT_INDEX, UV_INDEX, uv.toml)")
    settings = read_pip_settings(pip) if pip else PipSettings()
    return configure(find_uv(os.environ, home, offline=offline), settings, report)


def _describe(recipe: Recipe, folder: Path, python: Path, attempt: Attempt, packages: dict[str, str]) -> Environment:
    requirement = attempt.requirements[0]
    return Environment(
        folder=folder,
        python=python,
        python_version=inspect_interpreter(python).version,
        requirement=requirement if recipe.package else " ".join(attempt.requirements),
        version=version_of(requirement, packages) if recipe.package else recipe.version,
        packages=packages,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        recipe=recipe.digest,
    )
