"""What the suite sees a target do with a case: the result as a run has it, and the calls that show it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.cases.index_casts import cast_indices
from conformance.cases.model import Agrees, ApiCall, Case
from conformance.cases.relations import NOT_FITTING
from conformance.execution.client import Client
from conformance.execution.relation_attempt import partners
from conformance.execution.runner import Job, Plan, run
from conformance.judging.judge import Observation
from conformance.results.describe import digest
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import MappingRecord, ResultRecord, RunRecord, TargetRecord
from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Operation, Raises
from conformance.specification.relations import evaluate
from conformance.targets.errors import TargetBlocked
from conformance.targets.prepared import Prepared

_POLLUTER = re.compile(r"wrong after (\S+) was called for (\S+)")
_WORST = ("died", "hung", "diverges", "observed", "conforms", "blocked", "unsupported")


@dataclass(frozen=True)
class Seen:
    """One result, the API that it is of, and everything about the target."""

    case: Case
    result: ResultRecord
    target: TargetRecord
    mappings: Sequence[MappingRecord]

    def mapping(self, api: str, operation: str) -> MappingRecord:
        """The API of this name that stands for the operation."""
        return next(one for one in self.mappings if (one.api, one.operation) == (api, operation))


@dataclass(frozen=True)
class Called:
    """One call of those that show a result, and what came of it."""

    name: str
    """What it is in the script: ``got``, or ``left`` and ``right`` of a relation."""
    made: ApiCall
    observation: Observation

    @property
    def error(self) -> str | None:
        return (self.observation.outcome.get("error") or {}).get("type")

    @property
    def digest(self) -> str | None:
        if self.observation.result is not None:
            return digest(self.observation.result)
        found = self.observation.outcome.get("digest")
        return str(found) if found else None


class NotShown(Exception):
    """A result that no script can show; the message says why."""


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


def worst_first(results: Sequence[ResultRecord]) -> list[ResultRecord]:
    """Findings first, those of an API's own documentation before others."""
    return sorted(results, key=lambda one: (one.standing != "own", _WORST.index(one.verdict)))


def polluter_of(result: ResultRecord) -> tuple[str, str] | None:
    """API and case of the call that a result was found to depend on."""
    found = _POLLUTER.search(result.explanation or "")
    return (found[1], found[2]) if found else None


@dataclass(frozen=True)
class Calling:
    """Makes the calls that show a result, in a fresh worker."""

    seen: Seen
    prepared: Prepared
    staged: Path
    """The script that starts a worker."""
    limit: float

    def calls(self) -> list[Called]:
        """Those of the case itself: the call, both sides of a relation, or a call between its valid controls."""
        case = self.seen.case
        if isinstance(case.expectation, Agrees):
            return self._relation(case, case.expectation)
        call = self._cast(case, case.call)
        if self._needs_control and case.control:
            control = self._cast(case, case.control)
            return self._made([("before", control), ("got", call), ("after", control)])
        return self._made([("got", call)])

    def recorded(self) -> list[Called] | None:
        """The call with what the results file says came of it; None where it takes more than that one call."""
        case, result = self.seen.case, self.seen.result
        if isinstance(case.expectation, Agrees) or self._needs_control:
            return None
        made = ApiCall(case.operation.name, self._cast(case, case.call), result.api, case.id)
        return [Called("got", made, Observation(dict(result.outcome)))]

    @property
    def _needs_control(self) -> bool:
        return "contaminated" in self.seen.result.divergence and isinstance(self.seen.case.expectation, Raises)

    def after(self, api: str, polluter: Case) -> Iterator[list[Called]]:
        """The case's call after another case's call, or after that one's valid control."""
        case = self.seen.case
        for earlier in self._earlier(api, polluter):
            if isinstance(case.expectation, Agrees):
                yield self._relation(case, case.expectation, earlier)
                continue
            mine = ApiCall(case.operation.name, self._cast(case, case.call), self.seen.result.api, case.id)
            yield self._run([("earlier", earlier), ("got", mine)])

    def _earlier(self, api: str, polluter: Case) -> Iterator[ApiCall]:
        """The calls that an API got for a case, each of which may be the one that did it."""
        if isinstance(polluter.expectation, Agrees):
            own = self.seen.mapping(api, polluter.operation.name)
            theirs = replace(self.seen, case=polluter, result=replace(self.seen.result, api=own.api))
            called = replace(self, seen=theirs)._relation(polluter, polluter.expectation)
            yield from (one.made for one in called if one.made.api == api)
            return
        for call in filter(None, (polluter.call, polluter.control)):
            yield ApiCall(polluter.operation.name, self._cast(polluter, call, api), api, polluter.id)

    def _made(self, calls: Sequence[tuple[str, Call]]) -> list[Called]:
        case, api = self.seen.case, self.seen.result.api
        return self._run([(name, ApiCall(case.operation.name, call, api, case.id)) for name, call in calls])

    def _run(self, made: Sequence[tuple[str, ApiCall]]) -> list[Called]:
        client = Client(self.prepared, self.staged, self.limit)
        try:
            client.start()
            return [Called(name, one, client.call(one)) for name, one in made]
        finally:
            client.close()

    def _cast(self, case: Case, call: Call, api: str | None = None) -> Call:
        """The indices in the dtype that the run gave them; of an earlier call in the same, where it has no choice."""
        cast: Mapping[str, str] = self.seen.result.outcome.get("cast") or {}
        if api is not None and case is not self.seen.case:
            dtypes = list(dict.fromkeys(cast.values()))
            return cast_indices(case.operation, call, dtypes)[0]
        tensors = {name: call.arguments[name] for name in cast}
        return call.with_arguments(
            {name: value.cast(cast[name]) for name, value in tensors.items() if isinstance(value, Tensor)}
        )

    def _relation(self, case: Case, expectation: Agrees, earlier: ApiCall | None = None) -> list[Called]:
        client = Client(self.prepared, self.staged, self.limit)
        try:
            apis = client.start()["apis"]
            before = [Called("earlier", earlier, client.call(earlier))] if earlier else []
            return before + _RelationCalls(self.seen, client, apis).of(case, expectation)
        finally:
            client.close()


@dataclass(frozen=True)
class _RelationCalls:
    """The calls of both sides of a relation, each with the values that the one before gave."""

    seen: Seen
    client: Client
    apis: Sequence[dict[str, Any]]

    def of(self, case: Case, expectation: Agrees) -> list[Called]:
        relation = expectation.relation
        called = []
        for name, side in (("left", relation.left), ("right", relation.right)):
            made: list[tuple[ApiCall, Observation]] = []

            def apply(operation: Operation, call: Call, made: list[tuple[ApiCall, Observation]] = made) -> Tensor:
                return self._apply(case, operation, call, made)

            try:
                evaluate(side, relation, case.call, apply)
            except (_Ended, *NOT_FITTING):
                pass
            names = [*(f"{name}_{number}" for number in range(1, len(made))), name]
            called += [Called(one, *pair) for one, pair in zip(names, made, strict=False)]
        return called

    def _apply(self, case: Case, operation: Operation, call: Call, made: list[tuple[ApiCall, Observation]]) -> Tensor:
        """As a run does: of the APIs that stand for another operation, the first that takes the call."""
        result = self.seen.result
        own = next(one for one in self.apis if (one["name"], one["operation"]) == (result.api, case.operation.name))
        assert isinstance(case.expectation, Agrees)
        keeps = result.standing == "own" and operation.name == case.operation.name
        refused: list[tuple[ApiCall, Observation]] = []
        for api in partners(case.expectation.relation, own, self.apis).get(operation.name, []):
            given = call if keeps else cast_indices(operation, call, api["index_dtypes"])[0]
            one = ApiCall(operation.name, given, api["name"], case.id)
            observation = self.client.call(one)
            if observation.result is not None:
                made.append((one, observation))
                return observation.result
            refused.append((one, observation))
        made += refused[:1]
        raise _Ended


class _Ended(Exception):
    """A call gave nothing to go on with."""
