"""Runs an adapter on the cases of the suite in the current process, and judges them as a run does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from conformance.adapter import Api
from conformance.cases.build import build_cases
from conformance.cases.model import Agrees, Case
from conformance.cases.reference import load_reference
from conformance.cases.wire import to_wire, views_of
from conformance.data_folders import adapters_folder
from conformance.judging.judge import Judgement, Subject, judge
from conformance.outcomes.model import Raised
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import outcome_of, tensor_of
from conformance.specification.loader import load_specs
from conformance.specification.model import Call
from conformance.worker import adapters, calls

REFERENCE = adapters_folder() / "reference" / "adapter.py"


@dataclass(frozen=True)
class JudgedCase:
    """A case, and the judgement of an adapter on it."""

    case: Case
    judgement: Judgement


@cache
def all_cases() -> tuple[Case, ...]:
    """All cases of the suite."""
    return tuple(build_cases(load_specs(), load_reference(REFERENCE)))


@cache
def cpu_cases() -> tuple[Case, ...]:
    """The cases for a CPU that are a single call, that is, all but relations, and meant for APIs of any framework."""
    return tuple(
        case
        for case in all_cases()
        if case.device != "gpu" and not isinstance(case.expectation, Agrees) and not case.clause.only_documented
    )


def results(path: Path, cases: Iterable[Case], *, error_types: bool = False) -> Iterator[JudgedCase]:
    """The judgements of an adapter's file on these cases; ``error_types`` as in ``Subject``."""
    adapter = adapters.load(str(path))
    for case in cases:
        for api in adapter.apis:
            if api.operation == case.operation.name:
                yield JudgedCase(case, _judged(adapter, api, case, error_types=error_types))


def _judged(adapter: adapters.Adapter, api: Api, case: Case, *, error_types: bool) -> Judgement:
    before = after = None
    if case.control is not None:
        before = _observed(adapter, api, case.control).outcome.status
    observation = _observed(adapter, api, case.call)
    if case.control is not None and isinstance(observation.outcome, Raised):
        after = _observed(adapter, api, case.control).outcome.status
    subject = Subject("portability", api.in_place, immutable=False, error_types=error_types)
    return judge(case, subject, replace(observation, control_before=before, control_after=after))


def _observed(adapter: adapters.Adapter, api: Api, call: Call) -> Observation:
    reply, result = calls.run(adapter, api, to_wire(call), views_of(call))
    tensor = None if result is None else tensor_of(*result)
    return Observation(outcome_of(reply, tensor), tensor)
