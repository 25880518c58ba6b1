"""The folder of the suite's environments, and a record of each environment's content."""

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

from conformance.files import replace_text, try_lock

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
def locked(home: Path, name: str, report: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of an environment, waiting for other runs; the lock is released when its process ends."""
    path = home / "locks" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if not try_lock(file.fileno()):
            report("another run is creating it; waiting")
            while not try_lock(file.fileno()):
                time.sleep(0.1)
        yield
