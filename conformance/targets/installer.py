"""Which attempt resolves, and its installation into a new environment."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.targets.errors import TargetBlocked
from conformance.targets.interpreter import inspect_interpreter
from conformance.targets.recipe import Attempt, Recipe
from conformance.targets.uv import COMPILE, Outcome, Uv
from conformance.targets.versions import nearest_versions, pythons_with_wheels

Say = Callable[[str], None]

_IMPATIENT = {"UV_HTTP_RETRIES": "0", "UV_HTTP_TIMEOUT": "8", "UV_HTTP_CONNECT_TIMEOUT": "4"}
_PATIENCE = 60.0
"""Seconds for an index that the user did not name; then the next attempt has its turn."""


@dataclass(frozen=True)
class Choice:
    """The attempt that resolved, and the exact versions it installs, as a requirements file."""

    attempt: Attempt
    pins: str


def choose(uv: Uv, python: Path, recipe: Recipe, say: Say) -> Choice:
    """Take the first attempt that resolves, saying why earlier ones did not.

    TargetBlocked when none does, with uv's last words and what can be installed instead.
    """
    for attempt in recipe.attempts[:-1]:
        started = time.monotonic()
        found = _resolve(uv, python, attempt)
        if found.ok:
            return Choice(attempt, found.output)
        say(f"no {attempt.shown} ({time.monotonic() - started:.1f} s): {found.summary}")
    last = recipe.attempts[-1]
    found = _resolve(uv, python, last)
    if found.ok:
        return Choice(last, found.output)
    raise TargetBlocked(
        f"{recipe.title}: {last.shown} cannot be installed.{_instead(uv, python, recipe)} uv's last lines:\n{found.tail}"
    )


def _instead(uv: Uv, python: Path, recipe: Recipe) -> str:
    """Sentences about what could be installed: the same version on another Python, else another version."""
    offline = " With --offline only what uv's cache holds can be installed." if uv.offline else ""
    if recipe.package is None:
        return offline
    running = inspect_interpreter(python).version
    pythons = pythons_with_wheels(uv, recipe.attempts[-1].requirements)
    if pythons and running.rpartition(".")[0] not in pythons:
        return (
            f" It can be had for Python {', '.join(pythons)}, not for {running}, which {python} is: run the suite on one of "
            f"those, or name an interpreter that has it with --python.{offline}"
        )
    nearest = nearest_versions(uv, python, recipe.package, recipe.version)
    verb = "version for this Python is" if len(nearest) == 1 else "versions for this Python are"
    return (f" The nearest {verb} {' and '.join(nearest)}." if nearest else "") + offline


def make_environment(uv: Uv, python: Path, folder: Path) -> Path:
    """Make a virtual environment of a Python; give the Python in it. TargetBlocked with uv's last lines."""
    made = uv.ask("venv", "--no-project", "--python", str(python), str(folder))
    if not made.ok:
        raise TargetBlocked(f"a virtual environment of {python} could not be made. uv's last lines:\n{made.tail}")
    return folder / ("Scripts/python.exe" if (folder / "Scripts").is_dir() else "bin/python")


def install(uv: Uv, python: Path, choice: Choice, say: Say) -> None:
    """Install for a Python; TargetBlocked with uv's last lines."""
    done = uv.work(
        *("pip", "install", "--python", str(python), "--no-deps", "-r", "-"),
        *_backend(choice.attempt),
        *uv.index_options,
        # The first requirement again: a pin has lost which builds of a version it excludes.
        text=f"{choice.pins}\n{choice.attempt.requirements[0]}",
        say=say,
    )
    if not done.ok:
        raise TargetBlocked(f"{choice.attempt.shown} could not be installed. uv's last lines:\n{done.tail}")


def installed(uv: Uv, python: Path) -> dict[str, str]:
    """List every distribution of an environment with its version."""
    listed = uv.ask("pip", "list", "--format", "json", "--quiet", "--python", str(python))
    if not listed.ok:
        raise TargetBlocked(f"{python}: its packages could not be listed. uv's last lines:\n{listed.tail}")
    return {one["name"]: one["version"] for one in json.loads(listed.output)}


def _resolve(uv: Uv, python: Path, attempt: Attempt) -> Outcome:
    limit = None
    if attempt.torch_backend:
        uv, limit = uv.with_variables(**_IMPATIENT), _PATIENCE
    arguments = (*COMPILE, "--python", str(python), *_backend(attempt), *uv.index_options)
    return uv.ask(*arguments, text="\n".join(attempt.requirements), limit=limit)


def _backend(attempt: Attempt) -> tuple[str, ...]:
    return ("--torch-backend", attempt.torch_backend) if attempt.torch_backend else ()
