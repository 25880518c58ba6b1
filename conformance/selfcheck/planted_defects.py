"""Plants defects in the reference, and checks whether the suite's cases catch them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.cases.model import Case
from conformance.selfcheck.catalogue import DEFECTS
from conformance.selfcheck.defect import Defect
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.fast_paths import PATHS
from conformance.selfcheck.in_process import REFERENCE, JudgedCase, cpu_cases, results


def planted(defect: Defect) -> str:
    """The reference's source with the defect in it; ValueError if it does not contain the text that the defect replaces."""
    return _replaced(REFERENCE.read_text(encoding="utf-8"), defect.old, defect.new, defect.function, defect.name)


def with_right_paths() -> str:
    """The reference's source with all fast paths of the catalogue, without their defects."""
    text = REFERENCE.read_text(encoding="utf-8")
    for path in PATHS:
        old, new = path.right()
        # A path that was planted before has made another return of it.
        old = old if old in _function(text, path.operation) else "    return result\n"
        text = _replaced(text, old, new, path.operation, path.when)
    return text


def _function(text: str, name: str) -> str:
    match = re.search(rf"^def {name}\(.*?(?=^(?:def|@)|\Z)", text, re.DOTALL | re.MULTILINE)
    if match is None:
        raise ValueError(f"the reference has no function {name}")
    return match[0]


def _replaced(text: str, old: str, new: str, function: str, name: str) -> str:
    part = _function(text, function) if function else text
    if old not in part:
        raise ValueError(f"{old!r} is not in the reference; the defect {name!r} replaces it")
    return text.replace(part, part.replace(old, new))


def detections() -> Iterator[Detection]:
    """Every defect of the catalogue, planted and run in this process, one at a time."""
    with tempfile.TemporaryDirectory() as folder:
        for number, defect in enumerate(DEFECTS):
            path = Path(folder) / f"defect_{number}.py"
            path.write_text(planted(defect), encoding="utf-8")
            yield _detection(defect, path)
        path = Path(folder) / "right_paths.py"
        path.write_text(with_right_paths(), encoding="utf-8")
        yield _blame(path)


def missed(defect: Defect, path: Path) -> list[str]:
    """The operations for which no case catches the defect in an adapter's file."""
    error_types = defect.caught == "error-type"
    return [
        operation
        for operation in defect.operations
        if not is_caught(defect, results(path, cases_for(defect, operation), error_types=error_types))
    ]


def _detection(defect: Defect, path: Path) -> Detection:
    expected: str = defect.caught or "observed"
    if defect.behaviour is not None:
        expected += f" ({defect.behaviour})"
    operations = missed(defect, path)
    name = f"{defect.name}, in {', '.join(defect.operations)}"
    actual = f"not detected in {', '.join(operations)}" if operations else expected
    return Detection(name, expected, not operations, actual)


def _blame(path: Path) -> Detection:
    """Whether an adapter that takes all fast paths rightly is reported."""
    wrong = [result for result in results(path, cpu_cases()) if result.is_blamed]
    name = f"takes {len(PATHS)} fast paths, all of them right"
    found = f"{wrong[0].judgement.verdict} in {wrong[0].case.id}" if wrong else "no divergence"
    return Detection(name, "no divergence", not wrong, found)


def cases_for(defect: Defect, operation: str) -> list[Case]:
    """The cases of an operation, one of which must catch the defect."""
    return [case for case in cpu_cases() if case.operation.name == operation and defect.cases in case.id]


def is_caught(defect: Defect, judged: Iterable[JudgedCase]) -> bool:
    """Whether one of the judgements reports the defect."""
    return any(_is_reported(defect, result) for result in judged)


def _is_reported(defect: Defect, result: JudgedCase) -> bool:
    judgement = result.judgement
    return defect.caught in judgement.divergences and defect.behaviour in (None, judgement.behaviour)
