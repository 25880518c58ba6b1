"""Reading and writing results.jsonl, plain or gzipped (``results.jsonl.gz``); and reading it compressed by xz."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Any, TextIO

from pydantic import Field, TypeAdapter, ValidationError

from conformance.cases.shards import parse_shard
from conformance.files import open_regular
from conformance.results.codec import encoded
from conformance.results.records import (
    SCHEMA,
    CaseRecord,
    ClaimRecord,
    ClauseRecord,
    DocumentRecord,
    EndRecord,
    ErratumRecord,
    ExampleRecord,
    KnownRecord,
    MappingRecord,
    PatternCountRecord,
    Record,
    ResultRecord,
    RunRecord,
    TargetRecord,
    UnexpectedRecord,
)
from conformance.results.stored import Reader, refuse_non_finite
from conformance.results.variations import upgraded

FILE_NAME = "results.jsonl"
GZIPPED, XZ = ".gz", ".xz"
FILE_NAMES = (FILE_NAME, FILE_NAME + GZIPPED, FILE_NAME + XZ)
LONGEST_LINE = 64_000_000
"""The maximum number of bytes of a line: a small gzipped file may have one that fills the memory."""


class ResultsError(Exception):
    """A results file that cannot be read; the message says where, and what to do."""


@cache
def record_adapter() -> TypeAdapter[Record]:
    """The type of a line of a results file; cached, since making it takes as long as reading hundreds of lines."""
    return TypeAdapter(Annotated[Record, Field(discriminator="kind")])


def results_file(path: Path) -> Path:
    """The results file at a path: the file itself, or the one in a folder."""
    if not path.is_dir():
        return path
    return next((file for name in FILE_NAMES if (file := path / name).exists()), path / FILE_NAME)


class ResultsWriter:
    """Streams records to a file, one per line; gzipped if the file name ends in ``.gz``.

    Lone surrogates, which are not valid in UTF-8, are replaced by question marks.
    """

    def __init__(self, path: Path, *, gzipped: bool | None = None, stream: TextIO | None = None) -> None:
        """stream: what to write to instead of the file."""
        self._path = path
        self._counts: Counter[str] = Counter()
        if stream is not None:
            self._file: TextIO = stream
            return
        path.unlink(missing_ok=True)  # it might be a link to another file
        gzipped = path.suffix == GZIPPED if gzipped is None else gzipped
        if gzipped:
            # without a timestamp, so that equal records give equal files
            self._file = _text_stream(gzip.GzipFile(path, "wb", mtime=0))
        else:
            self._file = path.open("w", encoding="utf-8", errors="replace", newline="\n")

    def write(self, record: Record) -> None:
        if isinstance(record, ResultRecord):
            self._counts[record.verdict] += 1
        line = record_line(record)
        try:
            self._file.write(line + "\n")
        except OSError as error:
            raise self._at_path(error) from None

    def flush(self) -> None:
        """Flush to the operating system, so that nothing is lost if this process is killed."""
        try:
            self._file.flush()
        except OSError as error:
            raise self._at_path(error) from None

    def _at_path(self, error: OSError) -> OSError:
        """An error of the system, such as a full disk, with the path."""
        return OSError(error.errno, error.strerror or str(error), str(self._path))

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
        try:
            self._file.close()
        except OSError as own:
            if error is None:
                raise self._at_path(own) from None


def _text_stream(stream: Any) -> TextIO:
    return io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="\n")


def record_line(record: Record) -> str:
    """A record as a line of a results file, without the end of the line."""
    return encoded(record)


def read_line(line: str) -> Record:
    """The record of a line that this version wrote."""
    return _adapter().validate_json(line)


@cache
def _adapter() -> TypeAdapter[Record]:
    return record_adapter()


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
    errata: list[ErratumRecord] = field(default_factory=list)
    documents: list[DocumentRecord] = field(default_factory=list)
    known: dict[tuple[str, str], KnownRecord] = field(default_factory=dict)
    """Known divergences, by framework and id."""
    examples: list[ExampleRecord] = field(default_factory=list)
    """Of the documentation that ships with the targets."""

    @property
    def complete(self) -> bool:
        """Whether the run ended without an interruption."""
        return self.end is not None and self.end.complete

    @property
    def is_counted(self) -> bool:
        """Whether there is an end record, and the results are those that it counts."""
        return self.end is not None and self.end.counts == Counter(result.verdict for result in self.results)

    def known_record(self, result: ResultRecord) -> KnownRecord | None:
        """The known divergence that records a result."""
        framework = next((target.framework for target in self.targets if target.id == result.target), "")
        return self.known.get((framework, result.known)) if result.known is not None else None

    @property
    def finished(self) -> bool:
        """Whether nothing remains to be run: the run is complete, and every target started."""
        return self.complete and all(target.blocked is None for target in self.targets)


def read_run(path: Path) -> RunRecord:
    """Only the first record of a results file; ResultsError if it is not a run record."""
    return _run_record(read_records(path), path)


def _run_record(records: Iterator[Record], path: Path) -> RunRecord:
    record = next(records, None)
    if not isinstance(record, RunRecord):
        raise ResultsError(f"{path}: not a results file: the first line is not a run record")
    try:
        if record.shard is not None:
            parse_shard(record.shard)
    except ValueError as error:
        raise ResultsError(f"{path}:1: not a valid results record: {record.kind}.shard: {error}") from None
    return replace(record, schema=SCHEMA)  # what is written again is of this schema


def read_results(path: Path) -> Results:
    """The records of a results file, or of the one in a folder; ResultsError if it cannot be read."""
    path = results_file(path)
    cases: dict[str, CaseRecord] = {}
    records = _records(path, Reader(_validated, cases).record)
    results = Results(_run_record(records, path), cases=cases)
    calls = _Calls()
    end: EndRecord | None = None
    for number, record in enumerate(records, 2):
        contradiction = _contradiction(record, results) or calls.contradiction(record)
        if contradiction is not None:
            raise ResultsError(f"{path}:{number}: not a valid results record: {contradiction}")
        if isinstance(record, EndRecord):
            end = record
        elif isinstance(record, ResultRecord):
            results.results.append(record)
        elif isinstance(record, CaseRecord):
            cases[record.id] = record
        elif not isinstance(record, RunRecord):
            _add(results, record)
    results = replace(results, end=end)
    if end is None or results.is_counted:
        return results
    return replace(results, end=_incomplete(results.results, end))


class _Calls:
    """The calls that have results: a file in which one has two was joined with itself, or made up."""

    def __init__(self) -> None:
        self._cases: dict[tuple[str, str], set[str]] = {}

    def contradiction(self, record: Record) -> str | None:
        """Says that it is another result of a call; None for any other record, which is remembered."""
        if not isinstance(record, ResultRecord):
            return None
        cases = self._cases.setdefault((record.target, record.api), set())
        if record.case in cases:
            return f"a second result of case {record.case!r}, target {record.target!r} and API {record.api!r}"
        cases.add(record.case)
        return None


def _incomplete(results: Sequence[ResultRecord], end: EndRecord) -> EndRecord:
    """The end record of a file with other results than it counts."""
    found, counted = Counter(str(result.verdict) for result in results), Counter(end.counts)
    if found.total() != counted.total():
        reason = f"the file has {found.total()} results, its end record counts {counted.total()}"
    else:
        verdict = max(found | counted, key=lambda verdict: found[verdict] - counted[verdict])
        reason = f"the file has {found[verdict]} {verdict}, its end record counts {counted[verdict]}"
    return replace(end, complete=False, reason=reason)


def _contradiction(record: Record, results: Results) -> str | None:
    """The first field that contradicts another one, or refers to a record that no earlier line has."""
    match record:
        case ResultRecord(verdict="diverges", divergence=[]):
            return f"{record.kind}.divergence: empty, but the verdict is diverges"
        case CaseRecord(clause=clause) if clause not in results.clauses:
            return f"{record.kind}.clause: no clause {clause!r} above"
        case ResultRecord(clause=clause) if clause not in results.clauses:
            return f"{record.kind}.clause: no clause {clause!r} above"
        case ResultRecord(case=case) if case not in results.cases:
            return f"{record.kind}.case: no case {case!r} above"
        case ResultRecord(target=target) | MappingRecord(target=target) | ExampleRecord(target=target) if all(
            target != known.id for known in results.targets
        ):
            return f"{record.kind}.target: no target {target!r} above"
    return None


def read_records(path: Path) -> Iterator[Record]:
    """Iterate over the records of a results file; a truncated last line is skipped."""
    return _records(path, _validated)


def _validated(line: bytes) -> Record:
    record = record_adapter().validate_json(line, strict=True)
    refuse_non_finite(line)
    return record


def _records(path: Path, record_of: Callable[[bytes], Record]) -> Iterator[Record]:
    """record_of: makes the record of a line; ValueError if it is not valid."""
    try:
        with open_results(path) as stream:
            schema = SCHEMA
            for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), 1):
                if len(line) > LONGEST_LINE:
                    raise ResultsError(
                        f"{path}:{number}: the line is too long; at most {LONGEST_LINE:,} bytes are allowed"
                    )
                if number == 1:
                    schema = _checked_schema(path, line)
                try:
                    record = record_of(_upgraded(_with_outside(line), schema))
                except (ValueError, ValidationError) as error:
                    if number > 1 and not line.endswith(b"\n"):
                        return
                    raise ResultsError(f"{path}:{number}: not a valid results record: {_reason(error)}") from None
                yield record
    except FileNotFoundError:
        raise ResultsError(f"{path}: file not found; expected a results.jsonl or its folder") from None
    except EOFError:
        return  # a truncated file
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (zlib.error, lzma.LZMAError) as error:
        raise ResultsError(f"{path}: not a {path.suffix} file: {error}") from None


@contextmanager
def open_results(path: Path) -> Iterator[IO[bytes]]:
    """The lines of a results file, decompressed by what its name ends in."""
    # As bytes: the last line of a run that was killed may end in the middle of a character.
    with open_regular(path) as file:
        if path.suffix == GZIPPED:
            with gzip.GzipFile(fileobj=file) as content:
                yield content  # type: ignore[misc] # binary
        elif path.suffix == XZ:
            with lzma.LZMAFile(file) as content:
                yield content
        else:
            yield file


def _with_outside(line: bytes) -> bytes:
    """A line with the form of today for what a call wrote outside a view, which was a list of arguments once."""
    if b'"spilled"' not in line:
        return line
    try:
        content = json.loads(line)
        outcomes = [
            each
            for each in (content["outcome"], (content.get("relation") or {}).get("right"))
            if each and "spilled" in each
        ]
        for outcome in outcomes:
            names = outcome.pop("spilled")
            if names:
                outcome["outside"] = [{"argument": name, "access": "wrote", "distance": None} for name in names]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return line  # validating it says what is wrong
    return json.dumps(content).encode()


def _upgraded(line: bytes, schema: int) -> bytes:
    """A line of this schema as one of schema 2: the records of cases have changed."""
    if schema > 1 or not _PERHAPS_CASE.search(line):
        return line
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return line  # validating it says what is wrong
    is_case = isinstance(content, dict) and content.get("kind") == "case"
    return json.dumps(upgraded(content)).encode() if is_case else line


def _checked_schema(path: Path, line: bytes) -> int:
    """The schema of a file; ResultsError if its first line is neither of this one nor of the one before: any field may have changed."""
    try:
        content = json.loads(line)
        schema = content.get("schema", SCHEMA) if isinstance(content, dict) else SCHEMA
    except (ValueError, RecursionError):
        return SCHEMA  # validating it says what is wrong
    if not isinstance(schema, int) or isinstance(schema, bool):
        return SCHEMA
    if schema in readable():
        return schema
    if schema > SCHEMA:
        raise ResultsError(
            f"{path}: written by a newer version of conformance (schema {schema}, this version reads schema {_readable()}); "
            "upgrade with pip install -U opconform"
        )
    raise ResultsError(f"{path}: schema {schema} is not supported by this version, which reads schema {_readable()}")


def readable() -> Sequence[int]:
    """The schemas that can be read: this one and the one before."""
    return range(max(1, SCHEMA - 1), SCHEMA + 1)


def _readable() -> str:
    return " and ".join(map(str, readable()))


_PERHAPS_CASE = re.compile(rb'"kind"\s*:\s*"case"')


def _reason(error: ValueError) -> str:
    """The first error, with the field that it is in."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first["loc"] else first["msg"]


def _add(results: Results, record: Record) -> None:
    match record:
        case ClauseRecord():
            results.clauses[record.id] = record
        case KnownRecord():
            results.known[record.framework, record.id] = record
        case ClaimRecord():
            results.claims.append(record)
        case ErratumRecord():
            results.errata.append(record)
        case DocumentRecord():
            results.documents.append(record)
        case TargetRecord():
            _add_target(results.targets, record)
        case MappingRecord():
            results.mappings.append(record)
        case ExampleRecord():
            results.examples.append(record)


def _add_target(targets: list[TargetRecord], record: TargetRecord) -> None:
    """Add a target, or replace its earlier record: it is written when it starts, and again when it has finished."""
    ids = [target.id for target in targets]
    if record.id in ids:
        targets[ids.index(record.id)] = record
    else:
        targets.append(record)
