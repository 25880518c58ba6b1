"""Resolve requirements and install them into an environment."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from conformance.targets.errors import TargetBlocked
from conformance.targets.interpreter import inspect_interpreter
from conformance.targets.recipe import Attempt, Recipe
from conformance.targets.uv import COMPILE, Report, Uv, UvResult
from conformance.targets.versions import nearest_versions, pythons_with_wheels

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
    raise TargetBlocked(
        f"{recipe.title}: {last.label} cannot be installed.{_alternatives(uv, python, recipe)} uv's last lines:\n{result.tail}"
    )


def _alternatives(uv: Uv, python: Path, recipe: Recipe) -> str:
    """Sentences that suggest another Python for the same version, or else another version."""
    offline = " With --offline, only packages in uv's cache can be installed." if uv.offline else ""
    if recipe.package is None:
        return offline
    running = inspect_interpreter(python).version
    pythons = pythons_with_wheels(uv, recipe.attempts[-1].requirements)
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
