"""What an implementation did with an index that points outside, in a word: what it did beside what each policy gives."""

from __future__ import annotations

from conformance.cases.model import Case, Returns
from conformance.judging.compare import compare
from conformance.judging.vocabulary import Behaviour
from conformance.outcomes.model import Raised
from conformance.outcomes.observation import Observation
from conformance.specification.literals import Tensor
from conformance.specification.numbers import elements

MOST_SHOWN = 24
"""Elements up to which a result that no policy gives is shown whole."""


def behaviour_of(case: Case, observation: Observation) -> Behaviour | None:
    """The word; None where no index points outside, the call did not end, or several policies give what it gave."""
    if not case.policies:
        return None
    if isinstance(observation.outcome, Raised):
        return "raises"
    result = observation.result
    if result is None:
        return None
    found = {one.policy for one in case.policies if _same(one.result, result)}
    if not found:
        return "other"
    return found.pop() if len(found) == 1 else None


def in_words(behaviour: Behaviour | None, result: Tensor | None) -> str:
    """What was done, for an explanation: the word, and where no policy gives it what was returned."""
    if behaviour is not None and behaviour != "other":
        return behaviour
    returned = f"returned {described(result)}" if result is not None else "returned nothing"
    if behaviour is None or result is None or result.array.size > MOST_SHOWN:
        return returned
    return f"{returned}: {elements(result.array)}"


def described(value: Tensor) -> str:
    """A tensor's dtype and shape."""
    return f"{value.dtype} of shape {list(value.shape)}"


def _same(expected: Tensor, got: Tensor) -> bool:
    if (expected.dtype, expected.shape) != (got.dtype, got.shape):
        return False
    return compare(Returns(expected, None, True, "reference"), got.array).count == 0
