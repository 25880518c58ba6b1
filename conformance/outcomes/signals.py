"""The names of signals."""

from __future__ import annotations

import signal


def name_of_signal(number: int) -> str:
    """Such as ``SIGSEGV`` for 11; ``signal 40`` for a signal without a name of its own, as most real-time signals."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
