"""How many failures a run goes on after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.results.records import ResultRecord


@dataclass(frozen=True)
class FailureLimit:
    """What counts as a failure, and the number at which a run, or a target's part of it, ends."""

    fails: Callable[[ResultRecord], bool]
    most: int

    def is_reached(self, failures: int) -> bool:
        return failures >= self.most
