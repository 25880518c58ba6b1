"""The command line in this process, which is many times faster than in a process of its own."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from unittest import mock

from conformance.cli.main import main
from tests.cli.command import Done


def command(*arguments: str | Path, cwd: Path) -> Done:
    """Run the command line in this folder."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["conformance", *map(str, arguments)]
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", argv),
    ):
        try:
            main()
        except SystemExit as ending:
            status = ending.code
    assert isinstance(status, int)
    return Done(status, out.getvalue(), err.getvalue())
