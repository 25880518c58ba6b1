"""CPU time and peak memory of what reads results files: `python -m benchmarks.report_costs FILE... [--commands NAME...]`.

FILE is a results file, such as one of `benchmarks.many_results`. Each command runs in a process of its own, into a temporary
folder. To measure another version of the suite, run it with that version in PYTHONPATH, and this file by its path.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

COMMANDS: Mapping[str, Callable[[str, Path], Sequence[str]]] = {
    "report": lambda file, folder: ["report", file, "--output", str(folder / "site")],
    "diff": lambda file, _: ["diff", file, file],
    "known update": lambda file, folder: [
        *("known", "update", file, "--baseline", "--known", str(folder / "divergences.yaml"))
    ],
    "matrix": lambda file, folder: ["matrix", str(Path(file).parent), "--output", str(folder / "matrix")],
}


def measured(arguments: Sequence[str]) -> tuple[float, float, int]:
    """CPU seconds, MB at the peak, and exit status of a command."""
    with subprocess.Popen(
        [sys.executable, "-m", "conformance", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode


def main() -> None:
    """Print a line for each file and command."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=[*COMMANDS])
    options = parser.parse_args()
    print(f"{'command':<14}{'CPU s':>8}{'MB':>8}{'exit':>6}  file", flush=True)
    for file in options.files:
        for name in options.commands:
            with tempfile.TemporaryDirectory() as folder:
                seconds, memory, status = measured(COMMANDS[name](file, Path(folder)))
            print(f"{name:<14}{seconds:>8.1f}{memory:>8.0f}{status:>6}  {file}", flush=True)


if __name__ == "__main__":
    main()
