"""Results files as they are read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.results.file import FILE_NAME, ResultsError, ResultsWriter, read_results, read_run
from conformance.results.records import ClaimRecord, RunRecord

RUN = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")


def test_a_lone_surrogate_becomes_a_question_mark(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path / FILE_NAME) as writer:
        writer.write(replace(RUN, command="half \ud800"))
    assert read_run(tmp_path / FILE_NAME).command == "half ?"


@pytest.mark.parametrize(("schema", "message"), [(2, "written by a newer version"), (0, "schema 0 is not supported")])
def test_a_file_with_another_schema_is_refused(tmp_path: Path, schema: int, message: str) -> None:
    with ResultsWriter(tmp_path / FILE_NAME) as writer:
        writer.write(replace(RUN, schema=schema))
        writer.write(RUN)
    with pytest.raises(ResultsError, match=message):
        read_results(tmp_path)


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
