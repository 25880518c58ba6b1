"""The closed lists of words that results use; docs/glossary.md defines each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.specification.vocabulary import Policy

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
Behaviour = Literal["raises", Policy, "other"]


@dataclass(frozen=True)
class Determinism:
    """How often a call with duplicate indices was made, and whether it gave the same each time.

    A page shows it where ``grade`` is ``varies`` or ``permitted`` is not true, and in the account of the result:
    "made 4 times: the same bits each time, a permitted value", "made 4 times: 3 different results, none of the
    permitted values among them".
    """

    repeats: int
    """Times that the call was made: once with all others, the rest in a fresh process unless its calls are compiled."""
    distinct: int
    """Different things that came of it: results by their bits, errors by their type, ways in which the process ended."""
    grade: Grade
    permitted: bool | None
    """Whether everything that came is what may come: a sum within its bound, or of elements that are moved one of those
    written to the place. None where that cannot be told."""
