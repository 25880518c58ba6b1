"""``conformance repro``: a stand-alone script for one result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from conformance.cases.model import Case
from conformance.cases.selection import Selection
from conformance.cli import loading
from conformance.cli.failures import BLOCKED, DIVERGES, OK, USAGE, Failure
from conformance.cli.results_files import load_results
from conformance.cli.selecting import choose
from conformance.execution.client import GaveUp
from conformance.execution.preparing import Interpreters, Job, jobs
from conformance.execution.replaying import Replay, results_of
from conformance.judging.vocabulary import BINDING
from conformance.repro.errors import NoScript
from conformance.repro.interpreter import Interpreter
from conformance.repro.make import Script, make
from conformance.results.file import Results
from conformance.results.observed import CaseResult, ObservedCall
from conformance.results.records import ResultRecord
from conformance.specification.problems import did_you_mean
from conformance.targets.errors import TargetBlocked, TargetError
from conformance.targets.prepared import Prepared
from conformance.targets.staging import staged_worker

_WRONG = ("died", "hung", "diverges")
_WORST_FIRST = (*_WRONG, "observed", "conforms", "blocked", "unsupported")


@dataclass(frozen=True)
class Options:
    """The options of a command line."""

    case: str
    target: str
    api: str | None
    timeout: float
    results: Path | None
    specs: Path | None
    python: Path | None
    here: bool
    offline: bool


def repro(options: Options) -> int:
    """Print a script for one result."""
    cases = loading.all_cases(loading.catalogue(options.specs))
    case = _case(options.case, cases)
    job = _job(options)
    try:
        prepared = job.prepare(lambda message: click.echo(f"{job.target.asked}: {message}", err=True))
        script = _script(options, case, cases, job, prepared)
    except (TargetBlocked, GaveUp) as error:
        raise Failure(BLOCKED, f"{options.target}: {error}") from None
    except NoScript as error:
        raise Failure(DIVERGES, f"no script: {error}") from None
    return _show(script)


def _show(script: Script) -> int:
    if script.mismatch is None:
        click.echo(script.text, nl=False)
        return OK
    click.echo(script.run.printed + script.run.errors, err=True, nl=False)
    raise Failure(
        DIVERGES,
        f"the generated script does not reproduce the result: {script.mismatch}; its output is above",
    )


def _case(case_id: str, cases: Sequence[Case]) -> Case:
    chosen = [case for case in cases if case.id == case_id] or choose(Selection((case_id,)), cases)
    if len(chosen) > 1:
        names = ", ".join(case.id for case in chosen[:5]) + (", ..." if len(chosen) > 5 else "")
        raise Failure(USAGE, f"{case_id!r} matches {len(chosen)} cases; choose one: {names}")
    return chosen[0]


def _job(options: Options) -> Job:
    try:
        [job] = jobs([options.target], Interpreters(options.python, options.here, options.offline))
    except TargetError as error:
        raise Failure(USAGE, str(error)) from None
    return job


def _script(options: Options, case: Case, cases: Sequence[Case], job: Job, prepared: Prepared) -> Script:
    recorded = _recorded(options, case)
    result = _chosen(options, case, results_of(case, job, prepared, options.timeout), recorded)
    with staged_worker() as staged:
        replay = Replay(prepared, staged, options.timeout)
        interpreter = Interpreter(prepared, staged.parent, options.timeout)
        script = None
        for calls in _calls(replay, result, cases):
            script = make(result, calls, interpreter)
            if script.mismatch is None:
                break
        if script is None:
            raise NoScript(f"{result.result.explanation}; could not be reproduced in a fresh process")
        return script


def _calls(replay: Replay, result: CaseResult, cases: Sequence[Case]) -> Iterator[list[ObservedCall]]:
    """The calls to put in the script; with a polluter, only calls that reproduce the result."""
    polluter = result.result.polluter
    if polluter is None:
        yield replay.calls(result)
        return
    case = next((case for case in cases if case.id == polluter.case), None)
    if case is None:
        raise NoScript(f"it depends on a call for {polluter.case}, which the specs no longer have")
    for calls in replay.calls_after(result, case, polluter.api):
        main = next(call for call in reversed(calls) if call.name in ("got", "left"))
        if main.has_same_outcome(result.recorded_call()):
            yield calls


def _recorded(options: Options, case: Case) -> list[ResultRecord]:
    """The results of the case in --results."""
    if options.results is None:
        return []
    results = load_results(options.results, "--results: ")
    return [result for result in results.results if result.case == case.id]


def _chosen(options: Options, case: Case, results: Results, recorded: Sequence[ResultRecord]) -> CaseResult:
    """The result of the requested API, by default the worst; an order-dependent result is the recorded one."""
    target = results.targets[-1]
    polluted = {result.api: result for result in recorded if result.target == target.id and result.polluter}
    current = [_or_recorded(result, polluted) for result in results.results]
    if not current:
        raise NoScript(f"{target.id} has no API for {case.operation.name}, or the case is for another device")
    chosen = _of_api(options.api, current) if options.api else min(current, key=_rank)
    if chosen.verdict in ("blocked", "unsupported"):
        raise NoScript(f"{chosen.api}: {chosen.verdict}: {chosen.explanation}")
    more = [result.api for result in current if result is not chosen and result.verdict in _WRONG]
    click.echo(f"{target.id} {chosen.api}: {chosen.verdict} {', '.join(chosen.divergence)}".rstrip(), err=True)
    if more:
        click.echo(f"other APIs with a wrong result (--api): {', '.join(more)}", err=True)
    if chosen.verdict == "conforms" and options.results is None:
        click.echo(
            "the result is correct in a fresh process; if a run reports it as order-dependent, pass its folder with "
            "--results",
            err=True,
        )
    return CaseResult(case, chosen, target, results.mappings)


def _or_recorded(result: ResultRecord, polluted: Mapping[str, ResultRecord]) -> ResultRecord:
    """The recorded result if the current one conforms, but another call changes it."""
    return polluted.get(result.api, result) if result.verdict == "conforms" else result


def _rank(result: ResultRecord) -> tuple[bool, int]:
    """Documents about the API before other documents, then worst verdict first."""
    return result.standing not in BINDING, _WORST_FIRST.index(result.verdict)


def _of_api(name: str, results: Sequence[ResultRecord]) -> ResultRecord:
    for result in results:
        if result.api == name:
            return result
    names = [result.api for result in results]
    hint = did_you_mean(name, names)
    text = f"--api {name} does not implement this operation on this target"
    raise Failure(USAGE, f"{text}{hint}{'' if hint else ';'} available: {', '.join(names)}")
