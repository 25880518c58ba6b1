"""Whether two calls came to the same outcome, for every part of the suite that asks.

Three answers, from the strictest on:

``bits``: the same dtype, shape and bits; the same type of error, raised by the call or by making its arguments; the same
ending of the process. For determinism, confirmation and scripts.

``values``: as ``bits``, but any NaN equals any other, as far as the elements are held (see ``MOST_VALUES``); -0.0 and 0.0
differ. For timelines and ``conformance diff``.

``status``: as ``values`` for what returned; all errors are the same, and all deaths. For modes, porting and outliers.

The wording of messages, warnings, times and changed arguments never count. ``is_same`` compares an outcome without values by
dtype and shape; its ``key`` is no other's, so who groups by key leaves such outcomes out.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Literal

from conformance.outcomes.model import Abstract, Died, Outcome, Raised, Returned

Equivalence = Literal["bits", "values", "status"]


def is_same(one: Outcome, other: Outcome, equivalence: Equivalence, *, with_elements: bool = True) -> bool:
    """Whether two outcomes are the same; ``with_elements`` False where they are others from call to call."""
    if isinstance(one, Abstract) or isinstance(other, Abstract) or not with_elements:
        return form(one, equivalence) == form(other, equivalence)
    return key(one, equivalence) == key(other, equivalence)


def key(outcome: Outcome, equivalence: Equivalence) -> Hashable:
    """What outcomes that are the same have in common, and others have not."""
    if not isinstance(outcome, Returned):
        return form(outcome, equivalence)
    whole = equivalence == "bits" or outcome.values is None
    return (*form(outcome, equivalence), outcome.digest if whole else json.dumps(outcome.values))


def form(outcome: Outcome, equivalence: Equivalence) -> tuple[Hashable, ...]:
    """The part of the key without elements."""
    if isinstance(outcome, Returned | Abstract):
        return "returned", outcome.dtype, tuple(outcome.shape)
    if isinstance(outcome, Raised) and equivalence != "status":
        return "raised", outcome.error.type, outcome.error.phase == "arguments"
    if isinstance(outcome, Died) and equivalence != "status":
        return "died", outcome.ending
    return (outcome.status,)
