"""What was observed of a call: its outcome, its result, and the status of its control before and after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.outcomes.model import Outcome, Status
from conformance.specification.literals import Tensor

Refusal = Literal["open", "not-taken", "taken-elsewhere", "of-the-call", "unknown"]
"""What the refusal of a call in a dtype that no document promises is about.

It is about the dtype only if the same call in its original dtype returns. ``open``: nothing else shows whether the API takes the
dtype; ``not-taken``: another call that returns otherwise is refused in it too; ``taken-elsewhere``: such a call returns in it.
If the call in its original dtype does not return either, ``of-the-call``: the API takes the dtype in another call, and
``unknown``: no other call shows whether it does.
"""


@dataclass(frozen=True)
class Observation:
    """The observation of one call on one API."""

    outcome: Outcome
    result: Tensor | None = None
    """The whole result; None if the call did not return one."""
    seconds: float = 0.0
    control_before: Status | None = None
    control_after: Status | None = None
    control_alone: Status | None = None
    """What the control does as the first call of a process; None if it was not asked, since the API's results do not depend on
    earlier calls."""
    refusal: Refusal | None = None
    """For a refusal in a dtype that no document promises: what it is about."""
    recompiled: bool = False
    """After recompiling, the control had its first status again, so only compiled code was affected."""
    forward: Tensor | None = None
    """For a call through a transform: the result of the call itself, from the same computation."""
    on_control: bool = False
    """The outcome is that of the control, which ended the process before the call was made."""
