"""How an implementation behaves: what it did with an out-of-bounds index, by the result of each policy, and whether it always does the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from ml_dtypes import finfo

from conformance.cases.expectations import Compared, Returns
from conformance.cases.model import Case, Treatment
from conformance.judging.compare import compare, matches
from conformance.judging.vocabulary import Behaviour, Determinism
from conformance.outcomes.equivalence import key
from conformance.outcomes.model import Raised, Returned
from conformance.outcomes.observation import Observation
from conformance.specification.dtypes import kind_of
from conformance.specification.literals import Tensor, frozen
from conformance.specification.numbers import elements

MOST_SHOWN = 24
"""Maximum number of elements to show of a result that no policy gives."""

_COPIED = "is not seen, since the framework copies the arguments"
_NOWHERE = f", or written where it {_COPIED}"
_UNSEEN: dict[Behaviour | Treatment, str] = {
    "ignores": _NOWHERE,
    "stops": _NOWHERE,
    "fills": f", or of reading zeros outside, which {_COPIED}",
}
"""What may have happened instead, where writes and reads next to the arguments are not seen."""
_SENTENCES: dict[Behaviour | Treatment, str] = {
    "ignores": "the update was skipped",
    "stops": "this index and all later ones were skipped",
    "clamps": "the index was clamped to the nearest position",
    "wraps-negative": "the index was counted from the end",
    "wraps-modulo": "the index was taken modulo the axis length",
    "fills": "the result is that of reading a fill value",
    "cut": "the index was cut to 32 bits",
}


def treatment_of(case: Case, observation: Observation) -> Behaviour | Treatment | None:
    """What was done to an out-of-bounds index.

    None without such an index or a result, or if several treatments give the same result.
    """
    if not case.policies:
        return None
    if isinstance(observation.outcome, Raised):
        return "raises"
    result = observation.result
    if result is None:
        return None
    if isinstance(observation.outcome, Returned) and any(one.access == "wrote" for one in observation.outcome.outside):
        return "other"
    matching = _matching(case, result) or _matching(case, _with_finite_extremes(result))
    if not matching:
        return "other"
    return matching.pop() if len(matching) == 1 else None


def _matching(case: Case, result: Tensor) -> set[Treatment]:
    """The policies that give this result."""
    return {policy.policy for policy in case.policies if same_elements(policy.result, result)}


def _with_finite_extremes(result: Tensor) -> Tensor:
    """A result with finite numbers for infinities: the largest of no slices is the least of them to the reference, and -inf to others."""
    if kind_of(result.dtype) != "float":
        return result
    limits = finfo(result.array.dtype)  # type: ignore[no-untyped-call]
    least, largest = (np.array(each, result.array.dtype) for each in (limits.min, limits.max))
    array = np.where(result.array == -np.inf, least, np.where(result.array == np.inf, largest, result.array))
    return replace(result, array=frozen(array), written=None)


def behaviour_of(treatment: Behaviour | Treatment | None) -> Behaviour | None:
    """The word for it in results, whose closed list has none for an index that was cut."""
    return "other" if treatment == "cut" else treatment


def needs_guards(case: Case, treatment: Behaviour | Treatment | None, result: Tensor | None) -> bool:
    """Whether a call that wrote or read next to its arguments may have given this result too.

    Of fill values only zero, as memory often holds zeros.
    """
    if treatment != "fills" or result is None:
        return treatment in _UNSEEN
    zeros = next(policy.result for policy in case.policies if policy.policy == "fills")  # the first value is zero
    return same_elements(zeros, result)


def sentence(case: Case, treatment: Behaviour | Treatment | None, result: Tensor | None, *, copies: bool) -> str:
    """What the call did, for an explanation: what was done to the index, or what it returned if nothing known gives that.

    copies: the framework copies arguments, so that what is written or read next to them is not seen.
    """
    if treatment in _SENTENCES:
        unseen = copies and needs_guards(case, treatment, result)
        return _SENTENCES[treatment] + (_UNSEEN[treatment] if unseen else "")
    returned = f"it returned {described(result)}" if result is not None else "it returned nothing"
    if treatment is None or result is None or result.array.size > MOST_SHOWN:
        return returned
    return f"{returned}: {elements(result.array)}"


def described(value: Tensor) -> str:
    """A tensor's dtype and shape."""
    return f"{value.dtype} of shape {list(value.shape)}"


def same_elements(expected: Tensor, got: Tensor) -> bool:
    """Whether two tensors have the same dtype, shape and elements, apart from the sign of zero."""
    if (expected.dtype, expected.shape) != (got.dtype, got.shape):
        return False
    return compare(Returns(expected, True), got.array).count == 0


def determinism_of(case: Case, observations: Sequence[Observation], repeats: int) -> Determinism:
    """The grade of a call from the distinct observations of its repetitions."""
    expected = case.expectation if isinstance(case.expectation, Compared) else case.duplicates
    distinct = len({key(observation.outcome, "bits") for observation in observations})
    permitted = None if expected is None else all(_matches(expected, observation) for observation in observations)
    return Determinism(repeats, distinct, "same-bits" if distinct == 1 else "varies", permitted)


def _matches(expected: Compared, observation: Observation) -> bool:
    return observation.result is not None and matches(expected, observation.result)
