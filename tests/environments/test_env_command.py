from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import __version__
from conformance.cli.commands.env import age
from tests.cli.command import Done, conformance
from tests.environments.toys import Toys

REFERENCE = f"reference-{__version__}-cpu"


@pytest.fixture(autouse=True)
def _wheels(toys: Toys) -> None:
    toys.wheel("2.4.0", "numpy")
    toys.wheel("0.6.0", "ml_dtypes")


def run(*arguments: str) -> Done:
    return conformance("env", *arguments, cwd=Path.cwd())


def test_what_is_made_is_listed_and_can_be_removed(toys: Toys) -> None:
    made = run("make", "reference")
    assert made.status == 0
    assert made.out == f"reference=={__version__}@cpu  {toys.home / 'environments' / REFERENCE}\n"
    assert "reference: resolving NumPy reference" in made.err
    head, line = run("list").out.splitlines()
    assert head.split() == ["NAME", "VERSION", "PYTHON", "SIZE", "AGE", "COMPLETE"]
    assert line.split()[:2] == [REFERENCE, __version__]
    assert line.split()[-2:] == ["now", "yes"]
    removed = run("remove", REFERENCE)
    assert (removed.status, removed.out.startswith(f"removed {REFERENCE} (")) == (0, True)
    assert toys.folders() == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "now"),
        (59, "now"),
        (60, "1 minute"),
        (7199, "119 minutes"),
        (7200, "2 hours"),
        (172_799, "47 hours"),
        (200_000, "2 days"),
    ],
)
def test_an_age_is_in_the_largest_unit_of_which_there_are_two(seconds: float, text: str) -> None:
    assert age(seconds) == text


def test_the_list_can_be_read_by_a_program(toys: Toys) -> None:
    run("make", "reference")
    (toys.home / "environments" / "half").mkdir()
    half, whole = json.loads(run("list", "--json").out)
    assert (half["name"], half["complete"], half["version"], half["bytes"]) == ("half", False, None, 0)
    assert (whole["name"], whole["complete"], whole["version"]) == (REFERENCE, True, __version__)
    assert whole["requirement"] == "numpy ml_dtypes"
    assert whole["python"].startswith(f"{sys.version_info[0]}.{sys.version_info[1]}.")
    assert whole["bytes"] > 1000


def test_an_empty_home_is_said_to_be_empty(toys: Toys) -> None:
    assert json.loads(run("list", "--json").out) == []
    listed = run("list")
    assert (listed.status, listed.out) == (0, "")
    assert str(toys.home) in listed.err


def test_a_half_made_environment_is_listed_as_such_and_removed_with_all(toys: Toys) -> None:
    (toys.home / "environments" / "half").mkdir(parents=True)
    run("make", "reference")
    assert [line.split()[-1] for line in run("list").out.splitlines()[1:]] == ["no", "yes"]
    assert run("remove", "--all").status == 0
    assert toys.folders() == []


def test_an_unknown_name_removes_nothing_and_says_what_there_is(toys: Toys) -> None:
    run("make", "reference")
    removed = run("remove", REFERENCE, "referense-0.1.0-cpu")
    assert removed.status == 4
    assert f"no environment 'referense-0.1.0-cpu'; did you mean '{REFERENCE}'?" in removed.err
    assert toys.folders() == [REFERENCE]


@pytest.mark.parametrize("arguments", [[], ["--all", "x"]])
def test_what_to_remove_is_said_by_names_or_all(toys: Toys, arguments: list[str]) -> None:
    removed = run("remove", *arguments)
    assert removed.status == 4
    assert "or --all" in removed.err


def test_a_name_that_is_no_target_is_a_usage_error(toys: Toys) -> None:
    made = run("make", "reference", "reference[fast]")
    assert made.status == 4
    assert "has no mode 'fast'" in made.err
    assert toys.folders() == []


def test_a_target_that_cannot_be_installed_is_blocked_and_the_others_are_made(toys: Toys) -> None:
    made = run("make", "mindspore", "reference", "--offline")
    assert made.status == 6
    assert "mindspore: blocked: MindSpore " in made.err
    assert toys.folders() == [REFERENCE]


def test_asking_for_help_imports_nothing_heavy() -> None:
    question = (
        "import sys; from conformance.cli.commands.env import command; command(['--help'], standalone_mode=False); "
        "print(sorted({'pydantic', 'rich', 'numpy', 'uv'} & set(sys.modules)), file=sys.stderr)"
    )
    asked = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)
    assert asked.stderr == "[]\n"
