"""Environments of the real frameworks, created from the user's package indexes and reused."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from conformance.data_folders import adapters_folder
from conformance.environments.definition import Definition, find_definitions
from conformance.environments.environment import ensure
from conformance.environments.errors import TargetBlocked
from conformance.environments.resolve import Target, resolve

pytestmark = pytest.mark.frameworks


def _target(name: str) -> tuple[Target, Definition]:
    (target,) = resolve([name], find_definitions(adapters_folder()))
    assert target.definition is not None
    return target, target.definition


def test_the_tested_default_installs_and_imports_in_its_version(tmp_path: Path) -> None:
    """Those of the default targets do so in tests/frameworks/test_real_run.py."""
    target, definition = _target("jax")
    made = ensure(target, report=print)
    question = "import jax; print('version', jax.__version__)"
    answer = subprocess.run(
        [str(made.python), "-c", question],
        env={**os.environ, **definition.variables},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.splitlines()[-1] == f"version {made.version}"
    assert (made.version or "").partition("+")[0] == definition.tested
    messages: list[str] = []
    assert ensure(target, report=messages.append) == made
    assert messages == []


def test_mindspore_gets_numpy_1() -> None:
    target, _ = _target("mindspore")
    assert ensure(target, report=print).packages["numpy"].startswith("1.")


def test_a_version_that_the_real_index_lacks_is_refused_with_its_neighbours(tmp_path: Path) -> None:
    target, _ = _target("tensorflow==2.16.99")
    with pytest.raises(TargetBlocked, match=r"Closest versions for this Python: 2\.16\.2 and 2\.17\.0"):
        ensure(target, report=print, home=tmp_path)
