"""What happens on a machine: an attempt is a process of the suite, whose results file is read when it has ended."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Literal

from conformance.cluster import content
from conformance.cluster.messages import Calling, Ended
from conformance.cluster.unit import Order, python_version
from conformance.data_folders import PACKAGE, VARIABLE
from conformance.environments.stored import home_folder
from conformance.results.file import FILE_NAME
from conformance.version import __version__

LEAST_FREE = 200_000_000
"""Bytes that a machine must have free for units; environments are checked when they are made."""
_LOOKS = 1.0
"""Seconds between two looks at whether the attempt is still wanted."""
_GRACE = 20.0
"""Seconds for a process to end by itself."""
# -P keeps files in the current folder, which are the user's, from being imported in place of the suite or a library.
_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from conformance.cli.main import main; main()"

Wish = Literal["go on", "end", "drop"]
"""What the process that distributes units wants of an attempt: ``end`` is with its results so far, ``drop`` is without."""


def problem_with(order: Order) -> str | None:
    """The reason why this machine cannot carry out an order."""
    if order["suite"] != __version__:
        return f"it has conformance {__version__}, and {order['suite']} is needed; install the same version on both"
    if order["python"] != python_version():
        return (
            f"it runs Python {python_version()}, and {order['python']} is needed; Dask needs the same version on both"
        )
    return disk_problem()


def disk_problem() -> str | None:
    """A full disk on this machine."""
    for folder in (home_folder(), Path(tempfile.gettempdir())):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        free = shutil.disk_usage(existing).free
        if free < LEAST_FREE:
            return f"its disk is full: {free / 1e6:.0f} MB are free in {folder}, {LEAST_FREE / 1e6:.0f} MB are needed"
    return None


def perform(
    order: Order,
    machine: str,
    scratch: Path,
    environment: Mapping[str, str],
    tell: Callable[[Mapping[str, Any]], None],
    announce: Callable[[list[Any]], None],
    wish: Callable[[], Wish],
) -> Ended | None:
    """Carry out an order whose contents this machine has; None if it is dropped.

    scratch: where to make a folder for the time. announce: returns when what it is given cannot be lost with this machine.
    """
    calling = None
    with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with _process(order, folder, environment) as process:
            looked, told_to_end = time.monotonic(), None
            for line in _lines(_of(process.stdout)):
                if line is not None and "calling" in line:
                    calling = Calling(*line["calling"])
                    announce(line["calling"])
                    _permit(process)
                elif line is not None:
                    tell(line)
                if time.monotonic() - looked < _LOOKS:
                    continue
                looked = time.monotonic()
                match wish():
                    case "drop":
                        return None
                    case "end" if told_to_end is None:
                        told_to_end = looked
                        process.terminate()
                if told_to_end is not None and looked - told_to_end > _GRACE:
                    break
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
        results = folder / FILE_NAME
        return Ended(
            order["name"],
            machine,
            process.returncode,
            gzip.compress(results.read_bytes(), mtime=0) if results.is_file() else None,
            (folder / "errors.txt").read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2],
            calling,
            disk_problem(),
        )


@contextlib.contextmanager
def _process(order: Order, folder: Path, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The process of an order, which ends with the block. It ends by itself if its standard input is closed."""
    settings = json.dumps({"announces": order["announces"], "fatal": order["fatal"]})
    with (folder / "errors.txt").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, str(PACKAGE.parent), *order["words"],
             "--quiet", "--output", str(folder), "--unit", settings],
            cwd=content.used(order["files"]) if order["files"] is not None else folder,
            env={**environment, VARIABLE: str(content.used(order["data"])), "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # Ctrl-C is for the process that the user started
        )  # fmt: skip
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        _of(process.stdin).close()
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    with contextlib.suppress(OSError):
        _of(process.stdout).close()


def _permit(process: subprocess.Popen[str]) -> None:
    """Let the process make the call that it has announced."""
    with contextlib.suppress(OSError):
        _of(process.stdin).write("\n")
        _of(process.stdin).flush()


def _lines(stream: IO[str]) -> Iterator[dict[str, Any] | None]:
    """What the process prints; None after a second without a line."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        with contextlib.suppress(ValueError, OSError):  # closed by the other thread
            for line in stream:
                lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=_LOOKS)
        except queue.Empty:
            yield None
            continue
        if line is None:
            return
        if line.endswith("\n"):  # the last one may be cut off
            yield json.loads(line)


def _of(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "both streams of the process are pipes"
    return stream
