"""Adapters that convert tensors in their own way: what does not come back as it was is not tested, and nothing else is left out."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.data_folders import PACKAGE
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.in_process import JudgedCase, cpu_cases, results
from conformance.specification.literals import Tensor

_ADAPTERS = PACKAGE / "selfcheck" / "adapters"
_OPERATION = "gather_elements"


def detections() -> Iterator[Detection]:
    """An adapter that makes vectors of scalars, then a correct one whose tensors have other strides than the arrays."""
    yield untested_scalars("rank_one")
    yield without_omission("fortran_order")


def untested_scalars(name: str) -> Detection:
    """Whether exactly the calls that may have a scalar are unsupported, and no call is reported as a divergence."""
    judged = _judged(name)
    expected = "unsupported where there may be a scalar, otherwise no divergence"
    wrong = [result for result in judged if (result.judgement.verdict == "unsupported") != may_have_scalar(result.case)]
    if not any(may_have_scalar(result.case) for result in judged):
        return Detection("makes rank 1 of rank 0", expected, caught=False, found="no call with a scalar")
    return _detection("makes rank 1 of rank 0", expected, [*wrong, *filter(_is_wrong, judged)])


def without_omission(name: str) -> Detection:
    """Whether no call of a correct adapter is reported as a divergence, or left out for its conversion."""
    judged = _judged(name)
    wrong = [result for result in judged if _is_wrong(result) or result.judgement.verdict == "unsupported"]
    return _detection("correct, in Fortran order", "no divergence", wrong)


def may_have_scalar(case: Case) -> bool:
    """Whether a tensor of a case's call has rank 0, or its result has one element, which may have been a scalar."""
    result = case.expectation.value if isinstance(case.expectation, Returns) else None
    return any(not tensor.array.ndim for tensor in _tensors(case)) or (result is not None and result.array.size == 1)


def _tensors(case: Case) -> list[Tensor]:
    return [value for value in case.call.arguments.values() if isinstance(value, Tensor)]


def _judged(name: str) -> list[JudgedCase]:
    return list(results(_ADAPTERS / f"{name}.py", [case for case in cpu_cases() if case.operation.name == _OPERATION]))


def _is_wrong(result: JudgedCase) -> bool:
    return result.judgement.verdict not in ("conforms", "observed", "unsupported")


def _detection(title: str, expected: str, wrong: list[JudgedCase]) -> Detection:
    found = f"{wrong[0].judgement.verdict} in {wrong[0].case.id}" if wrong else expected
    return Detection(title, expected, not wrong, found)
