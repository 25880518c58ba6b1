"""What counts as a failure, and the exit status of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from conformance.outcomes.model import is_adapter_fault

if TYPE_CHECKING:  # `conformance --help` needs the numbers, and not pydantic
    from conformance.results.file import Results
    from conformance.results.records import ResultRecord

FailOn = Literal["own", "any", "never"]

STOPPED = "stopped at the first failures, as asked"
"""Why a run ended that reached its limit of failures."""

OK, DIVERGES, INTERRUPTED, INTERNAL, USAGE, NOTHING_SELECTED, BLOCKED = range(7)
_FIRST = (INTERNAL, INTERRUPTED, USAGE, BLOCKED, NOTHING_SELECTED, DIVERGES)


def fails(result: ResultRecord, fail_on: FailOn) -> bool:
    """Whether a result is one that a run fails on: a death, a hang, or a divergence of the standing asked for.

    One that is known from a ledger is none.
    """
    if fail_on == "never" or result.known is not None:
        return False
    if result.verdict in ("died", "hung"):
        return True
    return result.verdict == "diverges" and (fail_on == "any" or result.standing == "own")


def exit_status(results: Results, fail_on: FailOn) -> int:
    """The one status that a finished run ends with; of several the first of 3, 2, 4, 6, 5, 1."""
    found = {OK}
    if results.end is None or not (results.end.complete or results.end.reason == STOPPED):
        found.add(INTERRUPTED)
    if any(is_adapter_fault(result.outcome) for result in results.results):
        found.add(USAGE)
    if any(target.blocked for target in results.targets):
        found.add(BLOCKED)
    if any(fails(result, fail_on) for result in results.results):
        found.add(DIVERGES)
    if results.end is not None and results.end.unexpected and fail_on != "never":
        found.add(DIVERGES)
    return next((status for status in _FIRST if status in found), OK)
