"""The names of signals."""

from __future__ import annotations

import signal

ENDING = [
    getattr(signal, name)
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGUSR1", "SIGUSR2", "SIGALRM")
    if hasattr(signal, name)
]
"""Signals that end a process by default and can be handled, other than Ctrl-C; batch systems send some of them."""


def name_of_signal(number: int) -> str:
    """Such as ``SIGSEGV`` for 11; ``signal 40`` for a signal without a name of its own, as most real-time signals."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
