"""What was observed of a call: its outcome, its result, and the status of its control before and after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.outcomes.model import Outcome, Status
from conformance.specification.literals import Tensor


@dataclass(frozen=True)
class Refusal:
    """What other calls show of one that was refused in another dtype than its original one."""

    returns_otherwise: bool
    """The same call returns in its original dtype, so that the refusal is about the dtype."""
    elsewhere: Literal["taken", "refused"] | None
    """What happens in the dtype to another call, one that returns in its original dtype; None if there is no other."""
    in_another_shape: bool = False
    """That other call differs from it in nothing but shapes and elements."""


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
    """For a refusal in another dtype than the original one: what other calls show of it."""
    recompiled: bool = False
    """After recompiling, the control had its first status again, so only compiled code was affected."""
    forward: Tensor | None = None
    """For a call through a transform: the result of the call itself, from the same computation."""
    on_control: bool = False
    """The outcome is that of the control, which ended the process before the call was made."""
