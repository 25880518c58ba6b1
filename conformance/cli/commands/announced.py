"""What a command does, said on a terminal if it takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import click

AFTER = 0.5
"""Seconds after which a person wonders whether anything happens."""


@contextmanager
def announced(doing: str) -> Iterator[None]:
    """Say on standard error what is done, if that is a terminal and it is not done soon; imports are a part of what takes long."""
    if not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(AFTER, click.echo, (f"{doing} ...",), {"err": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
