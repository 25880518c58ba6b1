"""The command as a user runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str


def conformance(*arguments: str | Path, cwd: Path, **variables: str) -> Done:
    """Run the command line; a traceback on standard error is never what a user should see."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "100", "NO_COLOR": "1", **variables}
    done = subprocess.run(
        [sys.executable, "-m", "conformance", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)
