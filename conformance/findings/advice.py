"""What to do before a call of a port, where one condition decides that the two APIs do not do the same."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.findings.agreement import takes
from conformance.findings.conditions import EMPTINESS, INDEX_DTYPES, INDEX_RANGE
from conformance.findings.evidence import RAISED, Evidence, Implementation

CHECK_BOUNDS = "check bounds first"
_BY_CONDITION: Mapping[str, str] = {
    "an index equal to the length": CHECK_BOUNDS,
    "an index greater than the length": CHECK_BOUNDS,
    "a negative index out of bounds": CHECK_BOUNDS,
    "a negative index in range": "add the length to negative indices first",
    "duplicate indices": "remove duplicate indices first, or combine their elements",
    "negative dim": "count the axis from the front",
    "negative axis": "count the axis from the front",
    "data in several dtypes": "cast the data to one dtype first",
    "an index shorter than the input along the other axes": "cut the input to the lengths of the index first",
    "a source longer than the index": "cut the source to the shape of the index first",
}
_TAKEN = ("int64", "int32")
"""Dtypes that indices are cast to, the first one that both take."""


def advice(evidence: Evidence, condition: str, cases: int, first: Implementation, second: Implementation) -> str | None:
    """What to do about an unsafe condition, which these cases show; None if the condition alone does not tell."""
    question, text = evidence.questions[condition], condition.rpartition(": ")[2]
    if not cases & ~evidence.cases_by_letter[first].get(RAISED, 0):  # what ran before meets it only as an error
        return CHECK_BOUNDS if question == INDEX_RANGE else None
    if text in _BY_CONDITION:
        return _BY_CONDITION[text]
    if question == EMPTINESS:
        return "handle the empty call separately"
    if condition.startswith("a view: "):
        return "copy the view into a new tensor first"
    is_refused = not cases & ~evidence.cases_by_letter[second].get(RAISED, 0)
    if is_refused and question == INDEX_DTYPES and "cast for" not in condition:
        taken = next((dtype for dtype in _TAKEN if _is_taken(evidence, condition, dtype, first, second)), None)
        return f"cast the index to {taken}" if taken else None
    if is_refused and text.startswith("data in "):
        return "cast the data to a dtype that both take"
    return None


def _is_taken(evidence: Evidence, condition: str, dtype: str, first: Implementation, second: Implementation) -> bool:
    """Whether both take calls with indices of another dtype, and return the same in them."""
    name = f"{condition.rpartition('indices in ')[0]}indices in {dtype}"
    same = takes(evidence, first, second).same
    return name in evidence.questions and bool(evidence.having_for(first, second)[name] & same)
