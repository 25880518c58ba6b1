"""Where the suite keeps its environments, and the record of what is in each of them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from conformance.files import replace_text

_RECORD = "conformance-environment.json"
_FORMAT = 1


@dataclass(frozen=True)
class Environment:
    """An interpreter with the packages that a target needs."""

    folder: Path | None
    """None for an interpreter of the user's, whose packages are used as they are."""
    python: Path
    python_version: str
    requirement: str | None
    """What was asked of the installer, as ``torch==2.13.0+cpu``."""
    version: str | None
    """The framework's installed version, as 2.13.0+cpu; None where its package is not known."""
    packages: dict[str, str]
    """Every installed distribution with its version."""
    created: str | None
    """UTC, ISO 8601."""
    recipe: str = ""
    """How it was asked for; an environment made for another recipe is made again."""


@dataclass(frozen=True)
class Kept:
    """An environment's folder as it lies on the disk; ``environment`` is None where it is half-made."""

    name: str
    folder: Path
    environment: Environment | None


def home_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Find the folder for everything that the suite keeps: CONFORMANCE_HOME, or one in the user's cache."""
    if named := environ.get("CONFORMANCE_HOME"):
        return Path(named).expanduser().absolute()
    cache = environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache").absolute() / "conformance"


def environment_folder(home: Path, name: str) -> Path:
    return home / "environments" / name


def kept_environments(home: Path) -> list[Kept]:
    """List the environments, half-made ones too, by name."""
    folders = sorted(path for path in environment_folder(home, "").glob("*") if path.is_dir())
    return [Kept(folder.name, folder, read_environment(folder)) for folder in folders]


def read_environment(folder: Path) -> Environment | None:
    """Read the record of a finished environment; None where there is none that still works."""
    try:
        record = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        if record.pop("format") != _FORMAT:
            return None
        environment = Environment(**{**record, "folder": folder, "python": folder / record["python"]})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return environment if environment.python.exists() else None


def write_environment(environment: Environment, folder: Path) -> None:
    """Write the record; a folder without one is half-made, so this is the last thing done to it."""
    python = environment.python.relative_to(folder).as_posix()
    record: dict[str, Any] = {"format": _FORMAT, **asdict(environment), "python": python, "folder": None}
    replace_text(folder / _RECORD, json.dumps(record, indent=1))


def remove_folder(folder: Path) -> None:
    """Remove an environment, its record first, so that what a failure leaves counts as half-made."""
    (folder / _RECORD).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        shutil.rmtree(folder)


def size_on_disk(folder: Path) -> int:
    """Sum the bytes of an environment's files; those that it shares with uv's cache count too."""
    return sum(one.stat(follow_symlinks=False).st_size for one in folder.rglob("*"))


@contextlib.contextmanager
def locked(home: Path, name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Hold an environment's lock, waiting for a run that has it; it ends with its process at the latest."""
    path = home / "locks" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if not _try_lock(file.fileno()):
            say("another run is making it; waiting for that")
            while not _try_lock(file.fileno()):
                time.sleep(0.1)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
