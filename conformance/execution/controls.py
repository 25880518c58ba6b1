"""Makes controls alone, on APIs whose results depend on earlier calls.

A call that must raise conforms if it raises and its control returns. A control that returns only because of earlier calls
proves nothing: alone the API refuses it too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from conformance.cases.draws.forms import form_of
from conformance.cases.model import ApiCall
from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.execution.fresh import AT_ONCE, in_fresh_processes
from conformance.judging.judge import judge
from conformance.outcomes.model import Status
from conformance.specification.literals import Argument, Tensor


def rests_on_control(result: AttemptResult) -> bool:
    """Whether it conforms because it raised, and its control did not."""
    is_error = result.observation.outcome.status == "raised" and result.judgement.verdict == "conforms"
    return is_error and result.attempt.control_call is not None


def is_order_dependent(result: AttemptResult) -> bool:
    """Whether it was found to happen after other calls only."""
    return result.confirmed == "after-others" and "contaminated" in result.judgement.divergences


def with_lone_controls(client: Client, results: Sequence[AttemptResult]) -> Iterator[AttemptResult]:
    """Each result, judged anew with what its control does in a process of its own.

    Controls of like forms share a process, and none is made twice in one. If one of them does not return there, each of them
    has a process of its own. GaveUp, Stopped and TargetBlocked as raised by ``client``.
    """
    controls: dict[Hashable, ApiCall] = {}
    alike: dict[Hashable, list[Hashable]] = {}
    for result in results:
        control = result.attempt.control_call
        assert control is not None
        if _form(control) not in controls:
            controls[_form(control)] = control
            alike.setdefault(_kind(control), []).append(_form(control))
    clients = client.others(AT_ONCE) or [client]

    def made(groups: Sequence[Sequence[Hashable]]) -> dict[Hashable, Status]:
        found = in_fresh_processes(clients, groups, lambda one, group: [_status(one, controls[form]) for form in group])
        return {
            form: status
            for group, of_group in zip(groups, found, strict=True)
            for form, status in zip(group, of_group, strict=True)
        }

    statuses = made([*alike.values()])
    doubtful = [
        group for group in alike.values() if len(group) > 1 and any(statuses[form] != "returned" for form in group)
    ]
    statuses |= made([[form] for group in doubtful for form in group])
    if clients == [client]:
        client.forget()
    for result in results:
        control = result.attempt.control_call
        assert control is not None
        observation = replace(result.observation, control_alone=statuses[_form(control)])
        judgement = judge(result.attempt.case, result.attempt.subject, observation)
        yield replace(result, observation=observation, judgement=judgement)


def _form(control: ApiCall) -> Hashable:
    return control.api, control.operation, form_of(control.call)


def _kind(control: ApiCall) -> Hashable:
    """The same for controls that differ only in numbers, and in the shapes and elements of tensors."""
    return control.api, control.operation, *(_kind_of(value) for value in control.call.arguments.values())


def _kind_of(argument: Argument) -> str:
    if isinstance(argument, Tensor):
        return argument.dtype
    return argument if isinstance(argument, str) else type(argument).__name__


def _status(client: Client, control: ApiCall) -> Status:
    return client.call(control).outcome.status
