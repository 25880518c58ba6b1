"""Results files as they are read back."""

from __future__ import annotations

import copy
import gzip
import json
import lzma
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.outcomes.model import Outside, Returned
from conformance.results import file as results_file
from conformance.results.file import (
    FILE_NAME,
    FILE_NAMES,
    ResultsError,
    ResultsWriter,
    read_results,
    read_run,
    readable,
)
from conformance.results.records import SCHEMA, ClaimRecord, RunRecord

RUN = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")


COMPRESS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".xz": lzma.compress}
"""By the ending of a file name; without one, as it is."""


def test_a_lone_surrogate_becomes_a_question_mark(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path / FILE_NAME) as writer:
        writer.write(replace(RUN, command="half \ud800"))
    assert read_run(tmp_path / FILE_NAME).command == "half ?"


@pytest.mark.parametrize(
    ("schema", "message"),
    [(SCHEMA + 1, "written by a newer version"), (SCHEMA - 2, f"schema {SCHEMA - 2} is not supported")],
)
def test_a_file_with_another_schema_is_refused(tmp_path: Path, schema: int, message: str) -> None:
    with ResultsWriter(tmp_path / FILE_NAME) as writer:
        writer.write(replace(RUN, schema=schema))
        writer.write(RUN)
    with pytest.raises(ResultsError, match=message):
        read_results(tmp_path)


def _of_schema(number: int) -> Path:
    """A small file that a version with this schema has written; one is kept for each schema."""
    return Path(__file__).with_name(f"schema_{number}.jsonl")


@pytest.mark.parametrize("schema", readable())
def test_a_stored_file_of_this_schema_and_of_the_one_before_is_read_whole(schema: int) -> None:
    results = read_results(_of_schema(schema))
    assert results.complete
    assert [(one.verdict, one.known) for one in results.results] == [
        ("conforms", None),
        ("died", "aborts-where-updates-lack-a-batch-axis"),
        ("unsupported", None),
    ]
    [target] = results.targets
    assert (target.id, target.os, results.run.epoch) == ("tensorflow==2.21.0@cpu", None, None)
    assert (len(results.claims), len(results.clauses), len(results.examples)) == (4, 3, 1)


def test_a_field_that_a_later_version_added_is_ignored(tmp_path: Path) -> None:
    lines = _of_schema(SCHEMA).read_text().splitlines()
    added = [json.dumps({**json.loads(line), "a_later_field": 1}) for line in lines]
    (tmp_path / FILE_NAME).write_text("".join(f"{line}\n" for line in added))
    assert read_results(tmp_path) == read_results(_of_schema(SCHEMA))


def test_a_version_with_the_next_schema_reads_this_one_and_writes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    this = read_results(_of_schema(SCHEMA))
    monkeypatch.setattr(results_file, "SCHEMA", SCHEMA + 1)
    later = read_results(_of_schema(SCHEMA))
    assert (later.run.schema, later.cases) == (SCHEMA + 1, this.cases)
    monkeypatch.setattr(results_file, "SCHEMA", SCHEMA + 2)
    with pytest.raises(
        ResultsError, match=f"schema {SCHEMA} is not supported by this version, which reads schema {SCHEMA + 1} and"
    ):
        read_results(_of_schema(SCHEMA))


def test_a_last_line_that_was_torn_within_a_character_is_left_out(tmp_path: Path) -> None:
    claim = ClaimRecord("a-document", "A document", "note", "Says é", official=True)
    with ResultsWriter(tmp_path / FILE_NAME) as writer:
        writer.write(RUN)
        writer.write(claim)
        writer.write(claim)
    whole = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / FILE_NAME).write_bytes(whole[: whole.rindex("é".encode()) + 1])
    results = read_results(tmp_path)
    assert results.claims == [claim]
    assert not results.complete


WHOLE: list[dict[str, Any]] = [
    {"kind": "run", "started": "", "command": "", "seed": 0, "spec_digest": "", "suite_version": "0"},
    {"kind": "clause", "id": "o.rule.c", "operation": "o", "family": "rule", "states": "", "citations": [], "source": ""},
    {"kind": "case", "id": "o.rule.c/1", "clause": "o.rule.c", "operation": "o", "call": {}, "dtypes": {},
     "expectation": {"raises": True}, "digest": "", "source": ""},
    {"kind": "target", "id": "t@cpu", "framework": "t", "version": None, "device": "cpu", "mode": "eager"},
    {"kind": "mapping", "target": "t@cpu", "api": "t.o", "operation": "o", "composed": False, "source": ""},
    {"kind": "result", "case": "o.rule.c/1", "target": "t@cpu", "api": "t.o", "clause": "o.rule.c",
     "verdict": "diverges", "divergence": ["value"], "standing": "own", "outcome": {"status": "returned", "dtype": "int8", "shape": [1],
     "digest": "", "values": [1.5]}, "differences": {"count": 1, "total": 1, "first": [{"index": [0], "expected": 1,
     "got": 2}]}, "seconds": 0.5},
    {"kind": "end", "complete": True, "counts": {"diverges": 1}, "pattern_counts": [{"target": "t@cpu", "entry": "e",
     "source": "", "recorded": "", "pattern": "", "generated": False, "calls": 1, "seen": 1, "as_recorded": 0,
     "changed": 1, "first": {"case": "o.rule.c/1", "api": "t.o", "found": "value"}}]},
]  # fmt: skip
"""A file with a record of each kind that others refer to."""


def _written(folder: Path, records: Sequence[dict[str, Any]]) -> Path:
    (folder / FILE_NAME).write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def _changed(line: int, path: str, value: Any) -> list[dict[str, Any]]:
    """The whole file with another value in a field."""
    records = copy.deepcopy(WHOLE)
    inside: Any = records[line - 1]
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for name in parents:
        inside = inside[name]
    inside[last] = value
    return records


def test_the_file_that_the_next_tests_change_is_valid(tmp_path: Path) -> None:
    assert read_results(_written(tmp_path, WHOLE)).complete


def test_what_a_call_wrote_outside_a_view_is_read_where_an_older_file_has_it(tmp_path: Path) -> None:
    older = _changed(6, "outcome.spilled", ["indices"])
    [result] = read_results(_written(tmp_path, older)).results
    assert isinstance(result.outcome, Returned)
    assert result.outcome.outside == (Outside("indices", "wrote"),)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        (4, "framework", ["t"]),
        (6, "clause", 7),
        (6, "target", None),
        (6, "verdict", "fine"),
        (6, "seconds", "0.5"),
        (6, "outcome.shape", [1.5]),
        (6, "outcome.status", "vanished"),
        (6, "differences.first", [{"index": ["__import__('os')"], "expected": 1, "got": 2}]),
        (6, "differences.first.0.expected", {"a": 1}),
        (6, "differences.first.0", {"expected": 1, "got": 2}),
        (3, "call", {"indices": True}),
        (3, "expectation", {"raises": 5}),
        (5, "composed", "no"),
        (7, "pattern_counts.0.first", {"case": "o.rule.c/1"}),
        (7, "pattern_counts.0.calls", None),
    ],
)
def test_a_field_of_the_wrong_type_is_an_error_with_line_and_field(
    tmp_path: Path, line: int, field: str, value: Any
) -> None:
    with pytest.raises(ResultsError, match=rf"results\.jsonl:{line}: .*{field.partition('.0')[0].split('.')[-1]}"):
        read_results(_written(tmp_path, _changed(line, field, value)))


@pytest.mark.parametrize(("line", "field"), [(3, "clause"), (5, "target"), (6, "target"), (6, "case"), (6, "clause")])
def test_a_reference_to_no_record_is_an_error_with_line_and_field(tmp_path: Path, line: int, field: str) -> None:
    with pytest.raises(ResultsError, match=rf"results\.jsonl:{line}: .*\.{field}: no {field} 'none' above"):
        read_results(_written(tmp_path, _changed(line, field, "none")))


def test_a_divergence_of_no_kind_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"results\.jsonl:6: .*result\.divergence: empty, but"):
        read_results(_written(tmp_path, _changed(6, "divergence", [])))


@pytest.mark.parametrize("shard", ["0/0", "3/2", "2/99999999999999999999", "half"])
def test_a_shard_that_cannot_be_is_an_error_with_line_and_field(tmp_path: Path, shard: str) -> None:
    written = _written(tmp_path, _changed(1, "shard", shard))
    for read in (read_results, lambda folder: read_run(folder / FILE_NAME)):
        with pytest.raises(ResultsError, match=rf"results\.jsonl:1: .*run\.shard: invalid shard '{shard}'"):
            read(written)


def test_a_file_that_lacks_results_which_its_end_record_counts_is_not_complete(tmp_path: Path) -> None:
    results = read_results(_written(tmp_path, [*WHOLE[:5], WHOLE[6]]))
    assert not results.complete
    assert results.end is not None
    assert results.end.reason == "the file has 0 results, its end record counts 1"


def test_a_file_whose_results_have_other_verdicts_than_its_end_record_counts_is_not_complete(tmp_path: Path) -> None:
    results = read_results(_written(tmp_path, _changed(7, "counts", {"conforms": 1})))
    assert results.end is not None
    assert (results.complete, results.end.reason) == (False, "the file has 1 diverges, its end record counts 0")


@pytest.mark.parametrize("counted", [1, 2])
def test_a_file_with_a_result_twice_is_an_error_that_names_it_whatever_its_end_record_counts(
    tmp_path: Path, counted: int
) -> None:
    end = _changed(7, "counts", {"diverges": counted})[6]
    second = r"results\.jsonl:7: .*a second result of case 'o\.rule\.c/1', target 't@cpu' and API 't\.o'"
    with pytest.raises(ResultsError, match=second):
        read_results(_written(tmp_path, [*WHOLE[:6], WHOLE[5], end]))


@pytest.mark.parametrize("name", FILE_NAMES)
def test_a_line_that_would_fill_the_memory_is_an_error(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_file, "LONGEST_LINE", 10_000)
    path = _written(tmp_path, WHOLE) / FILE_NAME
    text = path.read_bytes() + b"a" * 1_000_000
    path.unlink()
    (tmp_path / name).write_bytes(COMPRESS.get(Path(name).suffix, bytes)(text))
    with pytest.raises(ResultsError, match=rf"{name}:8: the line is too long; at most 10,000 bytes are allowed$"):
        read_results(tmp_path)


def test_a_folder_with_a_file_compressed_by_xz_is_read_and_one_that_was_cut_off_is_incomplete(tmp_path: Path) -> None:
    plain = _written(tmp_path, WHOLE) / FILE_NAME
    expected = read_results(plain)
    compressed = lzma.compress(plain.read_bytes())
    plain.unlink()
    (tmp_path / f"{FILE_NAME}.xz").write_bytes(compressed)
    assert read_results(tmp_path) == expected
    (tmp_path / f"{FILE_NAME}.xz").write_bytes(compressed[: len(compressed) * 3 // 4])
    assert not read_results(tmp_path).complete


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 400 + ".0"])
@pytest.mark.parametrize("replaced", ["0.5", "1.5"])
def test_a_number_that_is_not_finite_is_an_error(tmp_path: Path, number: str, replaced: str) -> None:
    path = _written(tmp_path, WHOLE) / FILE_NAME
    path.write_text(path.read_text().replace(replaced, number))
    with pytest.raises(ResultsError, match=r"results\.jsonl:6: .* is not a finite number"):
        read_results(tmp_path)


def test_a_message_may_name_numbers_that_are_not_finite(tmp_path: Path) -> None:
    records = _changed(6, "explanation", "NaN and -Infinity and 1e999")
    assert read_results(_written(tmp_path, records)).results[0].explanation == "NaN and -Infinity and 1e999"


@pytest.mark.parametrize("nested", ["[" * 500 + "]" * 500, "[" * 100_000])
def test_a_line_that_is_nested_too_deeply_is_an_error(tmp_path: Path, nested: str) -> None:
    path = _written(tmp_path, WHOLE) / FILE_NAME
    path.write_text(path.read_text().replace("1.5", nested))
    with pytest.raises(ResultsError, match=r"results\.jsonl:6: "):
        read_results(tmp_path)
