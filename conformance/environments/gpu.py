"""The model and the driver of a GPU, as its own tool tells them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

_TOOL = "nvidia-smi"
_LIMIT = 20.0
"""Seconds."""


@dataclass(frozen=True)
class Gpu:
    """A GPU of this machine."""

    name: str
    driver: str


def gpu_of(device: str) -> Gpu | None:
    """The GPU of a device such as ``cuda`` or ``cuda:1``; None if no tool tells.

    Numbers are those of the tool, which lists all GPUs of the machine in the order of their bus.
    """
    kind, _, number = device.partition(":")
    tool = shutil.which(_TOOL)
    if kind != "cuda" or tool is None:
        return None
    command = [tool, f"--id={number or 0}", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    name, _, driver = done.stdout.strip().partition(", ")
    return Gpu(name, driver) if driver else None
