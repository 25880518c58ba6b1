"""Whether a script did what the suite observed."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.cases.model import Returns
from conformance.outcomes.reply import digest
from conformance.repro.interpreter import ScriptRun
from conformance.repro.views import view_of
from conformance.results.observed import CaseResult, ObservedCall


def mismatch(case_result: CaseResult, calls: Sequence[ObservedCall], run: ScriptRun) -> str | None:
    """The first difference between a script's run and what the suite observed; None if there is none."""
    for call in calls:
        if call.status == "hung":
            # it got to the call
            hung = run.code is None and "documented" in run.printed
            return None if hung else "the call returned, but hung in the suite"
        if call.status == "died":
            same = run.ending == call.ending
            return None if same else f"the process ended differently: {run.ending}"
        if run.code is None:
            return "the script did not finish"
        differs = _call(case_result, call, run)
        if differs is not None:
            return differs
    if run.code != 0:
        return "the script failed"
    return _arguments(case_result, calls[-1], run) or _buffers(calls[-1], run) or _flaky(case_result, run)


def _call(case_result: CaseResult, call: ObservedCall, run: ScriptRun) -> str | None:
    if call.status == "raised":
        raised = run.raised(call.name)
        actual = f"raised {raised}" if raised else "did not"
        return None if raised == call.error else f"expected {call.name} to raise {call.error}, but it {actual}"
    if "unstable" in case_result.result.divergence or run.digest(call.name) == call.digest:
        return None
    return f"{call.name} differs from the value in the suite"


def _arguments(case_result: CaseResult, call: ObservedCall, run: ScriptRun) -> str | None:
    """A difference in which arguments were changed or share memory with the result."""
    kinds = case_result.result.divergence
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
    """A buffer of a view that the call changed in the suite, but not in the script."""
    for name in call.spilled:
        view = view_of(name, call.tensors[name])
        if view is not None and run.digest(view.buffer) == digest(view.content):
            return f"the buffer of the view {name} was not changed"
    return None


def _flaky(case_result: CaseResult, run: ScriptRun) -> str | None:
    expectation = case_result.case.expectation
    if "unstable" not in case_result.result.divergence or not isinstance(expectation, Returns):
        return None
    return "the value is correct this time" if run.digest("got") == digest(expectation.value) else None
