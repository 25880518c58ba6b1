"""Results files as they are read back."""

from __future__ import annotations

from pathlib import Path

from conformance.results.file import FILE_NAME, ResultsWriter, read_results
from conformance.results.records import ClaimRecord, RunRecord


def test_a_last_line_that_was_torn_within_a_character_is_left_out(tmp_path: Path) -> None:
    claim = ClaimRecord("a-document", "A document", "note", "Says é", official=True)
    with ResultsWriter(tmp_path / FILE_NAME) as writer:
        writer.write(RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0"))
        writer.write(claim)
        writer.write(claim)
    whole = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / FILE_NAME).write_bytes(whole[: whole.rindex("é".encode()) + 1])
    results = read_results(tmp_path)
    assert results.claims == [claim]
    assert not results.complete
