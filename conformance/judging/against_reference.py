"""Compares the results that specs write with those of the reference, one of which is wrong if they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.cases.expectations import Returns, in_dtype
from conformance.cases.model import Case
from conformance.cases.reference import NoReference, Reference, ReferenceFailed
from conformance.cases.variation import Written
from conformance.judging.compare import compare
from conformance.specification.problems import Problem


def contradicted(cases: Iterable[Case], reference: Reference) -> Iterator[Problem]:
    """A problem for each written result that the reference contradicts; none for operations that it does not implement.

    A behaviour that only the APIs of its documents have is not the reference's.
    """
    for case in cases:
        expected = case.expectation
        is_written = isinstance(case.variation, Written) and case.device is None and not case.clause.only_documented
        if is_written and isinstance(expected, Returns) and expected.source in ("printed", "spec"):
            message = _contradiction(case, expected, reference)
            if message is not None:
                yield Problem(case.entry.location, f"{case.id}: {message}", case.clause.id, case.id)


def _contradiction(case: Case, expected: Returns, reference: Reference) -> str | None:
    remedy = "correct one of them"
    try:
        got = reference(case.call)
    except NoReference:
        return None
    except ReferenceFailed as error:
        return f"returns has a result, but {error}; {remedy}"
    if case.operation.result_dtype is None and isinstance(held := in_dtype(expected, got.dtype), Returns):
        expected = held
    value = expected.value
    if (got.dtype, got.shape) != (value.dtype, value.shape):
        form = f"{got.dtype} of shape {list(got.shape)}"
        return f"returns is {value.dtype} of shape {list(value.shape)}, but the reference returned {form}; {remedy}"
    found = compare(expected, got.array)
    if not found.count:
        return None
    index, due, is_ = found.first[0]
    extent = f"{found.count} of {found.total} elements differ"
    return f"returns has {due} at {list(index)}, but the reference gives {is_} there ({extent}); {remedy}"
