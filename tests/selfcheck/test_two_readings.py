"""A sentence that is read in two ways is found in planted documents, and one that is read in one way or with a reason is not."""

from __future__ import annotations

import pytest

from conformance.selfcheck import two_readings
from conformance.specification.model import Catalogue


def test_each_planted_document_is_judged_as_it_should_be() -> None:
    detections = list(two_readings.detections())
    assert [(detection.expected, detection.caught) for detection in detections] == [
        ("two readings of a sentence", True),
        ("no problem", True),
        ("two readings of a sentence", True),
        ("no problem", True),
    ]


def test_a_check_that_finds_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: Catalogue) -> list[str]:
        return []

    monkeypatch.setattr(two_readings, "check_readings", nothing)
    assert [detection.caught for detection in two_readings.detections()] == [False, True, False, True]
