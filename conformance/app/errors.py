"""The error that ends a request: printed by the command line, raised by the public functions, shown by pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.reports.text import counted
from conformance.results.exit_status import USAGE

if TYPE_CHECKING:
    from collections.abc import Collection

    from conformance.specification.problems import Problem


class ConformanceError(Exception):
    """A request that cannot be met: an unknown target, an error in a spec or an adapter, or nothing selected.

    status: the exit status of the command.
    """

    def __init__(self, message: str, status: int = USAGE) -> None:
        super().__init__(message)
        self.status = status


MOST_PROBLEMS = 100
"""The maximum number of problems in a message."""


def invalid(problems: Collection[Problem], source: str = "") -> ConformanceError:
    """An error that lists problems, one per line, under their number; ``source`` is such as ``in the specs``."""
    heading = f"{counted(len(problems), 'problem')} {source or 'found'}"
    listed = [str(problem) for problem in sorted(problems)[:MOST_PROBLEMS]]
    more = len(problems) - len(listed)
    return ConformanceError("\n".join([heading, *listed, *([f"and {more:,} more"] if more else [])]))
