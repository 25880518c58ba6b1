"""One case on one API in the current process, judged as a run does."""

from __future__ import annotations

from dataclasses import replace

from conformance.adapter import Api
from conformance.cases.model import Case
from conformance.cases.wire import to_wire, views_of
from conformance.execution.attempt import AttemptResult, CallAttempt, History
from conformance.judging.judge import Subject, judge
from conformance.outcomes.model import Raised
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import outcome_of, tensor_of
from conformance.specification.model import Call
from conformance.worker import adapters, calls


def judged_here(adapter: adapters.Adapter, api: Api, case: Case, subject: Subject) -> AttemptResult:
    """Make the call, with its control before and after, and judge it; the case is no relation."""
    before = after = None
    if case.control is not None:
        before = _observed(adapter, api, case.control).outcome.status
    observation = _observed(adapter, api, case.call)
    if case.control is not None and isinstance(observation.outcome, Raised):
        after = _observed(adapter, api, case.control).outcome.status
    observation = replace(observation, control_before=before, control_after=after)
    attempt = CallAttempt(case, api.name, subject, case.call, {}, case.control)
    return AttemptResult(attempt, observation, judge(case, subject, observation), History([], 0))


def _observed(adapter: adapters.Adapter, api: Api, call: Call) -> Observation:
    reply, result = calls.run(adapter, api, to_wire(call), views_of(call))
    tensor = None if result is None else tensor_of(*result)
    return Observation(outcome_of(reply, tensor), tensor)
