"""Whether two outcomes are the same, for every part of the suite.

There are three equivalences, the strictest first:

``bits``: the same dtype, shape and bits; the same type of error, raised by the call or while creating its arguments; the
same ending of the process. For determinism, confirmation and scripts.

``values``: as ``bits``, but any NaN equals any other if the elements are stored (see ``MOST_VALUES``); -0.0 and 0.0
differ. For timelines and ``conformance diff``.

``status``: as ``values`` for results; all errors are the same, and all deaths. For modes and porting.

Error messages, warnings, times and changed arguments are never compared. ``is_same`` compares an abstract outcome by
dtype and shape; its ``key`` matches no other outcome's, so code that groups by key must skip such outcomes.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Literal

from conformance.outcomes.model import Abstract, Died, Outcome, Raised, Returned

Equivalence = Literal["bits", "values", "status"]


def is_same(first: Outcome, second: Outcome, equivalence: Equivalence, *, with_elements: bool = True) -> bool:
    """Whether two outcomes are the same; pass ``with_elements=False`` if the elements differ from call to call."""
    if isinstance(first, Abstract) or isinstance(second, Abstract) or not with_elements:
        return form(first, equivalence) == form(second, equivalence)
    return key(first, equivalence) == key(second, equivalence)


def key(outcome: Outcome, equivalence: Equivalence) -> Hashable:
    """A key that is equal for outcomes that are the same, and only for these."""
    if not isinstance(outcome, Returned):
        return form(outcome, equivalence)
    whole = equivalence == "bits" or outcome.values is None
    return (*form(outcome, equivalence), outcome.digest if whole else json.dumps(outcome.values))


def form(outcome: Outcome, equivalence: Equivalence) -> tuple[Hashable, ...]:
    """The part of the key without elements."""
    if isinstance(outcome, Returned):
        return "returned", outcome.dtype, tuple(outcome.shape), *outcome.parts
    if isinstance(outcome, Abstract):
        return "returned", outcome.dtype, tuple(outcome.shape)
    if isinstance(outcome, Raised) and equivalence != "status":
        return "raised", outcome.error.type, outcome.error.phase == "arguments"
    if isinstance(outcome, Died) and equivalence != "status":
        return "died", outcome.ending
    return (outcome.status,)
