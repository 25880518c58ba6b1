"""The closed lists of words in results; docs/glossary.md defines each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.specification.vocabulary import Policy, Transformation

Verdict = Literal["conforms", "diverges", "died", "hung", "unsupported", "observed", "blocked"]
Divergence = Literal[
    "value",
    "inconsistent",
    "shape",
    "dtype",
    "accepted",
    "rejected",
    "missing",
    "error-type",
    "internal",
    "wrote-outside",
    "read-outside",
    "input-changed",
    "aliased",
    "mode-dependent",
    "unstable",
    "contaminated",
    "together",
]
Standing = Literal["own", "printed", "portability"]
BINDING: frozenset[Standing] = frozenset({"own", "printed"})
"""The standings of what an API's own document says; a divergence from it fails a run."""
FailOn = Literal["own", "any", "never"]
"""Which divergences make a run fail: those from an API's own documents, all, or none."""
Grade = Literal["same-bits", "varies"]
Behaviour = Literal["raises", Policy, "other"]
Computed = Transformation
"""What results are about if not about what a call returns."""
Step = Literal["framework", "exporter", "runtime"]
"""On a path, what first does what a finding is about: the framework itself, what was exported, or what runs that."""
Confirmation = Literal["alone", "after-others", "together", "no"]
"""How a divergence, death or hang was repeated in fresh processes: as the first call of one, after other calls only, compiled
together with other calls only, or not at all, since the run ended before. One that depends on earlier calls is confirmed after these; one that is sometimes right
was repeated alone."""


@dataclass(frozen=True)
class Determinism:
    """How often a call with duplicate indices was made, and whether its result was always the same."""

    repeats: int
    """Number of calls: one among all other calls and one in each of several fresh processes; for a call whose results
    vary, those in processes that made no other call, or before them only such as fail the same clause alike."""
    distinct: int
    """Number of different outcomes: results differ by their bits, errors by their type, deaths by how they ended."""
    grade: Grade
    permitted: bool | None
    """Whether every result is permitted: a sum within its bound, or for moved elements one of those written to the
    position. None if the permitted results are not known."""
    threads: int | None = None
    """Number of threads that the framework is told to use in the fresh processes; None for its own default."""
