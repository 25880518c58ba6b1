"""The glossary, and how a line of it becomes a sentence."""

from __future__ import annotations

import pytest

from conformance.reports.glossary import sentence


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("an error was expected", "An error was expected"),
        ("out-of-bounds indices raise", "Out-of-bounds indices raise"),
        ("int32 (8,) was expected", "int32 (8,) was expected"),
        ("torch.func.jvp returns zeros", "torch.func.jvp returns zeros"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_letter_unless_that_would_change_a_name(line: str, expected: str) -> None:
    assert sentence(line) == expected
