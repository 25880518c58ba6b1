"""Valgrind's memcheck, below which the processes of a target are started: it sees each access of a call to memory."""

from __future__ import annotations

import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from conformance.environments.errors import TargetBlocked
from conformance.worker.memcheck import LOG

ARCHITECTURES = ("x86_64", "AMD64")
"""The machines on which a worker can ask valgrind what it found."""
SLOWER = 30.0
"""How many times longer than without it anything may take."""
_ARGUMENTS = (
    "-q",
    "--tool=memcheck",
    "--error-limit=no",
    "--num-callers=16",
    "--leak-check=no",
    "--show-mismatched-frees=no",
)
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
)


@dataclass(frozen=True)
class Valgrind:
    """An installed valgrind."""

    program: Path
    version: str
    """Such as ``valgrind-3.19.0``."""

    def command(self, log: Path) -> list[str]:
        """What to write before the command line of a process. log: the file to which it and its forks write what they find."""
        return [str(self.program), *_ARGUMENTS, f"--log-file={log}"]

    def variables(self, log: Path) -> dict[str, str]:
        """Environment variables of the process: Python allocates each object alone, and nothing computes in several threads."""
        return {LOG: str(log), "PYTHONMALLOC": "malloc", **dict.fromkeys(_ONE_THREAD, "1")}


def installed() -> Valgrind:
    """The valgrind on the path; TargetBlocked without one, or on a machine whose processes it cannot tell what it found."""
    program = shutil.which("valgrind")
    if program is None:
        raise TargetBlocked(
            "--memcheck needs valgrind, which is not on the path; install it with `apt-get install valgrind`, or with "
            "`conda install -c conda-forge valgrind`"
        )
    if platform.machine() not in ARCHITECTURES:
        raise TargetBlocked(f"--memcheck knows valgrind on {ARCHITECTURES[0]} alone, and this is {platform.machine()}")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise TargetBlocked(f"{program} --version failed: {said.stderr.strip()[:300]}")
    return Valgrind(Path(program), said.stdout.strip())
