"""One API kills the process that started its worker; the other gathers rightly."""

import os
import signal
import time

import numpy as np

from conformance.adapter import api


@api("kills.parent", operation="gather_elements")
def kills(input, dim, index):
    end = time.monotonic() + 1
    while (
        time.monotonic() < end
    ):  # if the system does not end this process together with its parent, it gets another one
        os.kill(os.getppid(), signal.SIGKILL)
    return np.take_along_axis(input, index, dim)


@api("kills.nothing", operation="gather_elements")
def right(input, dim, index):
    return np.take_along_axis(input, index, dim)
