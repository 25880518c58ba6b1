"""One API kills the process that started its worker; the other gathers rightly."""

import os
import signal

import numpy as np

from conformance.adapter import api


@api("kills.parent", operation="gather_elements")
def kills(input, dim, index):
    os.kill(os.getppid(), signal.SIGKILL)
    while True:
        signal.pause()  # until the system ends this process together with its parent


@api("kills.nothing", operation="gather_elements")
def right(input, dim, index):
    return np.take_along_axis(input, index, dim)
