"""Starts a process in a session of its own, and hangs on an unlucky number; the ids of all processes are in a file."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from conformance.adapter import api

PROCESSES = Path(__file__).with_name("processes")
SLEEP = "import time; time.sleep(3600)"
ORPHAN = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "{SLEEP}"], stdout=subprocess.DEVNULL, start_new_session=True)
print(child.pid)
"""


def note(*processes):
    with PROCESSES.open("a") as file:
        file.write("".join(f"{process}\n" for process in processes))


@api("leaves.session", operation="gather_elements")
def session(input, dim, index):
    if 13 in input:
        child = subprocess.Popen([sys.executable, "-c", SLEEP], start_new_session=True)
        # the parent of this one ends at once, so that nothing tells whose it is
        done = subprocess.run([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, check=True)
        note(child.pid, int(done.stdout))
    return np.take_along_axis(input, index, dim)


@api("leaves.hang", operation="gather_elements")
def hang(input, dim, index):
    if 13 in input:
        note(os.getppid(), os.getpid(), "hangs")
        time.sleep(3600)
    return np.take_along_axis(input, index, dim)
