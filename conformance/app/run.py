"""Planning and executing runs, for the commands that run targets."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from conformance.app import loading
from conformance.app.errors import ConformanceError, invalid
from conformance.app.memcheck import memcheck_for
from conformance.app.options import SELECTION, RunOptions, words
from conformance.app.output import unreadable
from conformance.app.project import project
from conformance.app.results_files import load_results
from conformance.app.selecting import choose, operation_in, operations_of, split_ids
from conformance.cases.build import SOURCES, Source
from conformance.cases.facts import CaseFacts
from conformance.cases.forms.large import large_cases
from conformance.cases.model import LARGE, Case
from conformance.cases.selection import Selection
from conformance.cases.variation import Transformed, Written, without_sample
from conformance.data_folders import suite_operations
from conformance.environments.definition import definitions
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.prepared_target import capabilities_of
from conformance.environments.resolve import resolve
from conformance.environments.stored import home_folder
from conformance.events import Listener
from conformance.execution.budget import HangLimits
from conformance.execution.measurements import DURATIONS, PEAKS, concurrency, cores, remember_all, remembered
from conformance.execution.plan import FailureLimit, Interpreters, Job, Plan, jobs
from conformance.execution.runner import run
from conformance.execution.target import can_run
from conformance.processes.early_starts import EarlyStarts
from conformance.processes.memcheck import SLOWER
from conformance.processes.memory import free_memory
from conformance.reports.progress import progress
from conformance.results.describe import claim_records, erratum_records
from conformance.results.exit_status import NOTHING_SELECTED, fails
from conformance.results.file import Results, ResultsError, read_results, results_file
from conformance.results.order import in_order, write_results
from conformance.results.records import RunRecord
from conformance.specification.adapter_files import api_operations, mapped_operations, mapping_problems
from conformance.specification.model import Catalogue, Raises
from conformance.specification.problems import SpecError, nearest
from conformance.version import __version__


@dataclass(frozen=True)
class Inputs:
    """The specs and the selected cases, which are the same for all targets."""

    catalogue: Catalogue
    words: list[str]
    """The arguments of the command line that are not ids of cases."""
    selection: str | None
    """The part of the command line that selects cases, without the specs, which have a digest."""
    all_cases: Sequence[CaseFacts]
    cases: list[Case]


def load_inputs(options: RunOptions, default: Sequence[str] = ()) -> Inputs:
    """Read the specs, draw calls, and select cases.

    default: the targets that run if the words of the options name none.
    """
    if options.specs is None and not options.case_files:
        return _inputs_of_suite(options, default)
    catalogue = loading.catalogue(options.specs)
    sources = SOURCES
    if options.specs is not None:
        catalogue, sources = loading.with_suite(catalogue, {*options.operations, *map(operation_in, options.words)})
    ids, targets = split_ids(options.words, catalogue.operations)
    catalogue, case_ids = loading.with_case_files(catalogue, options.case_files)
    cases = loading.all_cases(catalogue, _more(catalogue, [*ids, *case_ids], options), sources=sources)
    selected = _selected(cases, _selection([*ids, *case_ids], options), options)
    return Inputs(catalogue, targets, _selection_text(ids, options), [case.facts for case in cases], selected)


def _inputs_of_suite(options: RunOptions, default: Sequence[str]) -> Inputs:
    """Of the suite's operations, only those are read or built that the selection may concern and that a target maps."""
    ids, targets = split_ids(options.words, suite_operations())
    wanted = _selection(ids, options)
    adapters = _adapters(targets or default, options)
    mapped = _mapped(adapters)
    suite = loading.suite(mapped, quiet=options.quiet)
    are_all = not options.large and not ((options.draws or options.programs) and not options.quick)
    read = operations_of(wanted, suite.facts, are_all=are_all)
    if mapped is not None and read & mapped:
        read &= mapped
    elif mapped is not None:  # the report says of which operations a target has no API
        suite = loading.suite(quiet=options.quiet)
    _check_adapters(adapters, suite.catalogue, options)
    every: Sequence[CaseFacts] = suite.facts
    if are_all:
        choose(wanted, every)  # which says that nothing is selected, and a similar id, before anything is built
    more = _more(suite.catalogue, ids, options)
    if more:
        suite.of_operations(read)  # which builds many at once
        cases: Sequence[Case] = loading.all_cases(suite.catalogue.only(read), more, sources=[suite.source()])
        every = [*(case.facts for case in cases), *(fact for fact in every if fact.operation_name not in read)]
    elif options.quick or options.smoke:
        cases = suite.written(read)
    else:
        cases = suite.of_operations(read)
    return Inputs(suite.catalogue, targets, _selection_text(ids, options), every, _selected(cases, wanted, options))


def _selection_text(ids: Sequence[str], options: RunOptions) -> str | None:
    return shlex.join([*ids, *words(options, SELECTION)]) or None


def _more(catalogue: Catalogue, ids: Sequence[str], options: RunOptions) -> list[Source]:
    """Sources of cases that a run has only if it is asked to."""
    return [
        *_drawing(catalogue, ids, options),
        *_drawing_programs(catalogue, ids, options),
        *([large_cases] if options.large else []),
    ]


def _adapters(targets: Sequence[str], options: RunOptions) -> list[Path]:
    """Of targets; none if a name is wrong, which is said when they are planned."""
    try:
        resolved = resolve(targets, definitions(), python=options.python, here=options.here)
    except (TargetError, TargetBlocked, SpecError):
        return []
    return list(dict.fromkeys(target.adapter for target in resolved))


def _mapped(adapters: Sequence[Path]) -> frozenset[str] | None:
    """The operations of the suite that adapters map; None if any may map others, or there is none."""
    of_each = [mapped_operations(adapter) for adapter in adapters]
    known = frozenset().union(*(one for one in of_each if one is not None))
    return known if known and None not in of_each and known <= {*suite_operations()} else None


def plan(options: RunOptions, inputs: Inputs, names: Sequence[str], early: EarlyStarts | None = None) -> Plan:
    """Plan a run on the named targets, some of which may have been started; ConformanceError for an invalid name."""
    to_run = _jobs(names, options)
    if early is not None:
        to_run = [replace(job, early=partial(early.take, job.target)) for job in to_run]
    _check_adapters([job.target.adapter for job in to_run], inputs.catalogue, options)
    if options.specs is None:
        loading.check_known([job.known for job in to_run], inputs.all_cases)
    shard = options.shard
    operations = _operations_of(options.apis, to_run)
    return Plan(
        record=_record(options, inputs, to_run),
        jobs=to_run,
        cases=[
            case
            for case in _passable(inputs.cases, to_run)
            if (not options.memcheck or case.may_leave_memory)
            and (shard is None or shard.holds(case))
            and (operations is None or case.operation.name in operations)
        ],
        apis=options.apis,
        limit=options.timeout * (SLOWER if options.memcheck else 1),
        concurrency=options.parallel
        or (1 if options.large else None)
        or concurrency([job.target for job in to_run], free_memory(), remembered(home_folder(), PEAKS), cores()),
        failure_limit=_failure_limit(options),
        durations=remembered(home_folder(), DURATIONS),
        start=options.start,
        start_limit=options.start_limit * (SLOWER if options.memcheck else 1),
        memcheck=memcheck_for([job.target for job in to_run]) if options.memcheck else None,
        fresh_compile=options.fresh_compile,
        hang_limits=HangLimits(options.hangs_per_clause, options.hangs_per_target, options.hang_seconds),
        repeats=not options.quick and not options.memcheck,
        claims=claim_records(inputs.catalogue.documents),
        errata=erratum_records(inputs.catalogue.documents),
        documents=inputs.catalogue.documents,
        all_cases=inputs.all_cases,
    )


CarryOut = Callable[[Plan, Path, Sequence[Listener]], Results]
"""Runs a plan with this results file, on this machine or on others; the results, in the order of a file."""


def here(run_plan: Plan, file: Path, listeners: Sequence[Listener]) -> Results:
    """Run a plan on this machine."""
    run(run_plan, file, listeners)
    try:
        return in_order(read_results(file))
    except ResultsError as error:
        raise unreadable(error) from None


def execute(run_plan: Plan, options: RunOptions, carry_out: CarryOut = here) -> Results:
    """Run a plan, and write its results to the output folder in their order."""
    file = results_file(options.output)
    with progress(sys.stderr, quiet=options.quiet) as listener:
        results = carry_out(run_plan, file, [listener])
    remember_all(home_folder(), results)
    write_results(results, file)
    return results


def _jobs(names: Sequence[str], options: RunOptions) -> list[Job]:
    try:
        interpreters = Interpreters(options.python, options.here, options.offline)
        return jobs(names, interpreters, project().ledgers)
    except (TargetError, SpecError) as error:
        raise ConformanceError(str(error)) from None


def _check_adapters(adapters: Iterable[Path], catalogue: Catalogue, options: RunOptions) -> None:
    """Fail if an adapter maps an API to no operation, or does not take an operation's arguments."""
    if options.specs is not None:
        catalogue = loading.combined(loading.catalogue(None), catalogue)
    advice = "" if options.specs else "An operation of your own needs its specs: --specs, in pytest --conformance-specs"
    problems = {problem for adapter in adapters for problem in mapping_problems(adapter, catalogue, advice)}
    if problems:
        raise invalid(problems, "in adapters")


def _operations_of(patterns: Sequence[str], to_run: Sequence[Job]) -> frozenset[str] | None:
    """The operations of the APIs that match any of the patterns; None if there are no patterns."""
    if not patterns:
        return None
    apis = [pair for job in to_run for pair in api_operations(job.target.adapter)]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name, _ in apis):
            names = sorted({name for name, _ in apis})
            raise ConformanceError(
                f"--api {pattern}: no target maps such an API{nearest(pattern, names)}", NOTHING_SELECTED
            )
    return frozenset(operation for name, operation in apis if any(fnmatchcase(name, pattern) for pattern in patterns))


def _passable(cases: Sequence[Case], to_run: Sequence[Job]) -> list[Case]:
    """The cases whose arguments the mode of a target can pass; ConformanceError if there are only others."""
    modes = {frozenset(capabilities_of(job.target)) for job in to_run}
    passable = [case for case in cases if any(can_run(case, capabilities) for capabilities in modes)]
    if cases and not passable:
        needed = sorted(cases[0].call.manner.needs)
        if isinstance(cases[0].variation, Transformed):
            raise ConformanceError(
                f"{cases[0].id}: the adapter of no target defines {' and '.join(needed)}; docs/derivatives.md explains it",
                NOTHING_SELECTED,
            )
        raise ConformanceError(
            f"{cases[0].id}: no target passes {' and '.join(needed)} to what it compiles; name a mode whose target.toml has "
            "them under passes, as in 'torch[compile]'",
            NOTHING_SELECTED,
        )
    return passable


def _selection(ids: Sequence[str], options: RunOptions) -> Selection:
    only = _last_failed(options) if options.last_failed else _listed(options.only)
    return Selection(tuple(ids), options.operations, options.keyword, only)


def _selected(cases: Sequence[Case], selection: Selection, options: RunOptions) -> list[Case]:
    subsets = [f"--{name}" for name in ("quick", "smoke", "large") if getattr(options, name)]
    if len(subsets) > 1:
        raise ConformanceError(f"{' and '.join(subsets)} select different cases; use one of them")
    whole = len(cases)
    cases = _of_transforms(cases, options, is_named=bool(selection.ids or options.keyword))
    subsets += [f"--transforms {options.transforms}"] if len(cases) < whole else []
    if options.quick:
        cases = [case for case in cases if _is_printed(case)]
    if options.large:
        cases = [case for case in cases if case.size >= LARGE]
    if options.smoke:
        cases = _one_violation_of_each_rule(cases)
    try:
        return choose(selection, cases)
    except ConformanceError as error:
        if not subsets:
            raise
        text = f"{subsets[0]} leaves none of the cases that are selected: {error}"
        raise ConformanceError(text, NOTHING_SELECTED) from None


def _of_transforms(cases: Sequence[Case], options: RunOptions, *, is_named: bool) -> Sequence[Case]:
    """The cases with the chosen derivatives; in a sample, only a target leaves out the others, which it counts.

    is_named: the user named cases, none of which is left out.
    """
    if options.transforms == "sample" and not is_named:
        return cases
    every = options.transforms in ("sample", "all")
    return [
        replace(case, variation=without_sample(case.variation))
        for case in cases
        if every or not isinstance(case.variation, Transformed) or case.variation.manner.kind == options.transforms
    ]


def _is_printed(case: Case) -> bool:
    """Whether it is a worked example of a document, in the dtypes that the document prints."""
    return case.clause.family == "example" and isinstance(case.variation, Written)


def _one_violation_of_each_rule(cases: Sequence[Case]) -> list[Case]:
    """For each rule, the first of its cases that should raise."""
    first: dict[str, Case] = {}
    for case in cases:
        if case.clause.rule is not None and case.control is not None and isinstance(case.expectation, Raises):
            first.setdefault(case.clause.id, case)
    return list(first.values())


def _drawing(catalogue: Catalogue, ids: Sequence[str], options: RunOptions) -> list[Source]:
    if options.quick and options.draws not in (0, project().options.get("draws")):
        raise ConformanceError(
            f"--quick runs only worked examples, so --draws {options.draws} would have no effect; leave out one of them"
        )
    if not options.draws or options.quick:
        return []
    from conformance.cases.draws.source import DrawSource  # slow to import

    named = {*options.operations, *map(operation_in, ids)}
    only = named & catalogue.operations.keys()
    digest = loading.digest_of_draws(catalogue)
    return [DrawSource(options.draws, options.seed, digest, home_folder() / "draws", frozenset(only) or None).cases]


def _drawing_programs(catalogue: Catalogue, ids: Sequence[str], options: RunOptions) -> list[Source]:
    if not options.programs or options.quick:
        return []
    from conformance.cases.draws.program_source import ProgramSource  # slow to import

    named = {*options.operations, *map(operation_in, ids)} & catalogue.operations.keys()
    return [ProgramSource(options.programs, options.seed, catalogue.operations, frozenset(named) or None).cases]


def _listed(file: Path | None) -> frozenset[str] | None:
    return frozenset(json.loads(file.read_text(encoding="utf-8"))) if file is not None else None


def _last_failed(options: RunOptions) -> frozenset[str]:
    results = load_results(options.output, "--lf needs the results of a previous run in the output folder: ").results
    return frozenset(result.case for result in results if fails(result, options.fail_on))


def _record(options: RunOptions, inputs: Inputs, to_run: Sequence[Job]) -> RunRecord:
    return RunRecord(
        started=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        command=options.command or shlex.join(["conformance", *sys.argv[1:]]),
        seed=options.seed,
        spec_digest=inputs.catalogue.digest,
        suite_version=__version__,
        shard=str(options.shard) if options.shard else None,
        targets=[job.target.asked for job in to_run],
        draws=options.draws,
        programs=options.programs,
        selection=inputs.selection,
        at_least=options.at_least,
        fail_on=options.fail_on,
        epoch=inputs.catalogue.epoch,
    )


def _failure_limit(options: RunOptions) -> FailureLimit | None:
    if options.maxfail is None:
        return None
    return FailureLimit(partial(fails, fail_on=options.fail_on), options.maxfail)
