"""The suite's cases find each defect of the catalogue, and say what it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.defects.catalogue import DEFECTS
from tests.defects.defect import Defect
from tests.defects.harness import REFERENCE, Result, all_cases, results


def planted(defect: Defect) -> str:
    """The reference's text with the defect in it."""
    text = REFERENCE.read_text()
    start, end = 0, len(text)
    if defect.function:
        found = re.search(rf"^def {defect.function}\(.*?(?=^(?:def|@)|\Z)", text, re.DOTALL | re.MULTILINE)
        assert found is not None, f"the reference has no function {defect.function}"
        start, end = found.span()
    assert defect.old in text[start:end], f"the reference does not say {defect.old!r}, which {defect.name!r} replaces"
    return text[:start] + text[start:end].replace(defect.old, defect.new) + text[end:]


def _shows(defect: Defect, result: Result) -> bool:
    judgement = result.judgement
    found = judgement.verdict == "observed" if defect.caught is None else defect.caught in judgement.divergences
    return found and defect.behaviour in (None, judgement.behaviour)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name.replace(" ", "-"))
def test_a_planted_defect_is_reported_as_what_it_is(defect: Defect, tmp_path: Path) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(planted(defect))
    for operation in defect.operations:
        cases = [case for case in all_cases() if case.operation.name == operation and defect.cases in case.id]
        assert cases
        assert any(_shows(defect, result) for result in results(path, cases)), f"no case of {operation} shows it"
