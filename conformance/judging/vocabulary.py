"""The closed lists of words in which results are told (contract C4)."""

from __future__ import annotations

from typing import Literal

Status = Literal["returned", "raised", "died", "hung", "unsupported"]
Verdict = Literal["conforms", "diverges", "died", "hung", "unsupported", "observed", "blocked"]
Divergence = Literal[
    "value",
    "shape",
    "dtype",
    "accepted",
    "rejected",
    "error-type",
    "input-changed",
    "aliased",
    "unstable",
    "contaminated",
]
Standing = Literal["own", "portability"]
Grade = Literal["same-bits", "varies"]
Behaviour = Literal["raises", "ignores", "stops", "clamps", "wraps-negative", "wraps-modulo", "fills", "other"]
