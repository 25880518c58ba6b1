"""The script of one result, for ``conformance repro CASE`` and ``conformance repro --all``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from conformance.app import loading
from conformance.cases.model import Case
from conformance.cases.store.loaded import LoadedCases
from conformance.environments.prepared_target import Prepared
from conformance.execution.client import GaveUp
from conformance.execution.replay import Replay, Replays
from conformance.processes.worker_code import staged_worker
from conformance.repro.batch import case_in, polluters_of, recorded_cases
from conformance.repro.errors import NoScript
from conformance.repro.interpreter import Interpreter
from conformance.repro.make import Script, reproduce
from conformance.results.file import Results
from conformance.results.observed import CaseResult, Reproduction


def cases_of_run(loaded: LoadedCases, results: Results) -> Mapping[str, Case]:
    """The cases of the specs by id; and of a run's draws those that its findings are about, or depend on."""
    cases = {case.id: case for case in loaded.cases}
    findings = [result for result in results.results if result.verdict in ("diverges", "died", "hung")]
    ids = {result.case for result in findings}
    ids |= {result.polluter.case for result in findings if result.polluter is not None}
    recorded = recorded_cases(results, loaded.catalogue, loading.reference_of(loaded.catalogue), ids - cases.keys())
    return {**cases, **{case.id: case for case in recorded}}


@dataclass(frozen=True)
class Reproducer:
    """Writes scripts for the results of one target."""

    results: Results
    """The run that the results are from."""
    cases: Mapping[str, Case]
    interpreter: Interpreter
    replays: Replays

    def script(self, case_result: CaseResult) -> Script:
        """The script of a result, after running it; NoScript if there is none."""
        replay = self.replays.of(case_result)
        interpreter = replace(self.interpreter, prepared=replay.prepared)
        try:
            return reproduce(case_result, self._reproductions(case_result, replay), interpreter)
        except GaveUp as error:
            raise NoScript(str(error)) from None

    def _reproductions(self, case_result: CaseResult, replay: Replay) -> Iterator[Reproduction]:
        polluters = polluters_of(self.results, case_result.result) if case_result.is_order_dependent else []
        cases = {polluter.case: case_in(self.cases, self.results, polluter.case) for polluter in polluters}
        yield from replay.reproductions(case_result, cases, polluters)


@contextmanager
def reproducer(
    prepared: Prepared, limit: float, results: Results, cases: Mapping[str, Case]
) -> Iterator[Callable[[CaseResult], Script]]:
    """A function that writes and runs the script of a result of a target; it may raise NoScript."""
    with staged_worker() as worker, closing(Replays(prepared, worker, limit)) as replays:
        yield Reproducer(results, cases, Interpreter(prepared, worker.parent, limit), replays).script
