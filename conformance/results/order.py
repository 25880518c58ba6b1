"""The order of a results file, the same for parallel, sharded and resumed runs; equal runs are equal files without their times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from conformance.files import replacing
from conformance.results.file import Results, ResultsWriter
from conformance.results.records import CaseRecord, ClauseRecord, Record, ResultRecord, TargetRecord
from conformance.results.variations import DrawnRecord

STARTED = "1970-01-01T00:00:00Z"
"""In place of the time at which a run began."""


def in_order(results: Results) -> Results:
    """The same records: targets as requested, cases as planned, results by target, case and API.

    A counterexample comes before the draws that it was minimized from.
    """
    targets = _targets(results)
    target_order = {target.id: index for index, target in enumerate(targets)}
    cases = {case.id: case for case in _cases(results)}
    case_order = {case: index for index, case in enumerate(cases)}
    mappings = sorted(results.mappings, key=lambda mapping: target_order.get(mapping.target, len(target_order)))
    api_order = {(mapping.target, mapping.api): index for index, mapping in enumerate(mappings)}
    return replace(
        results,
        targets=targets,
        clauses={clause.id: clause for clause in _clauses(results, cases.values())},
        cases=cases,
        mappings=mappings,
        results=sorted(
            results.results,
            key=lambda result: (
                target_order.get(result.target, len(target_order)),
                case_order.get(result.case, len(case_order)),
                api_order.get((result.target, result.api), len(api_order)),
            ),
        ),
        examples=sorted(results.examples, key=lambda example: target_order.get(example.target, len(target_order))),
    )


def without_times(results: Results) -> Results:
    """The same results without times, memory and numbers of processes, so that a file can be committed and compared as text."""
    run = results.run
    merged = [replace(part, started=STARTED) for part in run.merged]
    targets = [replace(target, seconds=None, memory=None, imports=None, forks=None) for target in results.targets]
    return replace(
        results,
        run=replace(run, started=STARTED, merged=merged),
        targets=targets,
        results=[replace(result, seconds=0.0) for result in results.results],
    )


def write_results(results: Results, file: Path) -> None:
    """Write a results file atomically."""
    with replacing(file) as temporary, ResultsWriter(temporary) as writer:
        for record in records(results):
            writer.write(record)


def records(results: Results) -> Iterator[Record]:
    """All records in the order of a file."""
    yield results.run
    yield from results.known.values()
    yield from results.claims
    yield from results.errata
    yield from results.documents
    yield from results.clauses.values()
    yield from results.cases.values()
    yield from results.targets
    yield from results.mappings
    yield from results.results
    yield from results.examples
    if results.end is not None:
        yield results.end


def verdicts(results: Iterable[ResultRecord]) -> dict[str, int]:
    """The number of results with each verdict, as in the end record."""
    return dict(sorted(Counter(result.verdict for result in results).items()))


def _targets(results: Results) -> list[TargetRecord]:
    requested = {name: index for index, name in enumerate(results.run.targets)}
    last = {target.id: target for target in results.targets}
    return sorted(last.values(), key=lambda target: requested.get(target.asked or target.id, len(requested)))


def _cases(results: Results) -> Iterator[CaseRecord]:
    counterexamples: dict[str, list[CaseRecord]] = {}
    for case in sorted(results.cases.values(), key=lambda case: case.id):
        if case.is_counterexample:
            counterexamples.setdefault(case.clause, []).append(case)
    planned = [case for case in results.cases.values() if not case.is_counterexample]
    for case in sorted(planned, key=lambda case: -1 if case.number is None else case.number):
        if isinstance(case.variation, DrawnRecord):
            yield from counterexamples.pop(case.clause, ())
        yield case
    for group in counterexamples.values():
        yield from group


def _clauses(results: Results, cases: Iterable[CaseRecord]) -> Iterator[ClauseRecord]:
    """In the order of their cases; clauses without cases come last."""
    for name in {**dict.fromkeys(case.clause for case in cases), **results.clauses}:
        if name in results.clauses:
            yield results.clauses[name]
