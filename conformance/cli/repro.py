"""``conformance repro``: one result as a stand-alone script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from conformance.cases.model import Case
from conformance.cases.selection import Selection
from conformance.cli import loading
from conformance.cli.failures import BLOCKED, USAGE, Failure
from conformance.cli.repro_all import repro_all
from conformance.cli.selecting import choose
from conformance.execution.client import GaveUp
from conformance.execution.preparing import Interpreters, Job, jobs
from conformance.execution.replaying import Replay, results_of
from conformance.repro.errors import NoScript
from conformance.repro.interpreter import Interpreter
from conformance.repro.make import Script, make
from conformance.results.exit_status import DIVERGES, OK
from conformance.results.file import Results, ResultsError, read_results
from conformance.results.observed import CaseResult, ObservedCall
from conformance.results.records import ResultRecord
from conformance.specification.problems import did_you_mean
from conformance.targets.errors import TargetBlocked, TargetError
from conformance.targets.prepared import Prepared
from conformance.targets.staging import staged_worker

_WRONG = ("died", "hung", "diverges")
_WORST_FIRST = (*_WRONG, "observed", "conforms", "blocked", "unsupported")


@dataclass(frozen=True)
class Asked:
    """The command line, as it was typed."""

    case: str
    target: str
    api: str | None
    timeout: float
    results: Path | None
    specs: Path | None
    python: Path | None
    here: bool
    offline: bool


@click.command(name="repro")
@click.argument("case", required=False, metavar="CASE")
@click.option("--target", metavar="T", help="As for run: torch, 'torch==2.13.0', ./mine.py.")
@click.option("--all", "every", is_flag=True, help="A script for each cause in --results, written into its page.")
@click.option("--api", metavar="NAME", help="Which API; by default the one with the worst result.")
@click.option("--results", type=click.Path(path_type=Path), metavar="DIR",
              help="Results of a run, for a result that depends on an earlier call.")  # fmt: skip
@click.option("--specs", type=click.Path(path_type=Path), metavar="PATH", help="A spec of your own.")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Run the target in this interpreter.")
@click.option("--here", is_flag=True, help="Run the target in the interpreter that runs this command.")
@click.option("--offline", is_flag=True, help="Use what is installed or cached; ask no index.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, metavar="S", show_default=True,
              help="Seconds that one call may take.")  # fmt: skip
def command(*, every: bool, **given: Any) -> int:
    """Print a stand-alone script that shows what a target does with CASE, ready for an upstream issue.

    CASE is the id of a case, as results and reports have it. The script needs the framework and nothing of this suite.
    It is run in the target's interpreter first, and printed only if it shows what the suite sees.

    With --all and --results DIR, such a script is written for each divergence from an API's own documentation, each
    death, hang and counterexample, and the reports in DIR are written again with them. --target then limits this to one
    target.
    """
    if every:
        given.pop("api")
        return repro_all(**given)
    if given["case"] is None or given["target"] is None:
        raise Failure(USAGE, "name a CASE and its --target; or give --all --results DIR for every cause of a run")
    asked = Asked(**given)
    cases = loading.all_cases(loading.catalogue(asked.specs))
    case = _case(asked.case, cases)
    job = _job(asked)
    try:
        prepared = job.prepare(lambda message: click.echo(f"{job.target.asked}: {message}", err=True))
        script = _script(asked, case, cases, job, prepared)
    except (TargetBlocked, GaveUp) as error:
        raise Failure(BLOCKED, f"{asked.target}: {error}") from None
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
        f"no script: one was written and run, and does not show it: {script.mismatch}; it printed the above",
    )


def _case(wanted: str, cases: Sequence[Case]) -> Case:
    chosen = [case for case in cases if case.id == wanted] or choose(Selection((wanted,)), cases)
    if len(chosen) > 1:
        names = ", ".join(case.id for case in chosen[:5]) + (", ..." if len(chosen) > 5 else "")
        raise Failure(USAGE, f"{wanted!r} selects {len(chosen)} cases, and a script shows one of them: {names}")
    return chosen[0]


def _job(asked: Asked) -> Job:
    try:
        [job] = jobs([asked.target], Interpreters(asked.python, asked.here, asked.offline))
    except TargetError as error:
        raise Failure(USAGE, str(error)) from None
    return job


def _script(asked: Asked, case: Case, cases: Sequence[Case], job: Job, prepared: Prepared) -> Script:
    recorded = _recorded(asked, case)
    shown = _chosen(asked, case, results_of(case, job, prepared, asked.timeout), recorded)
    with staged_worker() as staged:
        replay = Replay(prepared, staged, asked.timeout)
        interpreter = Interpreter(prepared, staged.parent, asked.timeout)
        script = None
        for calls in _calls(replay, shown, cases):
            script = make(shown, calls, interpreter)
            if script.mismatch is None:
                break
        if script is None:
            raise NoScript(f"{shown.result.explanation}; called after it, in a fresh process, it is right")
        return script


def _calls(replay: Replay, shown: CaseResult, cases: Sequence[Case]) -> Iterator[list[ObservedCall]]:
    """The calls that show a result: those after a polluter only where they do."""
    polluter = shown.result.polluter
    if polluter is None:
        yield replay.calls(shown)
        return
    case = next((case for case in cases if case.id == polluter.case), None)
    if case is None:
        raise NoScript(f"it depends on a call for {polluter.case}, which the specs no longer have")
    for calls in replay.calls_after(shown, case, polluter.api):
        main = next(call for call in reversed(calls) if call.name in ("got", "left"))
        if main.has_same_outcome(shown.recorded_call()):
            yield calls


def _recorded(asked: Asked, case: Case) -> list[ResultRecord]:
    """The results of the case in the results file."""
    if asked.results is None:
        return []
    try:
        return [result for result in read_results(asked.results).results if result.case == case.id]
    except ResultsError as error:
        raise Failure(USAGE, f"--results: {error}") from None


def _chosen(asked: Asked, case: Case, results: Results, recorded: Sequence[ResultRecord]) -> CaseResult:
    """The result to show: of the API asked for, else the worst; one that depends on others as the file has it."""
    target = results.targets[-1]
    polluted = {result.api: result for result in recorded if result.target == target.id and result.polluter}
    current = [_or_recorded(result, polluted) for result in results.results]
    if not current:
        raise NoScript(f"{target.id} has no API for {case.operation.name}, or the case is for another device")
    chosen = _of_api(asked.api, current) if asked.api else min(current, key=_rank)
    if chosen.verdict in ("blocked", "unsupported"):
        raise NoScript(f"{chosen.api}: {chosen.verdict}: {chosen.explanation}")
    others = [result.api for result in current if result is not chosen and result.verdict in _WRONG]
    click.echo(f"{target.id} {chosen.api}: {chosen.verdict} {', '.join(chosen.divergence)}".rstrip(), err=True)
    if others:
        click.echo(f"so do, for --api: {', '.join(others)}", err=True)
    if chosen.verdict == "conforms" and asked.results is None:
        click.echo(
            "right in a fresh process; if a run reports it as contaminated, name the folder of the run with --results",
            err=True,
        )
    return CaseResult(case, chosen, target, results.mappings)


def _or_recorded(result: ResultRecord, polluted: Mapping[str, ResultRecord]) -> ResultRecord:
    """The recorded result in place of one that is right in a fresh process, where an earlier call changes it."""
    return polluted.get(result.api, result) if result.verdict == "conforms" else result


def _rank(result: ResultRecord) -> tuple[bool, int]:
    """Findings first, those of an API's own documentation before others."""
    return result.standing != "own", _WORST_FIRST.index(result.verdict)


def _of_api(name: str, results: Sequence[ResultRecord]) -> ResultRecord:
    for result in results:
        if result.api == name:
            return result
    names = [result.api for result in results]
    hint = did_you_mean(name, names) or "."
    raise Failure(
        USAGE, f"--api {name}: stands for no such operation on this target{hint} Those that do: {', '.join(names)}"
    )
