"""Reading and writing results.jsonl."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from conformance.results.packed import JSON, Packed
from conformance.results.records import (
    SCHEMA,
    CaseRecord,
    CitationRecord,
    ClaimRecord,
    ClauseRecord,
    Determinism,
    Differences,
    EndRecord,
    KnownRecord,
    MappingRecord,
    Polluter,
    Record,
    ResultRecord,
    RunRecord,
    StaleRecord,
    TallyRecord,
    TargetRecord,
)

FILE_NAME = "results.jsonl"


class ResultsError(Exception):
    """A results file that cannot be read; the message says where and what to do."""


class ResultsWriter:
    """Streams records to a file, a line each."""

    def __init__(self, path: Path) -> None:
        # half a surrogate pair, which UTF-8 cannot carry, becomes JSON's own escape of it
        self._file: TextIO = path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
        self._counts: Counter[str] = Counter()

    def write(self, record: Record) -> None:
        if isinstance(record, ResultRecord):
            self._counts[record.verdict] += 1
        self._file.write(JSON.encode(vars(record)) + "\n")

    def flush(self) -> None:
        """Hand what was written to the system, which keeps it even if this process is killed."""
        self._file.flush()

    def end(
        self,
        *,
        complete: bool,
        reason: str | None = None,
        stale: Sequence[StaleRecord] = (),
        tallies: Sequence[TallyRecord] = (),
    ) -> EndRecord:
        record = EndRecord(complete, dict(sorted(self._counts.items())), reason, list(stale), list(tallies))
        self.write(record)
        self.flush()
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
    claims: list[ClaimRecord] = field(default_factory=list)
    known: dict[tuple[str, str], KnownRecord] = field(default_factory=dict)
    """Entries of ledgers, by framework and id."""

    @property
    def complete(self) -> bool:
        """Whether the run reached its end with everything it was asked for."""
        return self.end is not None and self.end.complete


def read_run(path: Path) -> RunRecord:
    """The first record of a results file, without the rest; ResultsError where it is none."""
    for record in read_records(path):
        if isinstance(record, RunRecord):
            return record
        break
    raise _no_run(path)


def read_results(path: Path) -> Results:
    """The records of a results file, or of the folder that holds one; ResultsError where there is none."""
    path = path / FILE_NAME if path.is_dir() else path
    records = read_records(path)
    run = next(records, None)
    if not isinstance(run, RunRecord):
        raise _no_run(path)
    results = Results(run)
    end: EndRecord | None = None
    for record in records:
        if isinstance(record, EndRecord):
            end = record
        elif not isinstance(record, RunRecord):
            _add(results, record)
    return replace(results, end=end)


def read_records(path: Path) -> Iterator[Record]:
    """The records of a results file, one after the other; a last line that was cut off is left out."""
    broken: ResultsError | None = None
    try:
        # as bytes: a run that was killed may have torn its last line in the middle of a character
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if broken is not None:
                    raise broken
                try:
                    yield _record(json.loads(line))
                except (ValueError, TypeError, KeyError, AttributeError) as error:
                    broken = ResultsError(f"{path}:{number}: not a record of this suite: {error}")
    except FileNotFoundError:
        raise ResultsError(f"{path}: no such file; name a results.jsonl or the folder that holds it") from None
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from None


def _no_run(path: Path) -> ResultsError:
    return ResultsError(f"{path}: does not begin with a run record; it is no results file of this suite")


def _record(read: dict[str, Any]) -> Record:
    # The same names and sentences come again and again.
    data: dict[str, Any] = {key: sys.intern(value) if type(value) is str else value for key, value in read.items()}
    kind = data.get("kind")
    if kind == "run":
        if data.get("schema") != SCHEMA:
            raise ValueError(f"schema {data.get('schema')!r}, where this version reads {SCHEMA}")
        return RunRecord(**data)
    if kind == "clause":
        return ClauseRecord(**{**data, "citations": [CitationRecord(**one) for one in data["citations"]]})
    if kind == "result":
        differences = data.get("differences")
        determinism = data.get("determinism")
        polluter = data.get("polluter")
        nested = {
            "differences": Differences(**differences) if differences else None,
            "determinism": Determinism(**determinism) if determinism else None,
            "outcome": Packed(data["outcome"]),
            "polluter": Polluter(**polluter) if polluter else None,
        }
        return ResultRecord(**{**data, **nested})
    if kind == "case":
        packed = {name: Packed(data[name]) for name in ("call", "expectation", "control") if data.get(name) is not None}
        return CaseRecord(**{**data, **packed})
    if kind == "end":
        stale = [StaleRecord(**one) for one in data.get("stale", [])]
        tallies = [TallyRecord(**one) for one in data.get("tallies", [])]
        return EndRecord(**{**data, "stale": stale, "tallies": tallies})
    if kind not in _SIMPLE:
        raise ValueError(f"kind is {kind!r}")
    return _SIMPLE[kind](**data)


_SIMPLE: dict[str, Callable[..., Record]] = {
    "claim": ClaimRecord,
    "known": KnownRecord,
    "target": TargetRecord,
    "mapping": MappingRecord,
}
"""Records that hold no others."""


def _add(results: Results, record: Record) -> None:
    match record:
        case ClauseRecord():
            results.clauses[record.id] = record
        case CaseRecord():
            results.cases[record.id] = record
        case KnownRecord():
            results.known[record.framework, record.id] = record
        case ClaimRecord():
            results.claims.append(record)
        case TargetRecord():
            _add_target(results.targets, record)
        case MappingRecord():
            results.mappings.append(record)
        case ResultRecord():
            results.results.append(record)


def _add_target(targets: list[TargetRecord], record: TargetRecord) -> None:
    """A target is told of when it starts and again, with what it took, when it has finished."""
    ids = [target.id for target in targets]
    if record.id in ids:
        targets[ids.index(record.id)] = record
    else:
        targets.append(record)
