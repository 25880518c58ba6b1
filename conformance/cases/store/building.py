"""Builds the cases of many operations at once: this process some, and helping processes others, which they store."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread

from conformance.cases.build import build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.store.digests import Digests
from conformance.cases.store.operations import write_cases
from conformance.data_folders import PACKAGE, reference_adapter, specs_folder
from conformance.specification.loader import load_specs

FEW = 3
"""So many operations are built before a helping process has imported what it needs."""
_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from conformance.cases.store.building import help_building
help_building(*sys.argv[2:])
"""


def build_together(
    names: Sequence[str],
    build: Callable[[str], Sequence[Case]],
    done: Callable[[str], None],
    *,
    folder: Path,
    digests: Digests,
    helpers: int,
) -> dict[str, Sequence[Case]]:
    """The cases of operations of the suite that this process built; helping processes stored those of the others.

    names: those that take longest come first. helpers: the number of helping processes. SpecError if any cannot be built.
    """
    left = deque(names)
    threads = [
        Thread(target=_helped, args=(left, done, folder, digests), daemon=True)
        for _ in range(helpers if len(left) > FEW else 0)
    ]
    for thread in threads:
        thread.start()
    built = _built(left, build, done)
    for thread in threads:
        thread.join()
    return built | _built(left, build, done)  # what a helping process could not build


def _built(
    left: deque[str], build: Callable[[str], Sequence[Case]], done: Callable[[str], None]
) -> dict[str, Sequence[Case]]:
    built = {}
    while (name := _next(left)) is not None:
        built[name] = build(name)
        done(name)
    return built


def _next(left: deque[str]) -> str | None:
    try:
        return left.popleft()
    except IndexError:  # another thread took the last one
        return None


def _helped(left: deque[str], done: Callable[[str], None], folder: Path, digests: Digests) -> None:
    """Have a process build one operation after another; what it fails to build is left to this process, which says why it fails."""
    command = [sys.executable, "-P", "-c", _PROGRAM, str(PACKAGE.parent), str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        while (name := _next(left)) is not None:
            try:
                process.stdin.write(f"{name} {digests.of_cases(name).hex()}\n")
                process.stdin.flush()
                stored = process.stdout.readline().strip()
            except OSError:  # it has ended
                stored = ""
            if stored != name:
                left.append(name)
                return
            done(name)


def help_building(folder: str) -> None:
    """What a helping process does: it stores the operations that it is told on standard input, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # its input ends with the process that it helps
    digests = Digests(specs_folder(), reference_adapter())
    catalogue = load_specs()
    reference = load_reference(reference_adapter())
    for line in sys.stdin:
        name, digest = line.split()
        if digests.of_cases(name).hex() != digest:  # the files have changed since the other process read them
            return
        operation = catalogue.operations[name]
        cases = build_cases(catalogue.only([name]), reference)
        write_cases(Path(folder), digests.of_cases(name), operation, cases)
        print(name, flush=True)
