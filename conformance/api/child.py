"""Make a call in a forked process, since it may end the process that makes it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

from conformance.outcomes.model import Died, Hung
from conformance.outcomes.signals import name_of_signal

Made = TypeVar("Made")

LIMIT = 30.0
"""Seconds after which the process is killed."""
CAN_FORK = "fork" in multiprocessing.get_all_start_methods()


def made_in_child(make: Callable[[], Made], limit: float = LIMIT) -> Made | Died | Hung:
    """What a function returns in a forked process, or how that ended; an exception of it is raised here."""
    context = multiprocessing.get_context("fork")
    reading, writing = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(make, writing), daemon=True)
    child.start()
    writing.close()
    try:
        if not reading.poll(limit):
            child.kill()
            return Hung(limit)
        error, made = reading.recv()
    except EOFError:
        child.join()
        code = child.exitcode or 0
        return Died(signal=name_of_signal(-code)) if code < 0 else Died(exit_code=code)
    else:
        if error is not None:
            raise error
        returned: Made = made
        return returned
    finally:
        reading.close()
        child.join()
        child.close()


def _answer(make: Callable[[], object], writing: Connection) -> None:
    try:
        answer: tuple[Exception | None, object] = None, make()
    except Exception as error:
        answer = error, None
    writing.send(answer)
    writing.close()
