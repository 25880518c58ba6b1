"""How a command is ended from outside."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Treat a request to end and the end of the terminal as Ctrl-C, unless they are ignored, as under nohup."""
    terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def interrupt(number: int, frame: FrameType | None) -> None:
        if number != signal.SIGTERM:
            _detach(terminals)
        signal.default_int_handler(number, frame)

    previous = {}
    with suppress(ValueError):  # only the main thread can handle signals
        previous = {
            number: signal.signal(number, interrupt)
            for number in _SIGNALS
            if signal.getsignal(number) is signal.SIG_DFL
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
