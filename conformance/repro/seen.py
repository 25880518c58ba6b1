"""What the suite sees a target do with a case: the result as a run has it, and the calls that show it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.cases.casting import cast_indices
from conformance.cases.laws import NOT_FITTING
from conformance.cases.model import Agrees, Case
from conformance.judging.judge import Witness
from conformance.runs.client import Client, Made, Prepared
from conformance.runs.describe import digest
from conformance.runs.law_attempt import partners
from conformance.runs.records import MappingRecord, ResultRecord, RunRecord, TargetRecord
from conformance.runs.results import FILE_NAME, Results, read_results
from conformance.runs.runner import Job, Plan, run
from conformance.spec.laws import evaluate
from conformance.spec.literals import Tensor
from conformance.spec.model import Call, Operation, Raises
from conformance.targets.errors import TargetBlocked

_CULPRIT = re.compile(r"wrong after (\S+) was called for (\S+)")
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
    """What it is in the script: ``got``, or ``left`` and ``right`` of a law."""
    made: Made
    witness: Witness

    @property
    def error(self) -> str | None:
        return (self.witness.outcome.get("error") or {}).get("type")

    @property
    def digest(self) -> str | None:
        if self.witness.result is not None:
            return digest(self.witness.result)
        found = self.witness.outcome.get("digest")
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


def culprit_of(result: ResultRecord) -> tuple[str, str] | None:
    """API and case of the call that a result was found to depend on."""
    found = _CULPRIT.search(result.explanation or "")
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
        """Those of the case itself: the call, both sides of a law, or a call between its valid twins."""
        case = self.seen.case
        if isinstance(case.expectation, Agrees):
            return self._law(case, case.expectation)
        call = self._cast(case, case.call)
        if self._needs_twin and case.twin:
            twin = self._cast(case, case.twin)
            return self._made([("before", twin), ("got", call), ("after", twin)])
        return self._made([("got", call)])

    def recorded(self) -> list[Called] | None:
        """The call with what the results file says came of it; None where it takes more than that one call."""
        case, result = self.seen.case, self.seen.result
        if isinstance(case.expectation, Agrees) or self._needs_twin:
            return None
        made = Made(case.operation.name, self._cast(case, case.call), result.api, case.id)
        return [Called("got", made, Witness(dict(result.outcome)))]

    @property
    def _needs_twin(self) -> bool:
        return "contaminated" in self.seen.result.divergence and isinstance(self.seen.case.expectation, Raises)

    def after(self, api: str, culprit: Case) -> Iterator[list[Called]]:
        """The case's call after another case's call, or after that one's valid twin."""
        case = self.seen.case
        for earlier in self._earlier(api, culprit):
            if isinstance(case.expectation, Agrees):
                yield self._law(case, case.expectation, earlier)
                continue
            mine = Made(case.operation.name, self._cast(case, case.call), self.seen.result.api, case.id)
            yield self._run([("earlier", earlier), ("got", mine)])

    def _earlier(self, api: str, culprit: Case) -> Iterator[Made]:
        """The calls that an API got for a case, each of which may be the one that did it."""
        if isinstance(culprit.expectation, Agrees):
            own = self.seen.mapping(api, culprit.operation.name)
            theirs = replace(self.seen, case=culprit, result=replace(self.seen.result, api=own.api))
            called = replace(self, seen=theirs)._law(culprit, culprit.expectation)
            yield from (one.made for one in called if one.made.api == api)
            return
        for call in filter(None, (culprit.call, culprit.twin)):
            yield Made(culprit.operation.name, self._cast(culprit, call, api), api, culprit.id)

    def _made(self, calls: Sequence[tuple[str, Call]]) -> list[Called]:
        case, api = self.seen.case, self.seen.result.api
        return self._run([(name, Made(case.operation.name, call, api, case.id)) for name, call in calls])

    def _run(self, made: Sequence[tuple[str, Made]]) -> list[Called]:
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

    def _law(self, case: Case, expectation: Agrees, earlier: Made | None = None) -> list[Called]:
        client = Client(self.prepared, self.staged, self.limit)
        try:
            apis = client.start()["apis"]
            before = [Called("earlier", earlier, client.call(earlier))] if earlier else []
            return before + _LawCalls(self.seen, client, apis).of(case, expectation)
        finally:
            client.close()


@dataclass(frozen=True)
class _LawCalls:
    """The calls of both sides of a law, each with the values that the one before gave."""

    seen: Seen
    client: Client
    apis: Sequence[dict[str, Any]]

    def of(self, case: Case, expectation: Agrees) -> list[Called]:
        law = expectation.law
        called = []
        for name, side in (("left", law.left), ("right", law.right)):
            made: list[tuple[Made, Witness]] = []

            def apply(operation: Operation, call: Call, made: list[tuple[Made, Witness]] = made) -> Tensor:
                return self._apply(case, operation, call, made)

            try:
                evaluate(side, law, case.call, apply)
            except (_Ended, *NOT_FITTING):
                pass
            names = [*(f"{name}_{number}" for number in range(1, len(made))), name]
            called += [Called(one, *pair) for one, pair in zip(names, made, strict=False)]
        return called

    def _apply(self, case: Case, operation: Operation, call: Call, made: list[tuple[Made, Witness]]) -> Tensor:
        """As a run does: of the APIs that stand for another operation, the first that takes the call."""
        result = self.seen.result
        own = next(one for one in self.apis if (one["name"], one["operation"]) == (result.api, case.operation.name))
        assert isinstance(case.expectation, Agrees)
        keeps = result.standing == "own" and operation.name == case.operation.name
        refused: list[tuple[Made, Witness]] = []
        for api in partners(case.expectation.law, own, self.apis).get(operation.name, []):
            given = call if keeps else cast_indices(operation, call, api["index_dtypes"])[0]
            one = Made(operation.name, given, api["name"], case.id)
            witness = self.client.call(one)
            if witness.result is not None:
                made.append((one, witness))
                return witness.result
            refused.append((one, witness))
        made += refused[:1]
        raise _Ended


class _Ended(Exception):
    """A call gave nothing to go on with."""
