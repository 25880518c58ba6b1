"""What an adapter does not give back as it was is no divergence of the framework, and is all that is left out."""

from __future__ import annotations

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.specification.literals import Tensor
from tests.planted.defect import ALONG
from tests.planted.faults import ADAPTERS
from tests.planted.in_process import JudgedCase, cases_of, load, results


def judged(adapter: str) -> list[JudgedCase]:
    """The judgements of an adapter of ``gather_elements``."""
    return list(results(load(ADAPTERS / f"{adapter}.py"), cases_of(ALONG)))


def may_have_scalar(case: Case) -> bool:
    """Whether a tensor of a case's call has rank 0, or its result has one element, which may have been a scalar."""
    result = case.expectation.value if isinstance(case.expectation, Returns) else None
    tensors = [value for value in case.call.arguments.values() if isinstance(value, Tensor)]
    return any(not tensor.array.ndim for tensor in tensors) or (result is not None and result.array.size == 1)


def wrong(result: JudgedCase) -> bool:
    return result.judgement.verdict not in ("conforms", "observed", "unsupported")


def unsupported(results: list[JudgedCase]) -> set[str]:
    return {result.case.id for result in results if result.judgement.verdict == "unsupported"}


def test_calls_with_scalars_are_not_tested_by_an_adapter_that_makes_vectors_of_them() -> None:
    rank_one = judged("rank_one")
    assert [result.case.id for result in rank_one if wrong(result)] == []
    with_scalar = {result.case.id for result in rank_one if may_have_scalar(result.case)}
    assert with_scalar
    assert unsupported(rank_one) == with_scalar


def test_a_correct_adapter_with_other_strides_is_without_omission() -> None:
    in_fortran_order = judged("fortran_order")
    assert in_fortran_order
    assert [result.case.id for result in in_fortran_order if wrong(result)] == []
    assert unsupported(in_fortran_order) == set()
