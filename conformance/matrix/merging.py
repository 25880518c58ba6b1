"""Results files of several runs as one, as if all had been one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from conformance.cases.shards import Shard, parse_shard
from conformance.known.counts import summed, unexpected
from conformance.matrix.parts import Merged, MergeError, Part, Share, chosen
from conformance.results.file import Results
from conformance.results.order import in_order, verdicts
from conformance.results.records import EndRecord, RunRecord, TargetRecord

_SAME = {"suite_version": "versions of the suite", "spec_digest": "specs", "seed": "seeds"}
"""What must be the same in all, in words."""


def merged(parts: Sequence[Part], command: str) -> Merged:
    """All parts as one run, in the order of files, with remarks on what was left out.

    MergeError where the parts cannot be one run: of other specs, another seed or another version of the suite, or with
    different results for the same calls that no rule chooses between. Of two parts that hold the same target and cases
    the later complete one counts.
    """
    _check(parts)
    shares, remarks = chosen(parts)
    whole = [part for part in parts if any(share.part is part for share in shares)]
    results = Results(_run(parts, whole, command))
    for share in shares:
        _add(results, share)
    results = in_order(results)
    return Merged(replace(results, end=_end(results, shares)), remarks)


def _check(parts: Sequence[Part]) -> None:
    first = parts[0]
    for part in parts[1:]:
        for name, words in _SAME.items():
            was, now = getattr(first.results.run, name), getattr(part.results.run, name)
            if was != now:
                raise MergeError(
                    f"{first.name} and {part.name} are of different {words} ({was} and {now}); "
                    "only runs of the same can be put together"
                )
    _check_cases(parts)


def _check_cases(parts: Sequence[Part]) -> None:
    digests: dict[str, tuple[str, str]] = {}
    for part in parts:
        for case in part.results.cases.values():
            digest, name = digests.setdefault(case.id, (case.digest, part.name))
            if digest != case.digest:
                raise MergeError(
                    f"{case.id} is another call in {part.name} than in {name}; "
                    "only runs with as many draws, and of the same case files, can be put together"
                )


def _run(parts: Sequence[Part], whole: Sequence[Part], command: str) -> RunRecord:
    runs = [part.results.run for part in parts]
    selections = dict.fromkeys(run.selection for part in whole for run in [part.results.run])
    return replace(
        runs[0],
        started=min(run.started for run in runs),
        command=command,
        shard=None,
        targets=list(dict.fromkeys(name for run in runs for name in run.targets)),
        draws=max(run.draws for run in runs),
        selection=" or ".join(str(one) for one in selections) if None not in selections else None,
    )


def _add(results: Results, share: Share) -> None:
    of = share.part.results
    results.known.update(of.known)
    results.claims.extend(claim for claim in of.claims if claim not in results.claims)
    results.clauses.update(of.clauses)
    results.cases.update(share.cases)
    results.targets[:] = _targets([*results.targets, *share.records])
    results.mappings.extend(one for one in of.mappings if one.target in share.ids and one not in results.mappings)
    results.results.extend(share.results)


def _targets(records: Iterable[TargetRecord]) -> Iterator[TargetRecord]:
    """Each target once, with what all of its shards took."""
    found: dict[str, TargetRecord] = {}
    for record in records:
        same = found.get(record.id)
        found[record.id] = record if same is None else _sum(same, record)
    yield from found.values()


def _sum(one: TargetRecord, other: TargetRecord) -> TargetRecord:
    times = [one.seconds, other.seconds]
    seconds = None if None in times else round(sum(filter(None, times)), 3)
    return replace(
        one,
        seconds=seconds,
        memory=max(filter(None, (one.memory, other.memory)), default=None),
        left_out=dict(sorted((Counter(one.left_out) + Counter(other.left_out)).items())),
    )


def _end(results: Results, shares: Sequence[Share]) -> EndRecord:
    missing = [*_unfinished(shares), *_without_results(results.run, shares), *_missing_shards(shares)]
    pattern_counts = summed(pattern_count for share in shares for pattern_count in share.pattern_counts)
    told = [record for share in shares for record in share.unexpected]
    return EndRecord(
        complete=not missing,
        counts=verdicts(results.results),
        reason="; ".join(missing) or None,
        unexpected=[*told, *unexpected(pattern_counts)],
    )


def _unfinished(shares: Sequence[Share]) -> Iterator[str]:
    for part in dict.fromkeys(share.part.name for share in shares if not share.part.results.complete):
        yield f"the run in {part} did not come to its end"


def _without_results(run: RunRecord, shares: Sequence[Share]) -> Iterator[str]:
    for target in run.targets:
        if not any(share.asked == target for share in shares):
            yield f"{target} was not started"


def _missing_shards(shares: Sequence[Share]) -> Iterator[str]:
    by_target: dict[str, list[Shard]] = {}
    for share in shares:
        text = share.part.results.run.shard
        by_target.setdefault(share.asked, []).extend([parse_shard(text)] if text else [])
    for target, shards in by_target.items():
        for of in {shard.of: None for shard in shards}:
            there = {shard.number for shard in shards if shard.of == of}
            missing = [str(Shard(number, of)) for number in range(1, of + 1) if number not in there]
            if missing:
                yield f"of {target}, {', '.join(missing)} of the shards are missing"
