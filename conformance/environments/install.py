"""Install a framework into the user's interpreter as target.toml describes."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import Requirement

from conformance.distribution import DISTRIBUTION
from conformance.environments.before_installing import check_disk_space
from conformance.environments.environment import prepare_uv, recipe_of
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.installer import Choice, choose, install
from conformance.environments.interpreter import inspect_interpreter
from conformance.environments.recipe import Recipe
from conformance.environments.resolve import Target
from conformance.environments.stored import home_folder
from conformance.environments.uv import Report, Uv


@dataclass(frozen=True)
class Installed:
    """An installed framework."""

    requirement: str
    """The requirement, such as ``torch==2.13.0+cpu``."""
    version: str
    python: Path


def install_into(target: Target, python: Path, *, report: Report, offline: bool = False) -> Installed:
    """Install a target's framework into an interpreter; raise TargetBlocked if that fails.

    For the interpreter that runs the suite, the suite's own requirements are resolved together with it.
    """
    home = home_folder()
    try:
        recipe = recipe_of(target, home, report, offline=offline)
    except TargetError as error:
        raise TargetBlocked(str(error)) from None
    if recipe.version is None or recipe.package is None:
        raise TargetBlocked(f"{target.asked}: target.toml has no package to install")
    _check_python(python, recipe)
    uv = prepare_uv(home, report, offline=offline)
    if python == Path(sys.executable):
        choice = choose_together(uv, python, recipe, own_requirements(), report)
    else:
        choice = choose(uv, python, recipe, report)
    check_disk_space(uv, python.parent, choice.attempt)
    install(uv, python, choice, report)
    return Installed(choice.attempt.requirements[0], recipe.version, python)


def _check_python(python: Path, recipe: Recipe) -> None:
    version = inspect_interpreter(python).version
    if not recipe.python.contains(version):
        raise TargetBlocked(
            f"{recipe.title} needs Python {recipe.python}, but {python} is {version}; choose another interpreter with --python"
        )


def choose_together(uv: Uv, python: Path, recipe: Recipe, requirements: Sequence[str], report: Report) -> Choice:
    """Return the first attempt that resolves together with other requirements; raise TargetBlocked if none does."""
    attempts = tuple(
        replace(attempt, requirements=(*attempt.requirements, *requirements)) for attempt in recipe.attempts
    )
    try:
        return choose(uv, python, replace(recipe, attempts=attempts), report)
    except TargetBlocked as error:
        choose(uv, python, recipe, report)  # if this fails too, its message is the useful one
        details = str(error).partition("uv's last lines:\n")[2]
        raise TargetBlocked(
            f"{recipe.title} conflicts with the suite's requirements; without --here, `conformance run` creates a separate "
            f"environment. uv's last lines:\n{details}"
        ) from None


def own_requirements(package: str = DISTRIBUTION) -> list[str]:
    """Return the requirements of the suite's package; raise TargetBlocked if it is not installed."""
    try:
        metadata = importlib.metadata.requires(package) or []
    except importlib.metadata.PackageNotFoundError:
        raise TargetBlocked(
            f"{package} is not installed in {sys.executable}; install it first (pip install .), or choose another "
            "interpreter with --python"
        ) from None
    requirements = map(Requirement, metadata)
    return [str(item) for item in requirements if item.marker is None or item.marker.evaluate({"extra": ""})]
