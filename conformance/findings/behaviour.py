"""What an implementation did with a call, apart from what any document says of it."""

from __future__ import annotations

from conformance.outcomes.equivalence import is_same
from conformance.outcomes.model import Abstract, Died, Raised, Returned, Unsupported, lacks_arguments
from conformance.results.records import ResultRecord

_BESIDES = ("input-changed", "aliased", "unstable", "contaminated")
"""Kinds of divergence that are no difference to what was expected, but something observed besides."""


def is_informative(result: ResultRecord) -> bool:
    """Whether it shows what the implementation does: a call that it has no form for, or that is blocked, does not."""
    return result.verdict != "blocked" and not isinstance(result.outcome, Unsupported)


def is_same_behaviour(result: ResultRecord, other: ResultRecord) -> bool:
    """Whether two informative results of the same case are the same behaviour.

    By outcome (see ``conformance.outcomes.equivalence``, values), by what was done with an index outside, and by what was
    observed besides. Elements that vary from call to call do not count.
    """
    return has_same_outcome(result, other) and _besides(result) == _besides(other) and has_same_policy(result, other)


def has_same_outcome(result: ResultRecord, other: ResultRecord) -> bool:
    """Whether both came to the same values; of a metamorphic relation on both of its sides."""
    with_elements = not (varies(result) or varies(other))
    if not is_same(result.outcome, other.outcome, "values", with_elements=with_elements):
        return False
    right, others = (each.relation.right if each.relation else None for each in (result, other))
    if right is None or others is None:
        return right is others
    return is_same(right, others, "values", with_elements=with_elements)


def has_same_policy(result: ResultRecord, other: ResultRecord) -> bool:
    """Whether both did the same with an index outside, as far as both have a word for it."""
    return len({result.behaviour, other.behaviour} - {None}) <= 1


def varies(result: ResultRecord) -> bool:
    """Whether its elements are others from call to call."""
    grade = result.determinism
    return "unstable" in result.divergence or (grade is not None and grade.grade == "varies")


def behaviour_text(result: ResultRecord) -> str:
    """``returns``, ``clamps``, ``raises IndexError``, ``died (SIGSEGV)``, ``hung``, ``unsupported``, ``blocked``.

    ``cannot make the arguments (TypeError)`` where the call was never made, as of a dtype that a version lacks.
    """
    outcome = result.outcome
    besides = "".join(f", {kind}" for kind in _besides(result))
    if result.verdict == "blocked":
        return "blocked"
    if isinstance(outcome, Returned | Abstract):
        return (result.behaviour or "returns") + besides
    if isinstance(outcome, Raised):
        if lacks_arguments(outcome):
            return f"cannot make the arguments ({outcome.error.type})"
        return f"raises {outcome.error.type}" + besides
    return f"died ({outcome.ending})" if isinstance(outcome, Died) else outcome.status


def contrasted(before: ResultRecord, after: ResultRecord) -> tuple[str, str]:
    """Two behaviours that are not the same, in words that are not the same either."""
    was, now = behaviour_text(before), behaviour_text(after)
    if was != now:
        return was, now
    for name in ("dtype", "shape"):
        form, other = (_attribute(result, name) for result in (before, after))
        if form != other:
            return f"{was} {form}", f"{now} {other}"
    return was, f"{now} other elements"


def _attribute(result: ResultRecord, name: str) -> str | None:
    outcome = result.outcome
    if not isinstance(outcome, Returned | Abstract):
        return None
    return outcome.dtype if name == "dtype" else str(list(outcome.shape))


def _besides(result: ResultRecord) -> tuple[str, ...]:
    return tuple(sorted(set(result.divergence) & {*_BESIDES}))
