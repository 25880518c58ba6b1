"""The behaviour of an implementation in a call, regardless of what any document says."""

from __future__ import annotations

from conformance.outcomes.equivalence import is_same
from conformance.outcomes.model import Abstract, Died, NotExported, Raised, Returned, Unsupported, lacks_arguments
from conformance.results.file import Results
from conformance.results.records import ResultRecord

_SIDE_EFFECTS = ("input-changed", "aliased", "unstable", "contaminated")
"""Kinds of divergence that do not concern the outcome itself."""


def is_informative(result: ResultRecord) -> bool:
    """Whether it shows what the implementation does; an unsupported, blocked or unconfirmed call does not."""
    return result.verdict != "blocked" and result.confirmed and not isinstance(result.outcome, Unsupported)


def was_called(result: ResultRecord) -> bool:
    """Whether the call was made: the API has a form for it, its arguments could be created, and nothing blocked it."""
    outcome = result.outcome
    lacks = isinstance(outcome, Raised) and lacks_arguments(outcome)
    return is_informative(result) and not lacks and not isinstance(outcome, NotExported)


def called_cases(results: Results) -> int:
    """The number of cases that were called on any target."""
    return len({result.case for result in results.results if was_called(result)})


def is_same_behaviour(result: ResultRecord, other: ResultRecord) -> bool:
    """Whether two informative results of the same case are the same behaviour.

    Compares the outcomes (by value, see ``conformance.outcomes.equivalence``), the behaviour towards out-of-bounds
    indices and the side effects. Elements that vary from call to call are ignored.
    """
    return (
        has_same_outcome(result, other)
        and _side_effects(result) == _side_effects(other)
        and has_same_policy(result, other)
    )


def has_same_outcome(result: ResultRecord, other: ResultRecord) -> bool:
    """Whether both have the same values; in a metamorphic relation, on both sides."""
    with_elements = not (varies(result) or varies(other))
    if not is_same(result.outcome, other.outcome, "values", with_elements=with_elements):
        return False
    right = result.relation.right if result.relation else None
    other_right = other.relation.right if other.relation else None
    if right is None or other_right is None:
        return right is other_right
    return is_same(right, other_right, "values", with_elements=with_elements)


def has_same_policy(result: ResultRecord, other: ResultRecord) -> bool:
    """Whether both behave the same towards out-of-bounds indices, if the behaviour of both is known."""
    return len({result.behaviour, other.behaviour} - {None}) <= 1


def varies(result: ResultRecord) -> bool:
    """Whether its elements vary from call to call."""
    determinism = result.determinism
    return "unstable" in result.divergence or (determinism is not None and determinism.grade == "varies")


def depends_on_other_calls(result: ResultRecord) -> bool:
    """Whether it is right alone and wrong after another call; an error that only makes later calls fail is its own."""
    control = result.control
    made_others_fail = control is not None and control.after not in (None, "returned")
    return "contaminated" in result.divergence and not made_others_fail


def behaviour_text(result: ResultRecord) -> str:
    """``returns``, ``clamps``, ``raises IndexError``, ``died (SIGSEGV)``, ``hung``, ``cannot be exported``, ``blocked``.

    ``cannot create the arguments (TypeError)`` if the call was not made, for example if a version lacks the dtype.
    """
    outcome = result.outcome
    side_effects = "".join(f", {kind}" for kind in _side_effects(result))
    if result.verdict == "blocked":
        return "blocked"
    if isinstance(outcome, Returned | Abstract):
        return (result.behaviour or "returns") + side_effects
    if isinstance(outcome, Raised):
        if lacks_arguments(outcome):
            return f"cannot create the arguments ({outcome.error.type})"
        return f"raises {outcome.error.type}" + side_effects
    if isinstance(outcome, NotExported):
        return "cannot be exported"
    return f"died ({outcome.ending})" if isinstance(outcome, Died) else outcome.status


def contrasted(before: ResultRecord, after: ResultRecord) -> tuple[str, str]:
    """Texts that differ, for two results with different behaviours."""
    was, now = behaviour_text(before), behaviour_text(after)
    if was != now:
        return was, now
    for name in ("dtype", "shape"):
        old, new = _attribute(before, name), _attribute(after, name)
        if old != new:
            return f"{was} {old}", f"{now} {new}"
    return was, f"{now} with other elements"


def _attribute(result: ResultRecord, name: str) -> str | None:
    outcome = result.outcome
    if not isinstance(outcome, Returned | Abstract):
        return None
    return outcome.dtype if name == "dtype" else str(list(outcome.shape))


def _side_effects(result: ResultRecord) -> tuple[str, ...]:
    return tuple(sorted(set(result.divergence) & {*_SIDE_EFFECTS}))
