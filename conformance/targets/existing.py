"""The environments of targets that exist: the suite's own, and the user's interpreter."""

from __future__ import annotations

from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from conformance.targets.home import Environment, environment_folder, home_folder, read_environment
from conformance.targets.interpreter import inspect_interpreter
from conformance.targets.name import exact_version
from conformance.targets.recipe import NUMPY_ONLY, Recipe, recipe_for
from conformance.targets.resolve import Target, check_version
from conformance.version import __version__


def existing_environment(target: Target) -> Environment | None:
    """Return the environment of a target without querying an index; None if that is not enough to know it."""
    if target.interpreter is not None:
        return user_environment(target, target.interpreter)
    recipe = known_recipe(target)
    return stored_environment(recipe, home_folder()) if recipe is not None else None


def known_recipe(target: Target) -> Recipe | None:
    """Return how to install a target; None for a range of versions. TargetError if target.toml lacks the version."""
    if target.definition is None or target.specifier is None:
        return NUMPY_ONLY
    version = exact_version(target.specifier)
    return (
        recipe_for(target.definition, version, target.device_kind, target.mode, own=target.is_file) if version else None
    )


def stored_environment(recipe: Recipe, home: Path) -> Environment | None:
    """Return the environment of a recipe; None if it must be created."""
    environment = read_environment(environment_folder(home, recipe.name))
    return environment if environment is not None and environment.recipe == recipe.digest else None


def user_environment(target: Target, path: Path) -> Environment:
    """Describe the user's interpreter with its packages."""
    interpreter = inspect_interpreter(path)
    version = _installed_version(target, interpreter.packages)
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


def _installed_version(target: Target, packages: dict[str, str]) -> str | None:
    definition = target.definition
    if definition is None:
        return None
    if definition.package is None:
        return __version__
    options = [option for release in definition.releases for options in release.install.values() for option in options]
    requirements = [definition.package, *(option.package for option in options)]
    versions = (version_of(requirement, packages) for requirement in requirements)
    return next((version for version in versions if version is not None), None)


def version_of(requirement: str, packages: dict[str, str]) -> str | None:
    """Return the installed version of the package that a requirement names."""
    name = canonicalize_name(Requirement(requirement).name)
    for package, version in packages.items():
        if canonicalize_name(package) == name:
            return version
    return None
