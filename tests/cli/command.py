"""The command as a user runs it, in a folder of its own: its status and what it prints."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from conformance.cli.main import main
from conformance.environments import stored
from conformance.environments.interpreter import Interpreter, inspect_interpreter

REPOSITORY = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str


def conformance(*arguments: str | Path, cwd: Path, **variables: str) -> Done:
    """Run the command line in the process of the tests, which saves starting one and importing the suite again.

    The interpreter of the tests is asked once for its packages, which takes as long as the rest of a small run.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        for name, value in _variables(variables).items():
            patch.setenv(name, value)
        patch.setattr(stored, "inspect_interpreter", _inspected)
        patch.setattr(sys, "argv", ["conformance", *map(str, arguments)])
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # click names the program after it
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as ended:
            main()
    assert isinstance(ended.value.code, int)
    return _done(ended.value.code, _text(out), _text(err))


def conformance_process(*arguments: str | Path, cwd: Path, **variables: str) -> Done:
    """Run the command line in a process of its own, where a test is about what only a process shows."""
    ended = subprocess.run(
        [sys.executable, "-m", "conformance", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **_variables(variables)},
        capture_output=True,
        text=True,
        check=False,
    )
    return _done(ended.returncode, ended.stdout, ended.stderr)


def _inspected(path: Path) -> Interpreter:
    return _of_the_tests() if path == Path(sys.executable) else inspect_interpreter(path)


@cache
def _of_the_tests() -> Interpreter:
    return inspect_interpreter(Path(sys.executable))


def _variables(more: dict[str, str]) -> dict[str, str]:
    return {"PYTHONPATH": str(REPOSITORY), "COLUMNS": "100", "NO_COLOR": "1", **more}


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _done(status: int, out: str, err: str) -> Done:
    """A traceback on standard error is never what a user should see."""
    assert "Traceback" not in err, err
    return Done(status, out, err)
