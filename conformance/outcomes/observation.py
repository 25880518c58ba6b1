"""What was observed of one call: its outcome, its result, and what the valid control beside it did."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.outcomes.model import Outcome, Status
from conformance.specification.literals import Tensor


@dataclass(frozen=True)
class Observation:
    """What an API did with a call."""

    outcome: Outcome
    result: Tensor | None = None
    """The whole result, of a call that returned one."""
    seconds: float = 0.0
    control_before: Status | None = None
    control_after: Status | None = None
    recompiled: bool = False
    """The control did as before again once it was compiled anew, so that nothing else was spoilt."""
    on_control: bool = False
    """The outcome is that of the control, which ended the process before the call was made."""
