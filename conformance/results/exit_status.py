"""Which results are failures, and the exit status of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.judging.vocabulary import BINDING, FailOn
from conformance.outcomes.model import is_adapter_fault

if TYPE_CHECKING:  # `conformance --help` needs the numbers, and not pydantic
    from conformance.results.file import Results
    from conformance.results.records import ResultRecord

STOPPED = "stopped at the limit on failures (--maxfail)"
"""The reason of a run that ended at its limit on failures."""

OK, DIVERGES, INTERRUPTED, INTERNAL, USAGE, NOTHING_SELECTED, BLOCKED, NO_ROOM = range(8)
_PRECEDENCE = (INTERNAL, INTERRUPTED, USAGE, BLOCKED, NOTHING_SELECTED, DIVERGES)


def fails(result: ResultRecord, fail_on: FailOn) -> bool:
    """Whether a result is a failure: a death, a hang, or a divergence of the requested standing that is not known."""
    if fail_on == "never" or result.known is not None:
        return False
    if result.verdict in ("died", "hung"):
        return True
    return result.verdict == "diverges" and (fail_on == "any" or result.standing in BINDING)


def has_judged(results: Results) -> bool:
    """Whether a target did anything but refuse the calls, or as often as ``--at-least`` asks; a shard may have none."""
    return results.run.shard is not None or tried(results) >= max(1, results.run.at_least)


def tried(results: Results) -> int:
    """The number of results that are not ``unsupported`` or ``blocked``."""
    return sum(result.verdict not in ("unsupported", "blocked") for result in results.results)


def exit_status(results: Results, fail_on: FailOn) -> int:
    """The exit status of a finished run; if several apply, the first of 3, 2, 4, 6, 5, 1."""
    applicable = set()
    if results.end is None or not (results.end.complete or results.end.reason == STOPPED):
        applicable.add(INTERRUPTED)
    if results.complete and not has_judged(results):
        applicable.add(NOTHING_SELECTED)
    if any(is_adapter_fault(result.outcome) for result in results.results):
        applicable.add(USAGE)
    if any(target.blocked for target in results.targets):
        applicable.add(BLOCKED)
    if any(fails(result, fail_on) for result in results.results):
        applicable.add(DIVERGES)
    if results.end is not None and results.end.unexpected and fail_on != "never":
        applicable.add(DIVERGES)
    return next((status for status in _PRECEDENCE if status in applicable), OK)
