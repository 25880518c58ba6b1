"""The one order of a results file: whatever ran side by side, in shards or in several attempts, it comes out the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from conformance.files import replacing
from conformance.results.file import Results, ResultsWriter
from conformance.results.records import CaseRecord, ClauseRecord, Record, ResultRecord, TargetRecord


def in_order(results: Results) -> Results:
    """The same records: targets as they were asked for, cases as they were planned, results by target, case and API.

    A case that the run made itself comes before the draws that it stands for.
    """
    targets = _targets(results)
    places = {target.id: place for place, target in enumerate(targets)}
    cases = {case.id: case for case in _cases(results)}
    numbers = {case: number for number, case in enumerate(cases)}
    mappings = sorted(results.mappings, key=lambda one: places.get(one.target, len(places)))
    apis = {(one.target, one.api): number for number, one in enumerate(mappings)}
    return replace(
        results,
        targets=targets,
        clauses={clause.id: clause for clause in _clauses(results, cases.values())},
        cases=cases,
        mappings=mappings,
        results=sorted(
            results.results,
            key=lambda one: (
                places.get(one.target, len(places)),
                numbers.get(one.case, len(numbers)),
                apis.get((one.target, one.api), len(apis)),
            ),
        ),
    )


def write_results(results: Results, file: Path) -> None:
    """Write a results file as it stands, whole or not at all."""
    with replacing(file) as temporary, ResultsWriter(temporary) as writer:
        for record in records(results):
            writer.write(record)


def records(results: Results) -> Iterator[Record]:
    """Every record in the order of a file."""
    yield results.run
    yield from results.known.values()
    yield from results.claims
    yield from results.clauses.values()
    yield from results.cases.values()
    yield from results.targets
    yield from results.mappings
    yield from results.results
    if results.end is not None:
        yield results.end


def verdicts(results: Iterable[ResultRecord]) -> dict[str, int]:
    """How many results came to each verdict, as the end of a file tells."""
    return dict(sorted(Counter(result.verdict for result in results).items()))


def _targets(results: Results) -> list[TargetRecord]:
    asked = {name: place for place, name in enumerate(results.run.targets)}
    last = {target.id: target for target in results.targets}
    return sorted(last.values(), key=lambda target: asked.get(target.asked or target.id, len(asked)))


def _cases(results: Results) -> Iterator[CaseRecord]:
    made: dict[str, list[CaseRecord]] = {}
    planned = []
    for case in results.cases.values():
        if case.is_counterexample:
            made.setdefault(case.clause, []).append(case)
        else:
            planned.append(case)
    for case in sorted(planned, key=lambda case: -1 if case.number is None else case.number):
        if case.provenance == "generated":
            yield from sorted(made.pop(case.clause, ()), key=lambda one: one.id)
        yield case
    for some in made.values():
        yield from sorted(some, key=lambda one: one.id)


def _clauses(results: Results, cases: Iterable[CaseRecord]) -> Iterator[ClauseRecord]:
    """As their cases come, and last those that have none."""
    for name in {**dict.fromkeys(case.clause for case in cases), **results.clauses}:
        if name in results.clauses:
            yield results.clauses[name]
