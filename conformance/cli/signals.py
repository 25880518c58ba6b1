"""How a command is ended from outside."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from conformance.outcomes.signals import ENDING


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Treat signals that end a process, such as the end of the terminal, as Ctrl-C, unless they are ignored, as under nohup."""
    terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def interrupt(number: int, frame: FrameType | None) -> None:
        if signal.Signals(number).name == "SIGHUP":
            _detach(terminals)
        signal.default_int_handler(number, frame)

    previous = {}
    with suppress(ValueError):  # only the main thread can handle signals
        previous = {
            number: signal.signal(number, interrupt) for number in ENDING if signal.getsignal(number) is signal.SIG_DFL
        }
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _detach(terminals: list[int]) -> None:
    """Write to nowhere instead of to a terminal that is gone, which would be an error."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in terminals:
            os.dup2(nowhere, descriptor)
        os.close(nowhere)
