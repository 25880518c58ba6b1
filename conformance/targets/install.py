"""A framework installed into an interpreter of the user's, by what target.toml says about its version."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import Requirement

from conformance.targets.disk_space import check_room
from conformance.targets.environment import Say, prepare_uv, recipe_of
from conformance.targets.errors import TargetBlocked, TargetError
from conformance.targets.home import home_folder
from conformance.targets.installer import Choice, choose, install
from conformance.targets.interpreter import inspect_interpreter
from conformance.targets.recipe import Recipe
from conformance.targets.resolve import Target
from conformance.targets.uv import Uv


@dataclass(frozen=True)
class Installed:
    """What was installed, and where."""

    requirement: str
    """As it was asked of the installer: ``torch==2.13.0+cpu``."""
    version: str
    python: Path


def install_into(target: Target, python: Path, *, say: Say, offline: bool = False) -> Installed:
    """Install a target's framework into an interpreter; TargetBlocked says why that failed.

    The interpreter that runs the suite keeps what the suite itself needs: both are resolved together.
    """
    home = home_folder()
    try:
        recipe = recipe_of(target, home, say, offline=offline)
    except TargetError as error:
        raise TargetBlocked(str(error)) from None
    if recipe.version is None or recipe.package is None:
        raise TargetBlocked(f"{target.asked}: target.toml names no package to install")
    _check_python(python, recipe)
    uv = prepare_uv(home, say, offline=offline)
    here = python == Path(sys.executable)
    choice = choose_together(uv, python, recipe, own_requirements(), say) if here else choose(uv, python, recipe, say)
    check_room(uv, python.parent, choice.attempt)
    install(uv, python, choice, say)
    return Installed(choice.attempt.requirements[0], recipe.version, python)


def _check_python(python: Path, recipe: Recipe) -> None:
    found = inspect_interpreter(python).version
    if not recipe.python.contains(found):
        raise TargetBlocked(
            f"{recipe.title} is installed on Python {recipe.python}, and {python} is {found}: name such a Python with --python"
        )


def choose_together(uv: Uv, python: Path, recipe: Recipe, needed: Sequence[str], say: Say) -> Choice:
    """Take the first attempt that resolves together with what else is needed; TargetBlocked where none does."""
    attempts = tuple(replace(one, requirements=(*one.requirements, *needed)) for one in recipe.attempts)
    try:
        return choose(uv, python, replace(recipe, attempts=attempts), say)
    except TargetBlocked as error:
        choose(uv, python, recipe, say)  # where that fails too, its message is the one that helps
        details = str(error).partition("uv's last lines:\n")[2]
        raise TargetBlocked(
            f"{recipe.title} and what the suite itself needs cannot be installed for one interpreter; without --here "
            f"`conformance run` makes an environment for it alone. uv's last lines:\n{details}"
        ) from None


def own_requirements(package: str = "conformance") -> list[str]:
    """What the suite's own package requires of the interpreter that runs it; TargetBlocked where it is not installed."""
    try:
        stated = importlib.metadata.requires(package) or []
    except importlib.metadata.PackageNotFoundError:
        raise TargetBlocked(
            f"{package} is not installed for {sys.executable}, so that nothing there says what it needs; install it first "
            "(pip install .), or name an interpreter with --python"
        ) from None
    found = map(Requirement, stated)
    return [str(one) for one in found if one.marker is None or one.marker.evaluate({"extra": ""})]
