"""Failures of the command line: a message and its exit status."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import click

from conformance.reports.text import counted
from conformance.results.exit_status import BLOCKED, DIVERGES, INTERNAL, INTERRUPTED, NOTHING_SELECTED, OK, USAGE

if TYPE_CHECKING:
    from collections.abc import Collection

    from conformance.specification.problems import Problem

__all__ = ["BLOCKED", "DIVERGES", "INTERNAL", "INTERRUPTED", "NOTHING_SELECTED", "OK", "USAGE", "Failure", "invalid"]


class Failure(click.ClickException):
    """Ends the command with a message and an exit status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = status  # type: ignore[misc]  # each failure has its own

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message to standard error."""
        click.echo(f"conformance: {self.message}", file=file, err=True)


def invalid(problems: Collection[Problem], source: str = "") -> Failure:
    """A failure that lists problems, one per line, under their number; ``source`` is such as ``in the specs``."""
    heading = f"{counted(len(problems), 'problem')} {source or 'found'}"
    return Failure(USAGE, "\n".join([heading, *map(str, sorted(problems))]))
