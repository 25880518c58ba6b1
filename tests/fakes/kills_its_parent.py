"""One API kills the process that started its worker; the other gathers rightly."""

import os
import signal
import time

import numpy as np

from conformance.adapter import api


@api("kills.parent", operation="gather_elements")
def kills(input, dim, index):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1)  # in which the system ends this process too, or another call kills the parent that it got
    return np.take_along_axis(input, index, dim)


@api("kills.nothing", operation="gather_elements")
def right(input, dim, index):
    return np.take_along_axis(input, index, dim)
