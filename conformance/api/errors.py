"""The error that the public functions raise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args


class ConformanceError(Exception):
    """A request that cannot be met: an unknown target, an error in a spec or an adapter, or nothing selected.

    status: the exit status that the command would have.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def check_fail_on(fail_on: str) -> None:
    """ConformanceError unless it is ``own``, ``any`` or ``never``."""
    from conformance.results.exit_status import USAGE, FailOn

    if fail_on not in (allowed := get_args(FailOn)):
        raise ConformanceError(f"fail_on={fail_on!r} is unknown; allowed: {', '.join(allowed)}", USAGE)


@contextmanager
def failures_as_errors() -> Iterator[None]:
    """Raise what is a failure of the command line as ConformanceError."""
    from conformance.cli.failures import Failure

    try:
        yield
    except Failure as failure:
        raise ConformanceError(failure.message, failure.exit_code) from None
