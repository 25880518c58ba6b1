"""Errors by which a framework says, or shows, that the fault is its own, whatever the call was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.outcomes.model import Error

SIGNS = (
    "internal assert failed",
    "internal assertion failed",
    "please report a bug",
    "please report this bug",
    "please file a bug",
    "this is a bug in",
)
"""What says so in a message, in lower case. Not "please file an issue": that is also said of what is only missing."""
_BOUND = re.compile(r"\bis not in \[0, (\d+)\)")
"""Where a message says how many positions there are."""


def sign_of(error: Error) -> str | None:
    """The words by which an error says that it is the framework's own fault; None if it does not."""
    message = error.message.lower()
    return next((sign for sign in SIGNS if sign in message), None)


def bounds_named(error: Error) -> Iterator[int]:
    """The numbers of positions that an error names. One that is in no call can only be memory that nobody has written."""
    return (int(number) for number in _BOUND.findall(error.message))
