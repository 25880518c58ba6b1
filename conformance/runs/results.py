"""Reading and writing results.jsonl."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from conformance.runs.records import (
    SCHEMA,
    CaseRecord,
    CitationRecord,
    ClauseRecord,
    Differences,
    EndRecord,
    MappingRecord,
    Record,
    ResultRecord,
    RunRecord,
    StaleRecord,
    TargetRecord,
)

FILE_NAME = "results.jsonl"


class ResultsError(Exception):
    """A results file that cannot be read; the message says where and what to do."""


class ResultsWriter:
    """Streams records to a file, a line each, flushed as they come so that an interrupted run keeps them."""

    def __init__(self, path: Path) -> None:
        # half a surrogate pair, which UTF-8 cannot carry, becomes JSON's own escape of it
        self._file: TextIO = path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
        self._counts: Counter[str] = Counter()

    def write(self, record: Record) -> None:
        if isinstance(record, ResultRecord):
            self._counts[record.verdict] += 1
        line = json.dumps(vars(record), default=vars, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        self._file.write(line + "\n")
        self._file.flush()

    def end(self, *, complete: bool, reason: str | None = None, stale: Sequence[StaleRecord] = ()) -> EndRecord:
        record = EndRecord(complete, dict(sorted(self._counts.items())), reason, list(stale))
        self.write(record)
        return record

    def __enter__(self) -> ResultsWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


@dataclass(frozen=True)
class Results:
    """A results file in memory, in the order of its lines."""

    run: RunRecord
    targets: list[TargetRecord] = field(default_factory=list)
    clauses: dict[str, ClauseRecord] = field(default_factory=dict)
    cases: dict[str, CaseRecord] = field(default_factory=dict)
    mappings: list[MappingRecord] = field(default_factory=list)
    results: list[ResultRecord] = field(default_factory=list)
    end: EndRecord | None = None

    @property
    def complete(self) -> bool:
        """Whether the run reached its end with everything it was asked for."""
        return self.end is not None and self.end.complete


def read_run(path: Path) -> RunRecord:
    """The first record of a results file, without the rest; ResultsError where it is none."""
    try:
        with path.open(encoding="utf-8") as stream:
            record = _parse(path, 1, stream.readline(), last=False)
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from None
    if not isinstance(record, RunRecord):
        raise ResultsError(f"{path}: does not begin with a run record; it is no results file of this suite")
    return record


def read_results(path: Path) -> Results:
    """The records of a results file, or of the folder that holds one; ResultsError where there is none."""
    path = path / FILE_NAME if path.is_dir() else path
    try:
        # not splitlines, which also breaks at U+2028 and U+0085 inside a message
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except FileNotFoundError:
        raise ResultsError(f"{path}: no such file; name a results.jsonl or the folder that holds it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from None
    records = [_parse(path, number, line, last=number == len(lines)) for number, line in enumerate(lines, 1)]
    return _gather(path, [record for record in records if record is not None])


def _parse(path: Path, number: int, line: str, *, last: bool) -> Record | None:
    try:
        return _record(json.loads(line))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if last:
            return None  # a run that was cut off in the middle of a line
        raise ResultsError(f"{path}:{number}: not a record of this suite: {error}") from None


def _record(data: dict[str, Any]) -> Record:
    kind = data.get("kind")
    if kind == "run":
        if data.get("schema") != SCHEMA:
            raise ValueError(f"schema {data.get('schema')!r}, where this version reads {SCHEMA}")
        return RunRecord(**data)
    if kind == "clause":
        return ClauseRecord(**{**data, "citations": [CitationRecord(**one) for one in data["citations"]]})
    if kind == "result":
        differences = data.get("differences")
        return ResultRecord(**{**data, "differences": Differences(**differences) if differences else None})
    if kind == "end":
        return EndRecord(**{**data, "stale": [StaleRecord(**one) for one in data.get("stale", [])]})
    simple = {"target": TargetRecord, "case": CaseRecord, "mapping": MappingRecord}
    if kind not in simple:
        raise ValueError(f"kind is {kind!r}")
    record: Record = simple[kind](**data)
    return record


def _gather(path: Path, records: list[Record]) -> Results:
    if not records or not isinstance(records[0], RunRecord):
        raise ResultsError(f"{path}: does not begin with a run record; it is no results file of this suite")
    results = Results(records[0])
    end: EndRecord | None = None
    for record in records[1:]:
        if isinstance(record, TargetRecord):
            results.targets.append(record)
        elif isinstance(record, ClauseRecord):
            results.clauses[record.id] = record
        elif isinstance(record, CaseRecord):
            results.cases[record.id] = record
        elif isinstance(record, MappingRecord):
            results.mappings.append(record)
        elif isinstance(record, ResultRecord):
            results.results.append(record)
        elif isinstance(record, EndRecord):
            end = record
    return Results(**{**vars(results), "end": end})
