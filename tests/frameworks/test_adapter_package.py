"""A package that ``adapter new`` makes, for a framework with two releases, from its installation to the matrix."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.environments.environment import prepare_uv
from conformance.results.file import read_results
from tests.cli.command import REPOSITORY, conformance
from tests.environments.toys import write_wheel

pytestmark = pytest.mark.frameworks  # NumPy and pytest come from a package index

GATHER = """
import numpy as np


def gather(input, axis, index):
    return np.take_along_axis(input, index, axis){plus}
"""
ADAPTER = """
import fakeframe

from conformance.adapter import api


def describe():
    return {"framework": "fakeframe", "version": fakeframe.__version__}


@api("fakeframe.gather", operation="gather_elements")
def gather(input, dim, index):
    return fakeframe.gather(input, dim, index)
"""
TARGET = """
title = "Fake Frame"
package = "fakeframe"
tested = "2.0.0"

[devices.cpu]
gpu = false

[modes]
eager = {}

[[releases]]
versions = ">=1"
python = ">=3.9"
install.cpu = [{package = "fakeframe"}]
"""


@dataclass(frozen=True)
class Package:
    """An installed package, and the programs of its virtual environment."""

    folder: Path
    programs: Path
    wheels: Path
    home: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        links = f"{self.wheels} {os.environ.get('PIP_FIND_LINKS', '')}"
        variables = {"PIP_FIND_LINKS": links, "CONFORMANCE_HOME": str(self.home), "NO_COLOR": "1"}
        return subprocess.run(
            [str(self.programs / words[0]), *words[1:]],
            cwd=self.folder,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )


def commands(readme: Path) -> Sequence[str]:
    """The first commands of a README."""
    block = re.search(r"^```console\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    assert block is not None
    return [line.removeprefix("$ ") for line in block.group(1).splitlines()]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("package")
    done = conformance("adapter", "new", "fakeframe", cwd=folder)
    assert done.status == 0, done.err
    wheels = folder / "wheels"
    write_wheel(wheels, "fakeframe", "1.0.0", requires=["numpy"], code=GATHER.format(plus=" + 1"))
    write_wheel(wheels, "fakeframe", "2.0.0", requires=["numpy"], code=GATHER.format(plus=""))
    made = Package(folder / "opconform-fakeframe", folder / "venv" / "bin", wheels, folder / "home")
    uv = prepare_uv(made.home, print, offline=False)
    python = ("--python", str(made.programs / "python"))
    assert commands(made.folder / "README.md")[0] == 'pip install -e ".[test]"'
    for words in (
        ("venv", str(folder / "venv")),
        ("pip", "install", *python, str(REPOSITORY), *uv.index_options),
        ("pip", "install", *python, "-e", f"{made.folder}[test]", *uv.index_options),
    ):
        ended = uv.run(*words)
        assert ended.ok, ended.errors
    return made


def test_the_tests_of_a_new_package_pass(package: Package) -> None:
    assert commands(package.folder / "README.md")[1:] == ["pytest"]
    done = package.run("pytest")
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_a_framework_with_two_versions_goes_through_the_matrix(package: Package) -> None:
    [adapter] = package.folder.rglob("adapter.py")
    adapter.write_text(ADAPTER)
    adapter.with_name("target.toml").write_text(TARGET)
    selection = ("-k", "from-a-square-along-dim-1 and as-printed")
    done = package.run("conformance", "matrix", "fakeframe", "--versions", "1.0,2.0", *selection)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Fake Frame, eager, cpu: 1.0.0, 2.0.0" in done.stdout
    assert re.search(r"fakeframe\.gather: .* calls", done.stdout)
    results = read_results(package.folder / "conformance-matrix")
    verdicts = {result.target: result.verdict for result in results.results if result.case.endswith("as-printed")}
    assert verdicts == {"fakeframe==1.0.0@cpu": "diverges", "fakeframe==2.0.0@cpu": "conforms"}
