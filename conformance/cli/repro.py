"""``conformance repro``: one result as a stand-alone script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from conformance.cases.model import Case
from conformance.cases.selection import Selection
from conformance.cli import loading
from conformance.cli.failures import BLOCKED, USAGE, Failure
from conformance.cli.repro_all import repro_all
from conformance.cli.selecting import choose
from conformance.execution.client import GaveUp, Prepared
from conformance.execution.preparing import Interpreters, jobs
from conformance.execution.runner import Job
from conformance.repro.bench import Bench
from conformance.repro.make import Made, make
from conformance.repro.seen import Called, Calling, NotShown, Seen, polluter_of, results_of, worst_first
from conformance.results.exit_status import DIVERGES, OK
from conformance.results.file import Results, ResultsError, read_results
from conformance.results.records import ResultRecord
from conformance.specification.problems import did_you_mean
from conformance.targets.errors import TargetBlocked, TargetError
from conformance.targets.staging import staged_worker


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
@click.option("--api", metavar="NAME", help="Which API; by default the one that does worst.")
@click.option("--results", type=click.Path(path_type=Path), metavar="DIR",
              help="Results that tell which earlier call a result depends on.")  # fmt: skip
@click.option("--specs", type=click.Path(path_type=Path), metavar="PATH", help="A spec of your own.")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Run the target in this interpreter.")
@click.option("--here", is_flag=True, help="Run the target in the interpreter that runs this command.")
@click.option("--offline", is_flag=True, help="Use what is installed or cached; ask no index.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, metavar="S", show_default=True,
              help="Seconds that one call may take.")  # fmt: skip
def command(*, every: bool, **given: Any) -> int:
    """Print a stand-alone script that shows what a target does with CASE, ready for an upstream issue.

    CASE is the id of a case, as results and reports have it. The script is in the framework's own terms, with nothing
    of this suite in it; it is run in the target's interpreter first, and printed only if it shows what the suite sees.

    With --all and --results DIR, such a script is made for each own divergence, death, hang and counterexample, and
    the reports in DIR are made again with them; --target then names the one target to do it for.
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
        prepared = job.prepare(lambda message: click.echo(f"{job.asked}: {message}", err=True))
        made = _made(asked, case, cases, job, prepared)
    except (TargetBlocked, GaveUp) as error:
        raise Failure(BLOCKED, f"{asked.target}: {error}") from None
    except NotShown as error:
        raise Failure(DIVERGES, f"no script: {error}") from None
    return _shown(made)


def _shown(made: Made) -> int:
    if made.mismatch is None:
        click.echo(made.text, nl=False)
        return OK
    click.echo(made.ran.printed + made.ran.errors, err=True, nl=False)
    raise Failure(
        DIVERGES, f"no script: one was made and run, and does not show it: {made.mismatch}; it printed the above"
    )


def _case(wanted: str, cases: Sequence[Case]) -> Case:
    by_id = {case.id: case for case in cases}
    chosen = [wanted] if wanted in by_id else choose(Selection((wanted,)), list(by_id))
    if len(chosen) > 1:
        some = ", ".join(chosen[:5]) + (", ..." if len(chosen) > 5 else "")
        raise Failure(USAGE, f"{wanted!r} stands for {len(chosen)} cases, and a script shows one of them: {some}")
    return by_id[chosen[0]]


def _job(asked: Asked) -> Job:
    try:
        [job] = jobs([asked.target], Interpreters(asked.python, asked.here, asked.offline))
    except TargetError as error:
        raise Failure(USAGE, str(error)) from None
    return job


def _made(asked: Asked, case: Case, cases: Sequence[Case], job: Job, prepared: Prepared) -> Made:
    told = _told(asked, case)
    results = results_of(case, job, prepared, asked.timeout)
    seen = _seen(asked, case, results, told)
    with staged_worker() as staged:
        calling = Calling(seen, prepared, staged, asked.timeout)
        bench = Bench(prepared, staged.parent, asked.timeout)
        made = None
        for calls in _calls(calling, cases):
            made = make(seen, calls, prepared, bench)
            if made.mismatch is None:
                break
        if made is None:
            raise NotShown(f"{seen.result.explanation}; called after it, in a fresh process, it is right")
        return made


def _calls(calling: Calling, cases: Sequence[Case]) -> Iterator[list[Called]]:
    """The calls that show a result: one after a polluter only where they show it."""
    seen = calling.seen
    polluter = polluter_of(seen.result)
    if polluter is None:
        yield calling.calls()
        return
    api, name = polluter
    case = next((one for one in cases if one.id == name), None)
    if case is None:
        raise NotShown(f"it depends on a call for {name}, which the specs no longer have")
    for calls in calling.after(api, case):
        if _is_as_told(calls, seen):
            yield calls


def _is_as_told(calls: Sequence[Called], seen: Seen) -> bool:
    """Whether the calls show what the results file says: of a relation, on its left side."""
    one = next(one for one in reversed(calls) if one.name in ("got", "left"))
    outcome = seen.result.outcome
    wanted = outcome.get("digest"), (outcome.get("error") or {}).get("type"), outcome["status"]
    return (one.digest, one.error, one.observation.outcome["status"]) == wanted


def _told(asked: Asked, case: Case) -> list[ResultRecord]:
    """What the results file says of the case."""
    if asked.results is None:
        return []
    try:
        return [one for one in read_results(asked.results).results if one.case == case.id]
    except ResultsError as error:
        raise Failure(USAGE, f"--results: {error}") from None


def _seen(asked: Asked, case: Case, results: Results, told: Sequence[ResultRecord]) -> Seen:
    """The result to show: of the API asked for, else the worst; one that depends on others as the file has it."""
    target = results.targets[-1]
    mine = [one for one in told if one.target == target.id]
    found = [_as_told(one, mine) for one in results.results]
    if not found:
        raise NotShown(f"{target.id} has no API for {case.operation.name}, or the case is for another device")
    chosen = _of_api(asked.api, found) if asked.api else worst_first(found)[0]
    if chosen.verdict in ("blocked", "unsupported"):
        raise NotShown(f"{chosen.api}: {chosen.verdict}: {chosen.explanation}")
    others = [one.api for one in found if one is not chosen and one.verdict in ("diverges", "died", "hung")]
    click.echo(f"{target.id} {chosen.api}: {chosen.verdict} {', '.join(chosen.divergence)}".rstrip(), err=True)
    if others:
        click.echo(f"so do, for --api: {', '.join(others)}", err=True)
    if chosen.verdict == "conforms" and asked.results is None:
        click.echo(
            "in a fresh process it is right; if a run says contaminated, give its folder with --results", err=True
        )
    return Seen(case, chosen, target, results.mappings)


def _as_told(now: ResultRecord, told: Sequence[ResultRecord]) -> ResultRecord:
    """A result that is right alone as a run found it in company, where the results file says which call did it."""
    for one in told:
        if one.api == now.api and polluter_of(one) is not None and now.verdict == "conforms":
            return replace(one)
    return now


def _of_api(name: str, found: Sequence[ResultRecord]) -> ResultRecord:
    for one in found:
        if one.api == name:
            return one
    names = [one.api for one in found]
    hint = did_you_mean(name, names) or "."
    raise Failure(
        USAGE, f"--api {name}: stands for no such operation on this target{hint} Those that do: {', '.join(names)}"
    )
