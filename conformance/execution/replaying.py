"""The calls that show a result, made once more in a fresh worker, with what came of each."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.cases.index_casts import cast_indices
from conformance.cases.model import Agrees, ApiCall, Case
from conformance.cases.relations import NOT_FITTING
from conformance.execution.client import Client
from conformance.execution.plan import Plan
from conformance.execution.preparing import Job
from conformance.execution.relation_attempt import partners
from conformance.execution.runner import run
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.observed import CaseResult, ObservedCall
from conformance.results.records import RunRecord
from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Operation
from conformance.specification.relations import evaluate
from conformance.targets.errors import TargetBlocked
from conformance.targets.prepared import Prepared


def results_of(case: Case, job: Job, prepared: Prepared, limit: float) -> Results:
    """The results of one case on a target, as ``run`` gives them; TargetBlocked where it does not start."""
    record = RunRecord("", "", 0, "", "")
    asked = replace(job, prepare=lambda _: prepared)
    with tempfile.TemporaryDirectory() as folder:
        run(Plan(record, [asked], [case], limit, 1), Path(folder) / FILE_NAME, [])
        results = read_results(Path(folder))
    blocked = next((target.blocked for target in results.targets if target.blocked), None)
    if blocked and not results.results:
        raise TargetBlocked(blocked)
    return results


@dataclass(frozen=True)
class Replay:
    """Makes calls in fresh workers of one target; GaveUp and TargetBlocked as ``Client`` raises them."""

    prepared: Prepared
    script: Path
    """The script that starts a worker."""
    limit: float

    def calls(self, shown: CaseResult) -> list[ObservedCall]:
        """Those of the case itself: the call, both sides of a relation, or a call between its valid controls.

        Of a single call the result says already what came of it, so no worker is started for it.
        """
        if isinstance(shown.case.expectation, Agrees):
            return self._relation(shown)
        if shown.control is None:
            return [shown.recorded_call()]
        call, control = shown.as_called(shown.case.call), shown.as_called(shown.control)
        return self._in_order([("before", control), ("got", call), ("after", control)])

    def calls_after(self, shown: CaseResult, polluter: Case, api: str) -> Iterator[list[ObservedCall]]:
        """The case's call after each of the calls that the API got for the polluter, any of which may be the one."""
        for earlier in self._earlier(shown, polluter, api):
            if isinstance(shown.case.expectation, Agrees):
                yield self._relation(shown, earlier)
            else:
                yield self._in_order([("earlier", earlier), ("got", shown.as_called(shown.case.call))])

    def _earlier(self, shown: CaseResult, polluter: Case, api: str) -> Iterator[ApiCall]:
        if isinstance(polluter.expectation, Agrees):
            theirs = replace(shown, case=polluter, result=replace(shown.result, api=api))
            yield from (observed.call for observed in self._relation(theirs) if observed.call.api == api)
            return
        for call in filter(None, (polluter.call, polluter.control)):
            yield ApiCall(polluter.operation.name, _cast_alike(shown, polluter, call), api, polluter.id)

    def _in_order(self, calls: Sequence[tuple[str, ApiCall]]) -> list[ObservedCall]:
        client = Client(self.prepared, self.script, self.limit)
        try:
            client.start()
            return [ObservedCall(name, call, client.call(call)) for name, call in calls]
        finally:
            client.close()

    def _relation(self, shown: CaseResult, earlier: ApiCall | None = None) -> list[ObservedCall]:
        client = Client(self.prepared, self.script, self.limit)
        try:
            apis = client.start()["apis"]
            before = [ObservedCall("earlier", earlier, client.call(earlier))] if earlier else []
            return [*before, *_relation_calls(shown, client, apis)]
        finally:
            client.close()


def _cast_alike(shown: CaseResult, polluter: Case, call: Call) -> Call:
    """Another case's call with its indices in the dtypes that the shown result's API got."""
    if polluter is shown.case:
        return shown.as_called(call).call
    return cast_indices(polluter.operation, call, list(dict.fromkeys(shown.cast.values())))[0]


def _relation_calls(shown: CaseResult, client: Client, apis: Sequence[dict[str, Any]]) -> Iterator[ObservedCall]:
    """The calls of both sides, each with the values that the one before gave."""
    assert isinstance(shown.case.expectation, Agrees)
    relation = shown.case.expectation.relation
    for name, side in (("left", relation.left), ("right", relation.right)):
        calls = _SideCalls(shown, client, apis, [])
        try:
            evaluate(side, relation, shown.case.call, calls.apply)
        except (_Ended, *NOT_FITTING):
            pass
        last = len(calls.observed)
        for number, observed in enumerate(calls.observed, 1):
            yield replace(observed, name=name if number == last else f"{name}_{number}")


@dataclass(frozen=True)
class _SideCalls:
    """The calls of one side of a relation, as they come."""

    shown: CaseResult
    client: Client
    apis: Sequence[dict[str, Any]]
    observed: list[ObservedCall]

    def apply(self, operation: Operation, call: Call) -> Tensor:
        """As a run does: of the APIs that stand for another operation, the first that takes the call."""
        keeps_indices = self.shown.result.standing == "own" and operation.name == self.shown.case.operation.name
        refused: list[ObservedCall] = []
        for api in self._partners(operation):
            given = call if keeps_indices else cast_indices(operation, call, api["index_dtypes"])[0]
            made = ApiCall(operation.name, given, api["name"], self.shown.case.id)
            observed = ObservedCall("", made, self.client.call(made))
            if observed.observation.result is not None:
                self.observed.append(observed)
                return observed.observation.result
            refused.append(observed)
        self.observed.extend(refused[:1])
        raise _Ended

    def _partners(self, operation: Operation) -> Sequence[dict[str, Any]]:
        case = self.shown.case
        assert isinstance(case.expectation, Agrees)
        key = self.shown.result.api, case.operation.name
        own = next((api for api in self.apis if (api["name"], api["operation"]) == key), None)
        # A polluter may have been called for a relation on another API, by which its calls are not known.
        return partners(case.expectation.relation, own, self.apis).get(operation.name, []) if own else []


class _Ended(Exception):
    """A call gave nothing to go on with."""
