"""What was observed of a call: its outcome, its result, and the status of its control before and after it."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.outcomes.model import Outcome, Status
from conformance.specification.literals import Tensor


@dataclass(frozen=True)
class Observation:
    """The observation of one call on one API."""

    outcome: Outcome
    result: Tensor | None = None
    """The whole result; None if the call did not return one."""
    seconds: float = 0.0
    control_before: Status | None = None
    control_after: Status | None = None
    probe: Status | None = None
    """For a refusal in a dtype that no document promises: the outcome of another call of the API in that dtype."""
    recompiled: bool = False
    """After recompiling, the control had its first status again, so only compiled code was affected."""
    on_control: bool = False
    """The outcome is that of the control, which ended the process before the call was made."""
