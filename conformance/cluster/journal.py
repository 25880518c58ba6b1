"""Which units of a run are complete, in a file beside its results: with it, an interrupted run goes on at the others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from conformance.cases.shards import Shard, parse_shard
from conformance.cluster.unit import Unit
from conformance.results.file import Results, ResultsWriter, record_adapter
from conformance.results.records import ExampleRecord, ResultRecord, TargetRecord

FILE_NAME = ".units.jsonl"


@dataclass(frozen=True)
class CompleteUnit:
    """A unit all of whose results are in the results file."""

    key: str
    target: str
    """As requested."""
    shard: str
    record: TargetRecord
    """As it ended."""
    examples: Sequence[ExampleRecord] = ()


class Journal:
    """Appends complete units to the file of a run."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME

    def add(self, unit: Unit, asked: str, record: TargetRecord, examples: Sequence[ExampleRecord]) -> None:
        """Note a unit, after its results have been written."""
        with self._path.open("a", encoding="utf-8") as stream:
            head = {"key": unit.key, "target": asked, "shard": unit.shard, "records": 1 + len(examples)}
            stream.write(json.dumps(head) + "\n")
            writer = ResultsWriter(self._path, stream=stream)
            writer.write(record)
            for example in examples:
                writer.write(example)

    def clear(self) -> None:
        self._path.unlink(missing_ok=True)


def complete_units(folder: Path) -> list[CompleteUnit]:
    """The complete units of the run in a folder; a truncated last one is skipped."""
    path = folder / FILE_NAME
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return list(_read(lines))


def _read(lines: Sequence[str]) -> Iterator[CompleteUnit]:
    remaining = iter(lines)
    for line in remaining:
        try:
            head = json.loads(line)
            records = [record_adapter().validate_json(record) for record in islice(remaining, head["records"])]
        except ValueError:
            return
        targets = [record for record in records if isinstance(record, TargetRecord)]
        examples = [record for record in records if isinstance(record, ExampleRecord)]
        if len(records) == head["records"] and targets:
            yield CompleteUnit(head["key"], head["target"], head["shard"], targets[0], examples)


def shards_of(units: Sequence[CompleteUnit]) -> dict[str, int]:
    """By target, the number of shards that it was divided into."""
    return {unit.target: parse_shard(unit.shard).of for unit in units}


class Kept:
    """Whether a result is of a complete unit."""

    def __init__(self, units: Sequence[CompleteUnit], results: Results) -> None:
        self._results = results
        self._shards: dict[str, list[Shard]] = {}
        for unit in units:
            self._shards.setdefault(unit.target, []).append(parse_shard(unit.shard))

    def __call__(self, asked: str, result: ResultRecord) -> bool:
        case = self._results.cases[result.case]
        return any(shard.holds_record(case) for shard in self._shards.get(asked, ()))
