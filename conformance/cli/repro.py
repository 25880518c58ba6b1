"""``conformance repro``: a stand-alone script for one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.results_files import load_results
from conformance.app.selecting import choose, operations_of
from conformance.cases.model import Case
from conformance.cases.selection import Selection
from conformance.cases.store.loaded import LoadedCases
from conformance.cli.reproducing import cases_of_run, reproducer
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.execution.client import GaveUp
from conformance.execution.plan import Interpreters, Job, jobs
from conformance.execution.replay import results_of
from conformance.judging.vocabulary import BINDING
from conformance.repro.batch import check_made
from conformance.repro.errors import NoScript
from conformance.repro.header import reported
from conformance.repro.make import Script
from conformance.results.exit_status import BLOCKED, DIVERGES, OK
from conformance.results.file import Results
from conformance.results.observed import CaseResult
from conformance.results.records import ResultRecord
from conformance.specification.model import Document
from conformance.specification.problems import did_you_mean

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
    run = load_results(options.results, "--results: ") if options.results is not None else None
    with loading.kept_to_the_end():
        named = loading.named([options.case]) if options.specs is None and run is None else None
        loaded = loading.with_cases(options.specs, named)
        cases = cases_of_run(loaded, run) if run is not None else _of_operation(options.case, loaded)
    chosen = _cases(options.case, cases)
    job = _job(options)
    try:
        script = _script(options, chosen, run, cases, loaded.catalogue.documents, job)
    except (TargetBlocked, GaveUp) as error:
        raise ConformanceError(f"{options.target}: {error}", BLOCKED) from None
    except NoScript as error:
        raise ConformanceError(f"no script: {error}", DIVERGES) from None
    return _show(script)


def _of_operation(name: str, loaded: LoadedCases) -> Mapping[str, Case]:
    """The cases of the operation of an id; all if it names none."""
    read = operations_of(Selection((name,)), loaded.facts, are_all=True)
    return {case.id: case for case in loaded.of_operations(read)}


def _show(script: Script) -> int:
    if script.mismatch is None:
        click.echo(script.text, nl=False)
        return OK
    click.echo(script.run.printed + script.run.errors, err=True, nl=False)
    raise ConformanceError(
        f"the generated script does not reproduce the result: {script.mismatch}; its output is above", DIVERGES
    )


def _cases(name: str, cases: Mapping[str, Case]) -> Sequence[Case]:
    """The case of this id, or all cases of the clause of this id; none is left out, whatever a run of many would do."""
    chosen = [cases[name]] if name in cases else choose(Selection((name,)), list(cases.values()))
    if len(chosen) > 1 and any(case.clause_id != name for case in chosen):
        names = ", ".join(case.id for case in chosen[:5]) + (", ..." if len(chosen) > 5 else "")
        raise ConformanceError(f"{name!r} matches {len(chosen)} cases; choose one, or a clause: {names}")
    return chosen


def _job(options: Options) -> Job:
    try:
        [job] = jobs([options.target], Interpreters(options.python, options.here, options.offline))
    except TargetError as error:
        raise ConformanceError(str(error)) from None
    return job


def _script(
    options: Options,
    chosen: Sequence[Case],
    run: Results | None,
    cases: Mapping[str, Case],
    documents: Mapping[str, Document],
    job: Job,
) -> Script:
    prepared = job.prepare(lambda message: click.echo(f"{job.target.asked}: {message}", err=True))
    current = results_of(chosen, documents, replace(job, prepare=lambda _: prepared), options.timeout)
    case = chosen[0] if len(chosen) == 1 else _diverging(options, chosen, current, run)
    current = replace(current, results=[result for result in current.results if result.case == case.id])
    result = _chosen(options, case, current, run)
    with reproducer(prepared, options.timeout, run or current, cases) as script_of:
        return script_of(result)


def _diverging(options: Options, cases: Sequence[Case], current: Results, run: Results | None) -> Case:
    """The first of the cases of a clause that diverges."""
    target = current.targets[-1].id
    results = [*current.results, *(run.results if run is not None else ())]
    wrong = {
        result.case
        for result in results
        if result.target == target and result.verdict in _WRONG and options.api in (None, result.api)
    }
    case = next((case for case in cases if case.id in wrong), None)
    if case is None:
        raise NoScript(f"none of the {len(cases)} cases of {options.case} diverges on {target}")
    click.echo(f"the first diverging case of {options.case} is {case.id}", err=True)
    return case


def _chosen(options: Options, case: Case, results: Results, run: Results | None) -> CaseResult:
    """The result of the requested API, by default the worst; one that another call or chance made wrong is the recorded one."""
    target = results.targets[-1]
    current = [_or_recorded(result, run) for result in results.results]
    if not current:
        raise NoScript(f"{target.id} has no API for {case.operation.name}, or the case is for another device")
    chosen = _of_api(options.api, current) if options.api else min(current, key=_rank)
    check_made(chosen)
    more = [result.api for result in current if result is not chosen and result.verdict in _WRONG]
    click.echo(f"{target.id} {chosen.api}: {chosen.verdict} {', '.join(chosen.divergence)}".rstrip(), err=True)
    if more:
        click.echo(f"other APIs with a wrong result (--api): {', '.join(more)}", err=True)
    if chosen.verdict == "conforms" and run is None:
        click.echo(
            "the result is correct in a fresh process; if a run reports it as order-dependent, pass its folder with "
            "--results",
            err=True,
        )
    known = results.known_record(chosen) or (run.known_record(chosen) if run is not None else None)
    if known is not None:
        click.echo(f"known divergence {known.id} ({known.source}), {reported(known)}", err=True)
    return CaseResult(case, chosen, target, results.mappings, known)


def _or_recorded(result: ResultRecord, run: Results | None) -> ResultRecord:
    """The recorded result if it is wrong and the current one is not: another call changes it, or it is flaky."""
    key = (result.case, result.target, result.api)
    recorded = (one for one in run.results if (one.case, one.target, one.api) == key) if run is not None else ()
    wrong = next((one for one in recorded if one.verdict in _WRONG), None)
    return result if wrong is None or result.verdict in _WRONG else wrong


def _rank(result: ResultRecord) -> tuple[bool, bool, int]:
    """What is wrong before what is not, documents about the API before other documents, then worst verdict first."""
    return result.verdict not in _WRONG, result.standing not in BINDING, _WORST_FIRST.index(result.verdict)


def _of_api(name: str, results: Sequence[ResultRecord]) -> ResultRecord:
    for result in results:
        if result.api == name:
            return result
    names = [result.api for result in results]
    hint = did_you_mean(name, names)
    text = f"--api {name} does not implement this operation on this target"
    raise ConformanceError(f"{text}{hint}{'' if hint else ';'} available: {', '.join(names)}")
