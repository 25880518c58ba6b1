"""Reading and writing results.jsonl, plain or gzipped (``results.jsonl.gz``)."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Any, TextIO

from pydantic import Field, TypeAdapter, ValidationError

from conformance.outcomes.model import Returned
from conformance.results.literals import Packed
from conformance.results.records import (
    IF_ANY,
    SCHEMA,
    CaseRecord,
    ClaimRecord,
    ClauseRecord,
    EndRecord,
    KnownRecord,
    MappingRecord,
    PatternCountRecord,
    Record,
    ResultRecord,
    RunRecord,
    TargetRecord,
    UnexpectedRecord,
)

FILE_NAME = "results.jsonl"
GZIPPED = ".gz"


class ResultsError(Exception):
    """A results file that cannot be read; the message says where and what to do."""


def record_adapter() -> TypeAdapter[Record]:
    """What a line of a results file may be."""
    return TypeAdapter(Annotated[Record, Field(discriminator="kind")])


def results_file(path: Path) -> Path:
    """The results file that a path means: itself, or the one in a folder."""
    if not path.is_dir():
        return path
    gzipped = path / f"{FILE_NAME}{GZIPPED}"
    return gzipped if gzipped.exists() and not (path / FILE_NAME).exists() else path / FILE_NAME


class ResultsWriter:
    """Streams records to a file, a line each; gzipped where the file's name says so.

    Half a surrogate pair, which no JSON reader need accept, becomes a question mark.
    """

    def __init__(self, path: Path, *, gzipped: bool | None = None) -> None:
        gzipped = path.suffix == GZIPPED if gzipped is None else gzipped
        if gzipped:
            # without a time, so that the same records are the same file
            stream = gzip.GzipFile(path, "wb", mtime=0)
            self._file: TextIO = _text_stream(stream)
        else:
            self._file = path.open("w", encoding="utf-8", errors="replace", newline="\n")
        self._counts: Counter[str] = Counter()

    def write(self, record: Record) -> None:
        if isinstance(record, ResultRecord):
            self._counts[record.verdict] += 1
        self._file.write(_JSON.encode(_as_json(record)) + "\n")

    def flush(self) -> None:
        """Hand what was written to the system, which keeps it even if this process is killed."""
        self._file.flush()

    def end(
        self,
        *,
        complete: bool,
        reason: str | None = None,
        unexpected: Sequence[UnexpectedRecord] = (),
        pattern_counts: Sequence[PatternCountRecord] = (),
    ) -> EndRecord:
        record = EndRecord(complete, dict(sorted(self._counts.items())), reason, list(unexpected), list(pattern_counts))
        self.write(record)
        self.flush()
        return record

    def __enter__(self) -> ResultsWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _text_stream(stream: Any) -> TextIO:
    return io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="\n")


def _as_json(value: Any) -> dict[str, Any]:
    """A record, or a part of one, as JSON has it: what few records have only where it says something."""
    if isinstance(value, Packed):
        return dict(value)
    kind: Any = type(value)
    defaults = _sparse_fields(kind)
    return {
        name: content
        for name, content in vars(value).items()
        if name not in defaults or type(content) is not type(defaults[name]) or content != defaults[name]
    }


@cache
def _sparse_fields(kind: Any) -> dict[str, Any]:
    """The fields that are left out where they have their default: of outcomes all."""
    every = kind.__module__ == Returned.__module__
    return {
        item.name: item.default if item.default_factory is dataclasses.MISSING else item.default_factory()
        for item in dataclasses.fields(kind)
        if item.metadata == IF_ANY or (every and item.name not in ("status", "abstract"))
    }


_JSON = json.JSONEncoder(default=_as_json, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


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
    """Known divergences, by framework and id."""

    @property
    def complete(self) -> bool:
        """Whether the run reached its end with everything it was asked for."""
        return self.end is not None and self.end.complete

    @property
    def finished(self) -> bool:
        """Whether nothing is left to be run: every target started, and the run came to its end."""
        return self.complete and all(target.blocked is None for target in self.targets)


def read_run(path: Path) -> RunRecord:
    """The first record of a results file, without the rest; ResultsError where it is none."""
    for record in read_records(path):
        if isinstance(record, RunRecord):
            return record
        break
    raise _no_run(path)


def read_results(path: Path) -> Results:
    """The records of a results file, or of the folder that holds one; ResultsError where there is none."""
    path = results_file(path)
    records = read_records(path)
    run = next(records, None)
    if not isinstance(run, RunRecord):
        raise _no_run(path)
    results = Results(run)
    values: dict[str, Any] = {}
    end: EndRecord | None = None
    for record in records:
        if isinstance(record, EndRecord):
            end = record
        elif isinstance(record, ResultRecord):
            results.results.append(_shared(record, values))
        elif not isinstance(record, RunRecord):
            _add(results, record)
    return replace(results, end=end)


def read_records(path: Path) -> Iterator[Record]:
    """The records of a results file, one after the other; a last line that was cut off is left out."""
    broken: ResultsError | None = None
    validate = record_adapter().validate_json
    try:
        with _opened(path) as stream:
            for number, line in enumerate(stream, 1):
                if broken is not None:
                    raise broken
                try:
                    record = validate(line, strict=True)
                    _check_schema(record)
                except (ValueError, ValidationError) as error:
                    broken = ResultsError(f"{path}:{number}: not a record of this suite: {_reason(error)}")
                    continue
                yield record
    except FileNotFoundError:
        raise ResultsError(f"{path}: no such file; name a results.jsonl or the folder that holds it") from None
    except EOFError:
        return  # a gzipped file that was cut off
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from None


def _opened(path: Path) -> IO[bytes]:
    # As bytes: a run that was killed may have torn its last line in the middle of a character.
    return gzip.open(path, "rb") if path.suffix == GZIPPED else path.open("rb")  # type: ignore[return-value] # binary


def _check_schema(record: Record) -> None:
    if isinstance(record, RunRecord) and record.schema != SCHEMA:
        raise ValueError(f"schema {record.schema!r}, where this version reads {SCHEMA}")


def _reason(error: ValueError) -> str:
    """The first thing that is wrong, with the field that it is wrong with."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first["loc"] else first["msg"]


def _no_run(path: Path) -> ResultsError:
    return ResultsError(f"{path}: does not begin with a run record; it is no results file of this suite")


def _shared(record: ResultRecord, values: dict[str, Any]) -> ResultRecord:
    """The record, with the elements of an equal result that was read before: many APIs return the same."""
    outcome = record.outcome
    if not isinstance(outcome, Returned) or outcome.values is None:
        return record
    shared = values.setdefault(outcome.digest, outcome.values)
    return record if shared is outcome.values else replace(record, outcome=replace(outcome, values=shared))


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


def _add_target(targets: list[TargetRecord], record: TargetRecord) -> None:
    """A target is recorded when it starts and again, with what it took, when it has finished."""
    ids = [target.id for target in targets]
    if record.id in ids:
        targets[ids.index(record.id)] = record
    else:
        targets.append(record)
