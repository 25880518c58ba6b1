"""The limit on failures after which a run stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.results.records import ResultRecord


@dataclass(frozen=True)
class FailureLimit:
    """Which results are failures, and the number of failures after which a run stops."""

    fails: Callable[[ResultRecord], bool]
    most: int

    def is_reached(self, failures: int) -> bool:
        return failures >= self.most
