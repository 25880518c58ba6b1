"""The Dockerfile: what it copies is enough to build the suite, and what it runs exists."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import click
import pytest

from conformance.cli.main import conformance
from conformance.environments.environment import prepare_uv

REPOSITORY = Path(__file__).parent.parent
LINES = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()


def said(instruction: str) -> list[str]:
    return [line.removeprefix(f"{instruction} ") for line in LINES if line.startswith(f"{instruction} ")]


def copied() -> list[Path]:
    """What .dockerignore leaves in the build context."""
    ignored, *kept = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").split()
    assert ignored == "*"
    return [REPOSITORY / line.removeprefix("!") for line in kept]


def test_the_image_has_a_python_that_the_suite_supports() -> None:
    [image] = said("FROM")
    version = re.fullmatch(r"python:(3\.\d+)-slim", image)
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert version is not None
    assert f"Programming Language :: Python :: {version[1]}" in project["classifiers"]


def test_the_image_runs_commands_that_there_are() -> None:
    commands = [part for line in said("RUN") for part in line.split(" && ") if part.startswith("conformance ")]
    names = [shlex.split(command)[1] for command in commands]
    assert names == ["check"]
    assert all(conformance.get_command(click.Context(conformance), name) for name in names)
    assert json.loads(said("ENTRYPOINT")[0]) == ["conformance"]


@pytest.mark.frameworks  # the build backend comes from a package index
def test_the_suite_can_be_built_from_what_is_copied(tmp_path: Path) -> None:
    context = tmp_path / "context"
    for path in copied():
        place = context / path.relative_to(REPOSITORY)
        place.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if path.is_dir() else shutil.copy)(path, place)
    (tmp_path / "home").mkdir()
    uv = prepare_uv(tmp_path / "home", print, offline=False)
    built = uv.run("build", "--wheel", str(context), "--out-dir", str(tmp_path / "dist"), *uv.index_options)
    assert built.ok, built.errors
    assert [*(tmp_path / "dist").glob("*.whl")]
