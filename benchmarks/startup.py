"""How long `conformance --help` and `conformance list` take on top of a bare `python -c pass`: medians of ten, in ms.

Run it with the interpreter that has the suite installed: python benchmarks/startup.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 10
GOALS = {"--help": 150.0, "list": 400.0}


def milliseconds(arguments: list[str]) -> float:
    """One process from start to end."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Take turns, so that whatever else the machine does meets all of them alike."""
    commands = {"bare": ["-c", "pass"], **{command: ["-m", "conformance", command] for command in GOALS}}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, arguments in commands.items():
            times[name].append(milliseconds(arguments))
    bare = statistics.median(times["bare"])
    print(f"python -c pass            {bare:7.0f} ms")
    for command, goal in GOALS.items():
        extra = statistics.median(times[command]) - bare
        print(
            f"conformance {command:<13} +{extra:6.0f} ms   goal: within {goal:.0f}   {'met' if extra <= goal else 'MISSED'}"
        )


if __name__ == "__main__":
    main()
