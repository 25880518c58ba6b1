"""Whether repeated calls with duplicate indices give the same result."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.cases.expectations import Compared
from conformance.cases.model import Case
from conformance.judging.compare import matches
from conformance.judging.vocabulary import Determinism
from conformance.outcomes.equivalence import key
from conformance.outcomes.observation import Observation


def determinism_of(case: Case, observations: Sequence[Observation], repeats: int) -> Determinism:
    """The grade of a call from the distinct observations of its repetitions."""
    expected = case.expectation if isinstance(case.expectation, Compared) else case.duplicates
    distinct = len({key(observation.outcome, "bits") for observation in observations})
    permitted = None if expected is None else all(_matches(expected, observation) for observation in observations)
    return Determinism(repeats, distinct, "same-bits" if distinct == 1 else "varies", permitted)


def _matches(expected: Compared, observation: Observation) -> bool:
    return observation.result is not None and matches(expected, observation.result)
