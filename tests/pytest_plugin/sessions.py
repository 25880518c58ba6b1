"""Sessions of pytest in a user's project: in the process of the tests, or in one of its own where that is what a test is about."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from conformance import pytest_plugin
from tests.cli.command import REPOSITORY

_ALWAYS = ("--conformance-timeout", "1")
_VARIABLES = {"COLUMNS": "120", "NO_COLOR": "1", "PYTEST_ADDOPTS": ""}
_IN_PROCESS = (
    # The session outside is the one that sees to these; at its end each of them would traverse all objects of the process.
    *("-p", "no:faulthandler", "-p", "no:threadexception", "-p", "no:unraisableexception"),
    # The plugin is imported already.
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)


@dataclass(frozen=True)
class Session:
    """How a session ended, and what it printed."""

    status: int
    out: str
    err: str


def run_pytest(folder: Path, *arguments: str, more: Mapping[str, str] | None = None) -> Session:
    """Run a session in the process of the tests, which saves starting one and importing pytest and the suite again.

    more: environment variables.
    """
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, _modules_of(folder):
        patch.chdir(folder)
        for name, value in _variables(more or {}).items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        plugins = [] if _is_installed() else [pytest_plugin]
        status = pytest.main([*_IN_PROCESS, *arguments, *_ALWAYS], plugins)
    return Session(int(status), out.getvalue(), err.getvalue())


def run_pytest_process(folder: Path, *arguments: str) -> Session:
    """Run a session in a process of its own."""
    installed = [] if _is_installed() else ["-p", pytest_plugin.__name__]
    words = [sys.executable, "-m", "pytest", *installed, *arguments, *_ALWAYS]
    variables = {**os.environ, **_variables({})}
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    return Session(done.returncode, done.stdout, done.stderr)


def _variables(more: Mapping[str, str]) -> dict[str, str]:
    return {"PYTHONPATH": str(REPOSITORY), **_VARIABLES, **more}


def _is_installed() -> bool:
    return any(entry.value == pytest_plugin.__name__ for entry in entry_points(group="pytest11"))


@contextmanager
def _modules_of(folder: Path) -> Iterator[None]:
    """Forget at the end what was imported from a project, so that the next one can have modules of the same names."""
    path = [*sys.path]
    try:
        yield
    finally:
        sys.path[:] = path
        for name, module in [*sys.modules.items()]:
            file = getattr(module, "__file__", None)
            if file is not None and Path(file).is_relative_to(folder):
                del sys.modules[name]
