"""Every case of the suite on an adapter in this very process, judged as a run judges it."""

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
from conformance.judging.dtype_claims import ADAPTER, DtypeClaim
from conformance.judging.judge import Judgement, Subject, judge
from conformance.outcomes.model import Raised
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import outcome_of, tensor_of
from conformance.places import adapters_folder
from conformance.specification.loader import load_specs
from conformance.specification.model import Call
from conformance.worker import adapters, calls

REFERENCE = adapters_folder() / "reference" / "adapter.py"


@dataclass(frozen=True)
class JudgedCase:
    """What an adapter did with a case."""

    case: Case
    judgement: Judgement


@cache
def every_case() -> tuple[Case, ...]:
    """The suite's cases."""
    return tuple(build_cases(load_specs(), load_reference(REFERENCE)))


@cache
def all_cases() -> tuple[Case, ...]:
    """The suite's cases for a CPU, but for relations, which take several calls."""
    return tuple(case for case in every_case() if case.device != "gpu" and not isinstance(case.expectation, Agrees))


def results(path: Path, cases: Iterable[Case]) -> Iterator[JudgedCase]:
    """These cases, one after the other, on the adapter of a file."""
    adapter = adapters.load(str(path))
    for case in cases:
        for api in adapter.apis:
            if api.operation == case.operation.name:
                yield JudgedCase(case, _judged(adapter, api, case))


def _judged(adapter: adapters.Adapter, api: Api, case: Case) -> Judgement:
    before = after = None
    if case.control is not None:
        before = _made(adapter, api, case.control).outcome.status
    observation = _made(adapter, api, case.call)
    if case.control is not None and isinstance(observation.outcome, Raised):
        after = _made(adapter, api, case.control).outcome.status
    # Every dtype counts as promised, so that no case goes unjudged.
    claim = DtypeClaim(ADAPTER, named=True)
    subject = Subject("portability", api.in_place, immutable=False, eager=True, dtype_claim=claim)
    return judge(case, subject, replace(observation, control_before=before, control_after=after))


def _made(adapter: adapters.Adapter, api: Api, call: Call) -> Observation:
    reply, result = calls.run(adapter, api, to_wire(call), views_of(call))
    tensor = None if result is None else tensor_of(*result)
    return Observation(outcome_of(reply, tensor), tensor)
