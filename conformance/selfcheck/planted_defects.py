"""The reference with one defect in it, and whether the suite's cases find it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.selfcheck.catalogue import DEFECTS
from conformance.selfcheck.defect import Defect
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.in_process import REFERENCE, JudgedCase, all_cases, results


def planted(defect: Defect) -> str:
    """The reference's text with the defect in it; ValueError where it does not say what the defect replaces."""
    text = REFERENCE.read_text(encoding="utf-8")
    start, end = 0, len(text)
    if defect.function:
        found = re.search(rf"^def {defect.function}\(.*?(?=^(?:def|@)|\Z)", text, re.DOTALL | re.MULTILINE)
        if found is None:
            raise ValueError(f"the reference has no function {defect.function}")
        start, end = found.span()
    if defect.old not in text[start:end]:
        raise ValueError(f"the reference does not say {defect.old!r}, which {defect.name!r} replaces")
    return text[:start] + text[start:end].replace(defect.old, defect.new) + text[end:]


def detections() -> Iterator[Detection]:
    """Every defect of the catalogue, planted one at a time and tried in this very process."""
    with tempfile.TemporaryDirectory() as folder:
        for number, defect in enumerate(DEFECTS):
            path = Path(folder) / f"defect_{number}.py"
            path.write_text(planted(defect), encoding="utf-8")
            yield _detection(defect, path)


def missed(defect: Defect, path: Path) -> list[str]:
    """The operations of which no case shows the defect of an adapter's file as what it is."""
    return [operation for operation in defect.operations if not _is_shown(defect, operation, path)]


def _detection(defect: Defect, path: Path) -> Detection:
    wanted: str = defect.caught or "observed"
    if defect.behaviour is not None:
        wanted += f" ({defect.behaviour})"
    unseen = missed(defect, path)
    name = f"{defect.name}, in {', '.join(defect.operations)}"
    return Detection(name, wanted, not unseen, f"not seen in {', '.join(unseen)}" if unseen else wanted)


def _is_shown(defect: Defect, operation: str, path: Path) -> bool:
    cases = [case for case in all_cases() if case.operation.name == operation and defect.cases in case.id]
    return any(_shows(defect, result) for result in results(path, cases))


def _shows(defect: Defect, result: JudgedCase) -> bool:
    judgement = result.judgement
    found = judgement.verdict == "observed" if defect.caught is None else defect.caught in judgement.divergences
    return found and defect.behaviour in (None, judgement.behaviour)
