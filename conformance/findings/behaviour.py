"""The behaviour of an implementation in a call, regardless of what any document says."""

from __future__ import annotations

from conformance.outcomes.model import (
    Abstract,
    Died,
    NotExported,
    Outcome,
    Raised,
    Returned,
    lacks_arguments,
)
from conformance.results.file import Results
from conformance.results.records import ResultRecord

_SIDE_EFFECTS = (
    "wrote-outside",
    "read-outside",
    "input-changed",
    "aliased",
    "mode-dependent",
    "unstable",
    "contaminated",
    "together",
)
"""Kinds of divergence that do not concern the outcome itself."""


def was_called(result: ResultRecord) -> bool:
    """Whether the call was made: the API has a form for it, its arguments could be created, and nothing blocked it."""
    status = result.status
    is_made = status == "returned" or not (status in ("unsupported", "not-exported") or lacks_arguments(result.outcome))
    return is_made and result.verdict != "blocked" and not result.unconfirmed


def called_cases(results: Results) -> int:
    """The number of cases that were called on any target."""
    return len({result.case for result in results.results if was_called(result)})


def varies(result: ResultRecord) -> bool:
    """Whether its elements vary from call to call."""
    determinism = result.determinism
    return "unstable" in result.divergence or (determinism is not None and determinism.grade == "varies")


def depends_on_other_calls(result: ResultRecord) -> bool:
    """Whether it is right alone and wrong after another call; an error that only makes later calls fail is its own."""
    control = result.control
    made_others_fail = control is not None and control.after not in (None, "returned")
    return "contaminated" in result.divergence and not made_others_fail


def side_effects(result: ResultRecord) -> tuple[str, ...]:
    """Kinds of divergence of a call that returned or raised that do not concern its outcome, in alphabetical order."""
    outcome = result.outcome
    if not isinstance(outcome, Returned | Abstract | Raised) or lacks_arguments(outcome):
        return ()
    return tuple(sorted({*result.divergence} & {*_SIDE_EFFECTS}))


def behaviour_text(result: ResultRecord) -> str:
    """``returns``, ``clamps``, ``raises IndexError, input-changed``, ``died (SIGSEGV)``, ``cannot be exported``, ``blocked``.

    ``cannot create the arguments (TypeError)`` if the call was not made, for example if a version lacks the dtype.
    """
    if result.verdict == "blocked":
        return "blocked"
    outcome = result.outcome
    is_returned = isinstance(outcome, Returned | Abstract)
    text = (result.behaviour or "returns") if is_returned else outcome_text(outcome)
    return ", ".join((text, *side_effects(result)))


def outcome_text(outcome: Outcome) -> str:
    """``returns int32 [2, 3]``, ``raises IndexError``, ``died (SIGSEGV)``, ``hung``."""
    if isinstance(outcome, Returned | Abstract):
        return f"returns {outcome.dtype} {list(outcome.shape)}"
    if isinstance(outcome, Raised):
        verb = "cannot create the arguments ({})" if lacks_arguments(outcome) else "raises {}"
        return verb.format(outcome.error.type)
    if isinstance(outcome, NotExported):
        return "cannot be exported"
    return f"died ({outcome.ending})" if isinstance(outcome, Died) else outcome.status
