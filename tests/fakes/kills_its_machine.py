"""Gathers rightly; in one call it ends the Dask worker that it runs under, as a machine that goes down would."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "kills_its_machine", "version": "1.0"}


def _command(process):
    return Path(f"/proc/{process}/cmdline").read_bytes()


def _parent(process):
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    if list(input) == [1, 2, 3]:
        process = os.getpid()
        while process > 1:
            if b"dask_worker" in _command(process):
                os.kill(process, signal.SIGKILL)
                break
            process = _parent(process)
    return np.take_along_axis(input, index, dim)
