"""Whether a script did what the suite observed."""

from __future__ import annotations

from conformance.cases.expectations import Agrees, Returning, of_value
from conformance.judging.compare import matches
from conformance.outcomes.model import Returned
from conformance.outcomes.reply import digest
from conformance.repro.interpreter import ScriptRun
from conformance.repro.views import view_of
from conformance.results.observed import CaseResult, ObservedCall, Reproduction
from conformance.specification.literals import Tensor
from conformance.specification.model import Raises


def mismatch(case_result: CaseResult, reproduction: Reproduction, run: ScriptRun) -> str | None:
    """The first difference between a script's run and what the suite observed; None if there is none."""
    calls = reproduction.calls
    for call in calls:
        if call.status in ("died", "hung"):
            return _ending(call, run)
    if run.code is None:
        return "the script did not finish"
    if run.code != 0:
        return f"the script failed: {' '.join(run.errors.strip().splitlines()[-1:]) or run.ending}"
    if case_result.is_flaky:
        return _flaky(case_result, calls[-1].name, run)
    differs = (_call(case_result, call, run) for call in calls)
    first = next((difference for difference in differs if difference is not None), None)
    return first or _arguments(case_result, calls[-1], run) or _buffers(calls[-1], run)


def _ending(call: ObservedCall, run: ScriptRun) -> str | None:
    """A difference in how a call ended the process, of which nothing but its output is left."""
    if call.status == "hung":
        # it got to the call
        hung = run.code is None and "documented" in run.printed
        return None if hung else "the call returned, but hung in the suite"
    return None if run.ending == call.ending else f"the process ended differently: {run.ending}"


def _call(case_result: CaseResult, call: ObservedCall, run: ScriptRun) -> str | None:
    if call.name == "earlier":
        return None  # only its effect on the next call matters
    if call.status == "raised":
        raised = run.raised(call.name)
        actual = f"raised {raised}" if raised else "did not"
        return None if raised == call.error else f"expected {call.name} to raise {call.error}, but it {actual}"
    if run.digest(call.name) == call.digest or (call.is_main and _is_wrong_otherwise(case_result, run)):
        return None
    return f"{call.name} differs from the value in the suite"


def _is_wrong_otherwise(case_result: CaseResult, run: ScriptRun) -> bool:
    """Whether an order-dependent result is wrong in the script too: what earlier calls leave behind may vary."""
    if not case_result.is_order_dependent:
        return False
    if isinstance(case_result.case.expectation, Agrees):
        return _sides_differ(case_result, run)
    return any(_is_wrong(case_result, value) for value in run.values("got"))


def _sides_differ(case_result: CaseResult, run: ScriptRun) -> bool:
    recorded = [side.digest if isinstance(side, Returned) else None for side in case_result.recorded_sides()]
    left, right = (run.digest(name) or digest for name, digest in zip(("left", "right"), recorded, strict=True))
    return left is not None and right is not None and left != right


def _is_wrong(case_result: CaseResult, value: Tensor | str | None) -> bool:
    """Whether a result is a tensor that was not expected, or an error of the type that the suite observed."""
    expectation = case_result.case.expectation
    if isinstance(value, str):
        return value == case_result.recorded_call().error
    if value is None:
        return False
    return isinstance(expectation, Raises) or (
        isinstance(expectation, Returning) and not matches(of_value(expectation), value)
    )


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
    """A buffer around an argument that the call changed in the suite, but not in the script."""
    for place, (name, value) in enumerate(call.tensors.items()):
        outside = call.outside_of(name)
        view = view_of(name, value, outside, place)
        wrote = any(one.access == "wrote" for one in outside)
        if view is not None and wrote and run.digest(view.buffer) == digest(view.content):
            return f"the buffer of {name} was not changed"
    return None


def _flaky(case_result: CaseResult, name: str, run: ScriptRun) -> str | None:
    values = run.values(name)
    if any(_is_wrong(case_result, value) for value in values):
        return None
    return f"none of {len(values)} repetitions was wrong in a new process"
