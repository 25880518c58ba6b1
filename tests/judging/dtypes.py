"""Cases that test dtypes."""

from __future__ import annotations

from dataclasses import replace

from conformance.cases.model import Case
from conformance.cases.variation import DtypeTest, InDtype, Written


def about_dtypes_of(case: Case, *arguments: str) -> Case:
    """The case, written or in another dtype, as one that tests the dtypes of these arguments."""
    assert isinstance(case.variation, Written | InDtype)
    test = replace(case.dtype_test or DtypeTest(()), arguments=arguments)
    return replace(case, variation=replace(case.variation, dtype_test=test))
