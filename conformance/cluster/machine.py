"""What happens on a machine: an attempt is a process of the suite, whose output is passed on."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from conformance.cluster import content
from conformance.cluster.messages import Begun, Emit, Ended, Output
from conformance.cluster.unit import Attempt
from conformance.data_folders import PACKAGE, VARIABLE
from conformance.environments.stored import home_folder
from conformance.version import __version__

LEAST_FREE = 200_000_000
"""Bytes that a machine must have free for units; environments are checked when they are made."""
_GATHERING = 1.0
"""Seconds in which lines are gathered to be sent together, since each message costs the scheduler the same."""
_MOST_LINES = 2_000
_SILENCE = 1.0
"""Seconds without output after which an empty one is sent, which fails if nobody wants it any more."""
_GRACE = 10.0
"""Seconds for a process to end by itself."""
_ERROR_LINES = 20
# -P keeps files in the current folder, which are the user's, from being imported in place of the suite or a library.
_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from conformance.cli.main import main; main()"

Facts = dict[str, Any]


def facts(contents: Sequence[str]) -> Facts:
    """What the process that distributes units must know about this machine."""
    return {
        "suite": __version__,
        "python": ".".join(platform.python_version_tuple()[:2]),
        "host": platform.node(),
        "missing": content.missing(contents),
        "problem": disk_problem(),
    }


def problem_with(machine: Facts, *, same_python: bool) -> str | None:
    """The reason why a machine cannot carry out units; same_python: whether the engine needs the same Python there."""
    own = facts([])
    if machine["suite"] != own["suite"]:
        return f"it has conformance {machine['suite']}, and this is {own['suite']}; install the same version on both"
    if same_python and machine["python"] != own["python"]:
        return f"it runs Python {machine['python']}, and this is {own['python']}; Dask needs the same version on both"
    problem: str | None = machine["problem"]
    return problem


def disk_problem() -> str | None:
    """A full disk on this machine."""
    for folder in (home_folder(), Path(tempfile.gettempdir())):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        free = shutil.disk_usage(existing).free
        if free < LEAST_FREE:
            return f"its disk is full: {free / 1e6:.0f} MB are free in {folder}, {LEAST_FREE / 1e6:.0f} MB are needed"
    return None


def perform(
    attempt: Attempt,
    machine: str,
    emit: Emit,
    is_wanted: Callable[[], bool],
    environment: Mapping[str, str] = os.environ,
) -> None:
    """Carry out an attempt whose contents this machine has, and emit messages about it."""
    emit(Begun(attempt.name, machine))
    with _process(attempt, environment) as process:
        errors: deque[str] = deque(maxlen=_ERROR_LINES)
        reader = threading.Thread(target=lambda: errors.extend(_of(process.stderr)), daemon=True)
        reader.start()
        waits = _waits if attempt.one_by_one else lambda _: False
        for lines in _gathered(_of(process.stdout), waits):
            if not is_wanted():
                return
            emit(Output(attempt.name, lines))
            if lines and waits(lines[-1]):
                _permit(process)
        status = process.wait()
        reader.join(_GRACE)
    emit(Ended(attempt.name, status, "".join(errors), disk_problem()))


@contextlib.contextmanager
def _process(attempt: Attempt, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The process of an attempt, which ends with the block."""
    unit = attempt.unit
    folder = content.used(unit.files) if unit.files is not None else None
    with contextlib.ExitStack() as stack:
        cwd = folder or stack.enter_context(tempfile.TemporaryDirectory())
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, str(PACKAGE.parent), *attempt.arguments],
            cwd=cwd,
            env={**environment, VARIABLE: str(content.used(unit.data)), "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # Ctrl-C is for the process that the user started
        )
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        # Closed, so that a process that waits to write ends too.
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                _of(stream).close()
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            _of(stream).close()


def _of(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "all streams of the process are pipes"
    return stream


def _waits(line: str) -> bool:
    """Whether the process waits after a line."""
    return bool(json.loads(line).get("waits"))


def _permit(process: subprocess.Popen[str]) -> None:
    """Let the process make the call that it has announced."""
    with contextlib.suppress(OSError):
        _of(process.stdin).write("\n")
        _of(process.stdin).flush()


def _gathered(stream: IO[str], is_last: Callable[[str], bool]) -> Iterator[list[str]]:
    """The lines of a stream in groups; an empty one after a second without lines. is_last: nothing follows a line soon."""
    lines: queue.Queue[str | None] = queue.Queue(_MOST_LINES)
    threading.Thread(target=_put_lines, args=(stream, lines), daemon=True).start()
    while True:
        group: list[str] = []
        ended = False
        with contextlib.suppress(queue.Empty):
            line = lines.get(timeout=_SILENCE)
            end = time.monotonic() + _GATHERING
            while line is not None:
                group.append(line)
                if len(group) == _MOST_LINES or is_last(line):
                    break
                line = lines.get(timeout=max(0.0, end - time.monotonic()))
            ended = line is None
        yield group
        if ended:
            return


def _put_lines(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    with contextlib.suppress(ValueError, OSError):  # closed by the other thread
        for line in stream:
            lines.put(line)
    lines.put(None)
