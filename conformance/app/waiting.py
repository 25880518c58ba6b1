"""Says what takes long, and how far it is."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FIRST, NEXT = 1.0, 10.0
"""Seconds of silence before the first line, and before each of the next ones."""


@contextmanager
def waiting(doing: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Say on standard error what is done if it is not done soon, and again and again how many of ``total`` parts are.

    The function is called with the name of each part that is done.
    """
    ended = threading.Event()
    finished: list[str] = []

    def say() -> None:
        seconds = FIRST
        while not ended.wait(seconds):
            sys.stderr.write(f"{doing}: {len(finished)} of {total} ...\n")
            sys.stderr.flush()
            seconds = NEXT

    thread = threading.Thread(target=say, daemon=True)
    if not quiet:
        thread.start()
    try:
        yield finished.append
    finally:
        ended.set()
        if thread.ident is not None:
            thread.join()
