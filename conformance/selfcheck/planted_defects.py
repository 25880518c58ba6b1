"""Plants defects in the reference, and checks whether the suite's cases catch them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.selfcheck.catalogue import DEFECTS
from conformance.selfcheck.defect import Defect
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.in_process import REFERENCE, JudgedCase, cpu_cases, results


def planted(defect: Defect) -> str:
    """The reference's source with the defect in it; ValueError if it does not contain the text that the defect replaces."""
    text = REFERENCE.read_text(encoding="utf-8")
    start, end = 0, len(text)
    if defect.function:
        match = re.search(rf"^def {defect.function}\(.*?(?=^(?:def|@)|\Z)", text, re.DOTALL | re.MULTILINE)
        if match is None:
            raise ValueError(f"the reference has no function {defect.function}")
        start, end = match.span()
    if defect.old not in text[start:end]:
        raise ValueError(f"{defect.old!r} is not in the reference; the defect {defect.name!r} replaces it")
    return text[:start] + text[start:end].replace(defect.old, defect.new) + text[end:]


def detections() -> Iterator[Detection]:
    """Every defect of the catalogue, planted and run in this process, one at a time."""
    with tempfile.TemporaryDirectory() as folder:
        for number, defect in enumerate(DEFECTS):
            path = Path(folder) / f"defect_{number}.py"
            path.write_text(planted(defect), encoding="utf-8")
            yield _detection(defect, path)


def missed(defect: Defect, path: Path) -> list[str]:
    """The operations for which no case catches the defect in an adapter's file."""
    return [operation for operation in defect.operations if not _is_caught(defect, operation, path)]


def _detection(defect: Defect, path: Path) -> Detection:
    expected: str = defect.caught or "observed"
    if defect.behaviour is not None:
        expected += f" ({defect.behaviour})"
    operations = missed(defect, path)
    name = f"{defect.name}, in {', '.join(defect.operations)}"
    actual = f"not detected in {', '.join(operations)}" if operations else expected
    return Detection(name, expected, not operations, actual)


def _is_caught(defect: Defect, operation: str, path: Path) -> bool:
    cases = [case for case in cpu_cases() if case.operation.name == operation and defect.cases in case.id]
    judged = results(path, cases, error_types=defect.caught == "error-type")
    return any(_is_reported(defect, result) for result in judged)


def _is_reported(defect: Defect, result: JudgedCase) -> bool:
    judgement = result.judgement
    return defect.caught in judgement.divergences and defect.behaviour in (None, judgement.behaviour)
