"""A framework goes into an interpreter of the user's as target.toml says, or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.environments.environment import prepare_uv, recipe_of
from conformance.environments.errors import TargetBlocked
from conformance.environments.install import choose_together, install_into, own_requirements
from conformance.environments.installer import Choice
from tests.cli.command import Done, conformance
from tests.environments.toys import PLAIN, Toys


@pytest.fixture
def python(toys: Toys, tmp_path: Path) -> Path:
    """An interpreter of the user's: an environment with another release of the toy in it."""
    toys.define()
    toys.wheel("0.9.0")
    toys.wheel("1.0.0")
    toys.wheel("1.2.0")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    return venv / "bin" / "python"


def version(python: Path) -> str:
    asked = subprocess.run([str(python), "-c", "import toy; print(toy.__version__)"], capture_output=True, check=True)
    return asked.stdout.decode().strip()


def chosen(toys: Toys, python: Path, needed: list[str]) -> Choice:
    """What would be installed; nothing is."""
    report = toys.messages.append
    target = toys.target("toy")
    recipe = recipe_of(target, toys.home, report, offline=False)
    return choose_together(prepare_uv(toys.home, report, offline=False), python, recipe, needed, report)


def run(*arguments: str) -> Done:
    return conformance("env", *arguments, cwd=Path.cwd())


def test_the_tested_default_is_installed_where_no_version_is_named(toys: Toys, python: Path) -> None:
    done = install_into(toys.target("toy"), python, report=toys.messages.append)
    assert (done.requirement, done.version, done.python) == ("toy==1.0.0", "1.0.0", python)
    assert version(python) == "1.0.0"


def test_a_range_is_its_newest_version_and_replaces_what_is_there(toys: Toys, python: Path) -> None:
    install_into(toys.target("toy"), python, report=toys.messages.append)
    assert install_into(toys.target("toy>=1,<2"), python, report=toys.messages.append).version == "1.2.0"
    assert version(python) == "1.2.0"


def test_an_interpreter_that_the_release_has_no_wheels_for_is_refused(toys: Toys, python: Path) -> None:
    toys.define(PLAIN.replace(">=3.9", ">=3.9,<3.10"))
    with pytest.raises(TargetBlocked, match=r"Toy 1\.0\.0 needs Python <3\.10,>=3\.9, but .*python is 3\.1"):
        install_into(toys.target("toy"), python, report=toys.messages.append)


def test_a_framework_is_chosen_together_with_what_the_suite_needs(toys: Toys, python: Path) -> None:
    toys.wheel("1.0.0", requires=["helper"])
    toys.wheel("1.5", "helper")
    toys.wheel("2.5", "helper")
    assert "helper==1.5" in chosen(toys, python, ["helper<2"]).pins
    assert "helper==2.5" in chosen(toys, python, []).pins


def test_a_framework_that_contradicts_what_the_suite_needs_is_not_chosen(toys: Toys, python: Path) -> None:
    toys.wheel("1.0.0", requires=["helper<2"])
    toys.wheel("1.5", "helper")
    toys.wheel("2.5", "helper")
    found = r"Toy 1\.0\.0 conflicts with the suite's requirements"
    with pytest.raises(TargetBlocked, match=found):
        chosen(toys, python, ["helper>=2"])


def test_a_missing_framework_is_not_reported_as_a_conflict_with_the_suite(toys: Toys, python: Path) -> None:
    toys.define(tested="1.1.0")
    with pytest.raises(TargetBlocked, match=r"Closest versions for this Python: 1\.0\.0 and 1\.2\.0"):
        chosen(toys, python, ["helper>=2"])


def test_the_suites_own_requirements_are_those_that_its_package_states() -> None:
    assert any(one.startswith("pluggy") for one in own_requirements("pytest"))
    assert not any("argcomplete" in one for one in own_requirements("pytest"))  # of an extra


def test_a_suite_that_is_not_installed_lets_nothing_be_installed_beside_it() -> None:
    with pytest.raises(TargetBlocked, match="no-such-suite is not installed in"):
        own_requirements("no-such-suite")


def test_the_interpreter_has_to_be_named() -> None:
    done = run("install", "torch")
    assert (done.status, done.out) == (4, "")
    assert "expected --python PATH or --here" in done.err


def test_the_reference_is_part_of_the_suite_and_installed_nowhere(python: Path) -> None:
    done = run("install", "reference", "--python", str(python))
    assert done.status == 6
    assert "reference: target.toml has no package to install" in done.err
