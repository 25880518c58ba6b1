"""Each call returns, in place of a gathered value, something about its process, and then changes it."""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from conformance.adapter import api

CALLS = []
"""Each process must have its own."""
RANDINT = np.random.randint
"""NumPy's random numbers exist before workers are forked, which would share their state."""
tempfile.gettempdir()  # likewise, workers would use the folder that it found


def _number(value):
    return np.array([value], np.int64)


def _descriptors():
    links = list(Path("/proc/self/fd").iterdir())
    return [str(link.readlink()) for link in links if link.is_symlink()]  # without that of the folder itself


SET_UP_IN = []


def setup(device, mode):
    SET_UP_IN.append(os.getpid())
    if os.environ.get("SETUP_STARTS_THREAD"):
        threading.Thread(target=threading.Event().wait, daemon=True).start()


@api("fake.set_up_before", operation="gather_elements")
def set_up_before(input, dim, index):
    """Whether the framework was set up before the process was forked."""
    return _number(int([os.getpid()] != SET_UP_IN))


@api("fake.globals", operation="gather_elements")
def globals_(input, dim, index):
    CALLS.append(1)
    return _number(len(CALLS))


@api("fake.environment", operation="gather_elements")
def environment(input, dim, index):
    before = len(os.environ.get("CHANGED_BY_A_CALL", ""))
    os.environ["CHANGED_BY_A_CALL"] = "yes"
    return _number(before)


@api("fake.folder", operation="gather_elements")
def folder(input, dim, index):
    changed = Path.cwd() == Path("/")
    os.chdir("/")
    return _number(int(changed))


@api("fake.random", operation="gather_elements")
def random_(input, dim, index):
    return _number(random.getrandbits(60))


@api("fake.numpy_random", operation="gather_elements")
def numpy_random(input, dim, index):
    return _number(RANDINT(2**60))


@api("fake.descriptors", operation="gather_elements")
def descriptors(input, dim, index):
    count = len(_descriptors())
    os.open(os.devnull, os.O_RDONLY)
    return _number(count)


@api("fake.pipes", operation="gather_elements")
def pipes(input, dim, index):
    return _number(sum(link.startswith(("pipe:", "socket:")) for link in _descriptors()))


@api("fake.signals", operation="gather_elements")
def signals(input, dim, index):
    changed = sum(
        signal.getsignal(number) not in (signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler, None)
        for number in signal.valid_signals()
    )
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return _number(changed)


@api("fake.threads", operation="gather_elements")
def threads(input, dim, index):
    count = threading.active_count()
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    return _number(count)


@api("fake.cores", operation="gather_elements")
def cores(input, dim, index):
    return _number(len(os.sched_getaffinity(0)))


@api("fake.complains", operation="gather_elements")
def complains(input, dim, index):
    return _number(sys.stderr.write("a complaint\n" * 30_000))


@api("fake.temporary", operation="gather_elements")
def temporary(input, dim, index):
    folder = Path(tempfile.gettempdir())
    files = len(list(folder.iterdir()))
    (folder / "left-behind").touch()
    return _number(files)


@api("fake.arguments", operation="gather_elements")
def arguments(input, dim, index):
    return _number(len(sys.argv))


@api("fake.session", operation="gather_elements")
def session(input, dim, index):
    return _number(int(os.getsid(0) == os.getpgrp() == os.getpid()))


@api("fake.process", operation="gather_elements")
def process(input, dim, index):
    return _number(os.getpid())


@api("fake.parent", operation="gather_elements")
def parent(input, dim, index):
    return _number(os.getppid())


@api("fake.child", operation="gather_elements")
def child(input, dim, index):
    """Start a process that outlives the call, and return its id."""
    started = os.fork()
    if started == 0:
        threading.Event().wait()
    return _number(started)


@api("fake.dies_with_child", operation="gather_elements")
def dies_with_child(input, dim, index):
    """Die, with a process that goes on; its id is in the file that the environment names."""
    started = os.fork()
    if started == 0:
        threading.Event().wait()
    Path(os.environ["FILE_FOR_CHILD"]).write_text(str(started))
    os.kill(os.getpid(), signal.SIGABRT)
    return _number(0)
