"""Failures of the command line: a message and its exit status."""

from __future__ import annotations

from conformance.results.exit_status import BLOCKED, INTERNAL, INTERRUPTED, NOTHING_SELECTED, USAGE

__all__ = ["BLOCKED", "INTERNAL", "INTERRUPTED", "NOTHING_SELECTED", "USAGE", "Failure"]


class Failure(Exception):
    """Ends the command with a message and a status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
