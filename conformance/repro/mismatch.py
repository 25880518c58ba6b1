"""Whether a script did what the suite saw."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.cases.model import Returns
from conformance.outcomes.reply import digest
from conformance.repro.interpreter import ScriptRun
from conformance.repro.views import view_of
from conformance.results.observed import CaseResult, ObservedCall


def mismatch(shown: CaseResult, calls: Sequence[ObservedCall], run: ScriptRun) -> str | None:
    """The first thing in which a script did otherwise than the suite saw; None where it shows the same."""
    for call in calls:
        if call.status == "hung":
            # it came as far as the call
            hung = run.code is None and "documented" in run.printed
            return None if hung else "the call returned, where the suite saw it hang"
        if call.status == "died":
            same = run.ending == call.ending
            return None if same else f"its process ended otherwise than the suite saw, with {run.ending}"
        if run.code is None:
            return "it did not come to its end"
        differs = _call(shown, call, run)
        if differs is not None:
            return differs
    if run.code != 0:
        return "it failed"
    return _arguments(shown, calls[-1], run) or _buffers(calls[-1], run) or _flaky(shown, run)


def _call(shown: CaseResult, call: ObservedCall, run: ScriptRun) -> str | None:
    if call.status == "raised":
        raised = run.raised(call.name)
        wrong = f"raised {raised}" if raised else "did not raise"
        return None if raised == call.error else f"{call.name} should have raised {call.error}, and {wrong}"
    if "unstable" in shown.result.divergence or run.digest(call.name) == call.digest:
        return None
    return f"{call.name} is not the value that the suite saw"


def _arguments(shown: CaseResult, call: ObservedCall, run: ScriptRun) -> str | None:
    """Whether arguments were changed, and share memory with the result, as the suite saw it."""
    kinds = shown.result.divergence
    for name, value in call.tensors.items():
        after = run.results.get(name)
        if after is None:
            continue
        changed = after.get("digest") != digest(value)
        if "input-changed" in kinds and changed != (name in call.changed):
            return f"{name} was {'' if changed else 'not '}changed"
        if "aliased" in kinds and name in call.aliased and not after.get("aliased"):
            return f"the result does not share memory with {name}"
    return None


def _buffers(call: ObservedCall, run: ScriptRun) -> str | None:
    """Whether the buffers of views were written to where the suite saw it."""
    for name in call.spilled:
        view = view_of(name, call.tensors[name])
        if view is not None and run.digest(view.buffer) == digest(view.held):
            return f"the buffer of which {name} is a view was not changed"
    return None


def _flaky(shown: CaseResult, run: ScriptRun) -> str | None:
    expectation = shown.case.expectation
    if "unstable" not in shown.result.divergence or not isinstance(expectation, Returns):
        return None
    return "this time the value is right" if run.digest("got") == digest(expectation.value) else None
