"""Merge the results files of several runs into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from conformance.cases.shards import Shard, parse_shard
from conformance.execution.resume import difference
from conformance.known.counts import summed, unexpected
from conformance.matrix.parts import Merged, MergeError, Part, TargetPart, chosen
from conformance.results.file import Results
from conformance.results.order import in_order, verdicts
from conformance.results.records import EndRecord, MergedRunRecord, RunRecord, TargetRecord
from conformance.results.requests import differences_of_parts

_MOST_NAMED = 10
"""Missing shards of a target that are named."""


def merged(parts: Sequence[Part], command: str) -> Merged:
    """Merge all parts into one run in the order of a results file, with remarks on what was left out.

    Of two parts with the same target and cases, the later complete one is used. Raises MergeError if the parts
    differ in the epoch of the specs, the seed or what a target consists of, or overlap in a way that this rule
    does not resolve.
    """
    _check(parts)
    target_parts, remarks = chosen(parts)
    _check_targets(target_parts)
    used = [part for part in parts if any(target_part.part is part for target_part in target_parts)]
    results = Results(_run(parts, used, command))
    for part in sorted(used, key=lambda part: part.results.run.started):
        _add_specs(results, part.results)
    for target_part in target_parts:
        _add(results, target_part)
    results = in_order(results)
    return Merged(replace(results, end=_end(results, target_parts)), remarks)


def _check(parts: Sequence[Part]) -> None:
    first = parts[0]
    for part in parts[1:]:
        for words, expected, actual in differences_of_parts(first.results.run, part.results.run):
            raise MergeError(
                f"cannot merge: {first.name} and {part.name} differ in the {words} ({expected} and {actual}); "
                "run one of them again as the other"
            )
    _check_cases(parts)


def _check_cases(parts: Sequence[Part]) -> None:
    digests: dict[str, tuple[str, str]] = {}
    for part in parts:
        for case in part.results.cases.values():
            digest, name = digests.setdefault(case.id, (case.digest, part.name))
            if digest != case.digest:
                raise MergeError(
                    f"cannot merge: case {case.id} has different calls in {part.name} and {name}; "
                    "use the same draws and case files"
                )


def _check_targets(target_parts: Sequence[TargetPart]) -> None:
    firsts: dict[str, tuple[TargetRecord, str]] = {}
    for part in target_parts:
        for record in (record for record in part.records if record.blocked is None):
            first, name = firsts.setdefault(record.id, (record, part.part.name))
            found = difference(first, record)
            if found is not None:
                raise MergeError(
                    f"cannot merge: {name} and {part.part.name} have different targets {record.id}: {found.field} is "
                    f"{found.first!r} in {name} and {found.second!r} in {part.part.name}; run both again in the same "
                    "environment, or merge only one"
                )


def _run(parts: Sequence[Part], used: Sequence[Part], command: str) -> RunRecord:
    runs = [part.results.run for part in parts]
    newest = max(runs, key=lambda run: run.started)
    selections = dict.fromkeys(part.results.run.selection for part in used)
    return replace(
        runs[0],
        started=min(run.started for run in runs),
        command=command,
        folder=None,
        suite_version=newest.suite_version,
        spec_digest=newest.spec_digest,
        shard=None,
        targets=list(dict.fromkeys(name for run in runs for name in run.targets)),
        merged=[merged_run for part in used for merged_run in _merged_runs(part.results.run)],
        draws=max(run.draws for run in runs),
        programs=max(run.programs for run in runs),
        fail_on=min((run.fail_on for run in runs), key=("any", "own", "never").index),
        selection=" or ".join(map(str, selections)) if None not in selections else None,
    )


def _merged_runs(run: RunRecord) -> list[MergedRunRecord]:
    return run.merged or [MergedRunRecord(run.started, run.command, run.targets)]


def _add_specs(results: Results, part: Results) -> None:
    """What the specs and ledgers say, in place of what an earlier part of the same epoch says."""
    results.known.update(part.known)
    results.clauses.update(part.clauses)
    results.claims[:] = {(one.document, one.locator): one for one in (*results.claims, *part.claims)}.values()
    results.errata[:] = {(one.document, one.id): one for one in (*results.errata, *part.errata)}.values()
    results.documents[:] = {one.document: one for one in (*results.documents, *part.documents)}.values()


def _add(results: Results, target_part: TargetPart) -> None:
    part = target_part.part.results
    mappings = [mapping for mapping in part.mappings if mapping.target in target_part.ids]
    results.cases.update(target_part.cases)
    results.targets[:] = _targets([*results.targets, *target_part.records])
    results.mappings.extend(mapping for mapping in mappings if mapping not in results.mappings)
    results.results.extend(target_part.results)
    examples = [example for example in part.examples if example.target in target_part.ids]
    results.examples.extend(example for example in examples if example not in results.examples)


def _targets(records: Iterable[TargetRecord]) -> Iterator[TargetRecord]:
    """Each target once, with the time, memory and processes of all its shards."""
    by_id: dict[str, TargetRecord] = {}
    for record in records:
        earlier = by_id.get(record.id)
        by_id[record.id] = record if earlier is None else sum_of(earlier, record)
    yield from by_id.values()


def sum_of(first: TargetRecord, second: TargetRecord) -> TargetRecord:
    """The record of a target with the time, memory and processes of two of its shards."""
    times = [first.seconds, second.seconds]
    seconds = None if None in times else round(sum(filter(None, times)), 3)
    return replace(
        first,
        seconds=seconds,
        memory=max(filter(None, (first.memory, second.memory)), default=None),
        imports=_total(first.imports, second.imports),
        forks=_total(first.forks, second.forks),
        left_out=dict(sorted((Counter(first.left_out) + Counter(second.left_out)).items())),
        # All draws of a clause are in one shard, so no form is counted twice.
        forms=sum(filter(None, (first.forms, second.forms))) or None,
    )


def _total(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


def _end(results: Results, target_parts: Sequence[TargetPart]) -> EndRecord:
    missing = [*_incomplete(target_parts), *_without_results(results.run, target_parts), *_missing_shards(target_parts)]
    pattern_counts = summed(count for target_part in target_parts for count in target_part.pattern_counts)
    recorded = [record for target_part in target_parts for record in target_part.unexpected]
    return EndRecord(
        complete=not missing,
        counts=verdicts(results.results),
        reason="; ".join(missing) or None,
        unexpected=[*recorded, *unexpected(pattern_counts)],
    )


def _incomplete(target_parts: Sequence[TargetPart]) -> Iterator[str]:
    parts = (target_part.part for target_part in target_parts)
    for name in dict.fromkeys(part.name for part in parts if not part.results.complete):
        yield f"the run in {name} is incomplete"


def _without_results(run: RunRecord, target_parts: Sequence[TargetPart]) -> Iterator[str]:
    for target in run.targets:
        if not any(target_part.requested == target for target_part in target_parts):
            yield f"{target} was not started"


def _missing_shards(target_parts: Sequence[TargetPart]) -> Iterator[str]:
    by_target: dict[str, list[Shard]] = {}
    for target_part in target_parts:
        text = target_part.part.results.run.shard
        by_target.setdefault(target_part.requested, []).extend([parse_shard(text)] if text else [])
    for target, shards in by_target.items():
        for count in dict.fromkeys(shard.of for shard in shards):
            there = {shard.number for shard in shards if shard.of == count}
            absent = (Shard(number, count) for number in range(1, count + 1) if number not in there)
            named = list(islice(absent, _MOST_NAMED))
            more = count - len(there) - len(named)
            if named:
                yield f"{target}: missing shards {', '.join(map(str, named))}" + (f" and {more} more" if more else "")
