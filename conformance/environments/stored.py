"""The environments that exist: the suite's own, with a record of what is in each, and the user's interpreter."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from conformance.environments.errors import TargetBlocked
from conformance.environments.interpreter import inspect_interpreter
from conformance.environments.name import exact_version
from conformance.environments.recipe import NUMPY_ONLY, Recipe, recipe_for
from conformance.environments.resolve import Target, check_version
from conformance.files import replace_text, try_lock
from conformance.version import __version__

_RECORD = "conformance-environment.json"
_FORMAT = 1


@dataclass(frozen=True)
class Environment:
    """An interpreter with the packages that a target needs."""

    folder: Path | None
    """None for the user's own interpreter, whose packages are used as they are."""
    python: Path
    python_version: str
    requirement: str | None
    """The installed requirement, such as ``torch==2.13.0+cpu``."""
    version: str | None
    """The framework's installed version, such as 2.13.0+cpu; None if its package is unknown."""
    packages: dict[str, str]
    """Every installed distribution with its version."""
    created: str | None
    """UTC, ISO 8601."""
    recipe: str = ""
    """Digest of the recipe; an environment with another digest is recreated."""


@dataclass(frozen=True)
class StoredEnvironment:
    """A folder with an environment; ``environment`` is None if it is incomplete."""

    name: str
    folder: Path
    environment: Environment | None


def home_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for the suite's data: CONFORMANCE_HOME, or a folder in the user's cache."""
    if home := environ.get("CONFORMANCE_HOME"):
        return Path(home).expanduser().absolute()
    cache = environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache").absolute() / "conformance"


def environment_folder(home: Path, name: str) -> Path:
    return home / "environments" / name


def stored_environments(home: Path) -> list[StoredEnvironment]:
    """Return the environments by name, including incomplete ones."""
    folders = sorted(path for path in environment_folder(home, "").glob("*") if path.is_dir())
    return [StoredEnvironment(folder.name, folder, read_environment(folder)) for folder in folders]


def read_environment(folder: Path) -> Environment | None:
    """Read the record of a complete environment; None if there is none or its Python is gone."""
    try:
        record = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        if record.pop("format") != _FORMAT:
            return None
        environment = Environment(**{**record, "folder": folder, "python": folder / record["python"]})
        is_sound = _has_texts(environment) and environment.python.exists()
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return environment if is_sound else None


def _has_texts(environment: Environment) -> bool:
    """Whether a record has texts where they are due."""
    required = [environment.python_version, environment.recipe, *environment.packages, *environment.packages.values()]
    optional = [environment.requirement, environment.version, environment.created]
    return all(isinstance(text, str) for text in [*required, *filter(None, optional)])


def write_environment(environment: Environment, folder: Path) -> None:
    """Write the record. A folder without a record is incomplete, so this is the last step."""
    python = environment.python.relative_to(folder).as_posix()
    record: dict[str, Any] = {"format": _FORMAT, **asdict(environment), "python": python, "folder": None}
    replace_text(folder / _RECORD, json.dumps(record, indent=1))


def remove_folder(folder: Path) -> None:
    """Remove an environment, its record first, so that after a failure it counts as incomplete."""
    (folder / _RECORD).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        shutil.rmtree(folder)


def size_on_disk(folder: Path) -> int:
    """Return the total size of an environment in bytes, including files shared with uv's cache."""
    return sum(path.stat(follow_symlinks=False).st_size for path in folder.rglob("*"))


@contextlib.contextmanager
def locked(home: Path, name: str, report: Callable[[str], None]) -> Iterator[int]:
    """Hold the lock of an environment, waiting for other runs; the lock is released when its process ends.

    Yields its descriptor: a process that inherits it holds the lock too.
    """
    path = home / "locks" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if not try_lock(file.fileno()):
            report("another run is creating it; waiting")
            while not try_lock(file.fileno()):
                time.sleep(0.1)
        yield file.fileno()


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
    if not interpreter.has_numpy:
        raise TargetBlocked(
            f"{path} has no NumPy, which a worker needs beside the framework; install it there: {path} -m pip install numpy"
        )
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
