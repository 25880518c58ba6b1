"""Whether calls end in the same way in forked workers as in workers that were started as new processes.

Both runs confirm each finding in a process of its own, forked or new.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.cases.build import build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variation import Written
from conformance.data_folders import adapters_folder
from conformance.environments.definition import find_definitions
from conformance.environments.environment import ensure
from conformance.environments.prepared_target import Prepared
from conformance.environments.resolve import Target, resolve
from conformance.environments.stored import existing_environment
from conformance.execution.plan import Job, Plan
from conformance.execution.runner import run
from conformance.outcomes.equivalence import is_same
from conformance.processes.worker_starter import StartMethod
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.specification.loader import load_specs
from tests.planted.in_process import REFERENCE

MOST_SHOWN = 5
"""Disagreements that are described; the others are counted."""
_LIMIT = 30.0
"""Seconds for a call."""
_VARIES = frozenset({"unstable", "contaminated"})

Key = tuple[str, str]
"""A case and an API."""


@dataclass(frozen=True)
class Comparison:
    """Two runs of a target."""

    agree: bool
    found: str


def targets_with_environment() -> list[Target]:
    """The frameworks, in their tested versions, that need not be installed first."""
    definitions = find_definitions(adapters_folder())
    targets = resolve(list(definitions), definitions)
    return [target for target in targets if existing_environment(target) is not None]


def representative_cases(*operations: str) -> list[Case]:
    """The first written case of each clause of these operations, or of all."""
    catalogue = load_specs()
    cases = build_cases(catalogue.only(operations or catalogue.operations), load_reference(REFERENCE))
    first: dict[str, Case] = {}
    for case in cases:
        if isinstance(case.variation, Written):
            first.setdefault(case.clause.id, case)
    return list(first.values())


def comparisons(targets: Sequence[Target], cases: Sequence[Case]) -> Iterator[Comparison]:
    """For each target whether both kinds of workers agree on these cases."""
    for target in targets:
        yield compared(_run(target, cases, "fork"), _run(target, cases, "spawn"))


def compared(forked: Results, spawned: Results) -> Comparison:
    """Whether two runs of a target agree; what varies within a run is not compared."""
    blocked = [target.blocked for results in (forked, spawned) for target in results.targets if target.blocked]
    if blocked:
        return Comparison(False, f"not compared: {blocked[0]}")
    before, after = _by_key(forked), _by_key(spawned)
    missing = sorted(before.keys() ^ after.keys())
    varying = {key for key in before.keys() & after.keys() if _varies(before[key]) or _varies(after[key])}
    pairs = {key: (before[key], after[key]) for key in before.keys() & after.keys() - varying}
    differing = [_difference(*pair) for pair in pairs.values() if not _agree(*pair)]
    differing += [f"{api} with {case}: only one of them has a result" for case, api in missing]
    if differing or not pairs:
        shown = "; ".join(differing[:MOST_SHOWN]) or "no results"
        return Comparison(False, f"different outcomes: {len(differing)}: {shown}")
    varied = f"; not compared, since they vary: {len(varying)}" if varying else ""
    return Comparison(True, f"equal outcomes: {len(pairs)}{varied}")


def _run(target: Target, cases: Sequence[Case], start: StartMethod) -> Results:
    job = Job(target, lambda report: Prepared(target, ensure(target, report=report)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE_NAME
        run(Plan(RunRecord("", "a test", 0, "", ""), [job], cases, _LIMIT, 1, start=start), file, [])
        return read_results(file)


def _by_key(results: Results) -> Mapping[Key, ResultRecord]:
    return {(result.case, result.api): result for result in results.results}


def _varies(result: ResultRecord) -> bool:
    grade = result.determinism.grade if result.determinism is not None else "same-bits"
    return grade == "varies" or bool(_VARIES & {*result.divergence})


def _agree(forked: ResultRecord, spawned: ResultRecord) -> bool:
    """Elements are compared only if they were judged: an index that is out of bounds may read any memory."""
    judged = forked.verdict == "conforms"
    same = is_same(forked.outcome, spawned.outcome, "bits", with_elements=judged)
    return same and (forked.verdict, forked.divergence) == (spawned.verdict, spawned.divergence)


def _difference(forked: ResultRecord, spawned: ResultRecord) -> str:
    return f"{forked.api} with {forked.case}: {_ending(forked)} if forked, {_ending(spawned)} as a new process"


def _ending(result: ResultRecord) -> str:
    return f"{result.verdict} ({', '.join([result.outcome.status, *result.divergence])})"
