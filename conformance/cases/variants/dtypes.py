"""Cases with the data of a written call in every dtype, or its indices in every integer dtype.

They belong to the clause of the original call. What returns is judged; a refusal is only if the API promises the dtype.
A call whose result a function that does nothing could return is left out; as bool, other data are tried before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from conformance.cases.data_in_dtype import as_other_bools, data_of, in_dtype
from conformance.cases.expectations import Returns, ToDigits
from conformance.cases.model import Case
from conformance.cases.reference import NoReference, Reference, ReferenceFailed
from conformance.cases.vacuous import vacuous
from conformance.cases.variation import AsView, Drawn, DrawnProgram, DtypeTest, InDtype, InProgram, Transformed
from conformance.cases.written import ORIGINAL, plain_case, representative_calls
from conformance.specification.applied import Applied
from conformance.specification.dtypes import INTEGERS, OF_ANY_CALL
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Operation, Printed, WrittenCall
from conformance.specification.problems import Problem


def dtype_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """``<case>.float16`` and ``<case>.index-int8``: representative calls in every dtype that represents their numbers."""
    for clause, written_call, call in representative_calls(operation):
        original = plain_case(call, clause, written_call, ORIGINAL)
        yield from _of_written_call(original, written_call, reference)


@dataclass
class CasesInDtypes:
    """The derived cases of an operation in each dtype, of data or of indices."""

    _cases: dict[frozenset[tuple[bool, str]], list[Case]] = field(default_factory=dict)

    def knowing_others(self, case: Case) -> Case:
        """The case with all derived cases in the dtypes that it tests, later ones and itself among them."""
        variation = case.variation
        if (
            isinstance(variation, _WITHOUT_DTYPES)
            or variation.dtype_test is None
            or variation.dtype_test.original is None
        ):
            return case
        arguments = case.operation.arguments
        dtypes = frozenset((arguments[name].index, dtype) for name, dtype in case.dtypes_tested.items())
        alike = self._cases.setdefault(dtypes, [])
        case = replace(case, variation=replace(variation, dtype_test=replace(variation.dtype_test, alike=alike)))
        if variation.base is not None:
            alike.append(case)
        return case


_WITHOUT_DTYPES = Drawn | AsView | InProgram | DrawnProgram | Transformed


def _of_written_call(original: Case, written_call: WrittenCall, reference: Reference) -> Iterator[Case | Problem]:
    """The cases of a call."""
    for name, changes in _variants(original.call):
        try:
            made = (_case(original, written_call, name, changed, reference) for changed in changes)
            case = next((case for case in made if case is not None), None)
        except NoReference:
            return
        except ReferenceFailed as error:
            # The reference may reject what a rule on dtypes rejects.
            if original.call.with_arguments(changes[0]).broken_rules:
                continue
            yield Problem(written_call.location, f"{original.id}.{name}: {error}", original.clause.id, original.id)
            return  # the other dtypes would fail in the same way
        if case is not None:
            yield case


def _variants(call: Applied) -> Iterator[tuple[str, list[dict[str, Argument]]]]:
    """What each variant changes; the first change whose call can be judged is made."""
    data = data_of(call)
    original = {value.dtype for value in data.tensors.values()}
    accumulates = call.accumulates
    for dtype in OF_ANY_CALL:
        changed = in_dtype(data, dtype, accumulates=accumulates) if original - {dtype} else None
        if changed is not None:
            yield dtype, [changed, *(as_other_bools(data) if dtype == "bool" else ())]
    indices = [name for name, spec in call.operation.arguments.items() if spec.index]
    for name in indices:
        value = call.arguments.get(name)
        if isinstance(value, Tensor) and value.kind == "integer":
            for dtype, cast in _indices(value):
                yield f"index-{dtype}" + (f"-of-{name}" if len(indices) > 1 else ""), [{name: cast}]


def _indices(value: Tensor) -> Iterator[tuple[str, Tensor]]:
    for dtype in INTEGERS:
        cast = value.cast(dtype)
        if dtype != value.dtype and (cast.array == value.array).all():
            yield dtype, cast


def _is_exact(call: Applied, result: Tensor, reference: Reference) -> bool:
    """Whether the accumulated result is exact in its dtype; always true for bool."""
    if result.dtype == "bool":
        return True
    wide = "complex128" if result.kind == "complex" else "float64"
    data = data_of(call).tensors
    wide_call = call.with_arguments({name: value.cast(wide) for name, value in data.items()})
    try:
        exact = reference(wide_call)
    except ReferenceFailed:
        if wide_call.broken_rules:
            return False  # unknown
        raise
    return np.array_equal(exact.array, result.array.astype(wide))


def _case(
    original: Case, written_call: WrittenCall, name: str, changed: dict[str, Argument], reference: Reference
) -> Case | None:
    call = original.call.with_arguments(changed)
    accumulates = call.accumulates
    result = reference(call)
    about_indices = any(call.operation.arguments[argument].index for argument in changed)
    if accumulates and not about_indices and not _is_exact(call, result, reference):
        return None
    expected = Returns(result, accumulates)
    if vacuous(call, expected) is not None:
        return None
    printed = written_call.expected
    if about_indices and isinstance(printed, Printed) and printed.digits is not None:
        expected = replace(expected, tolerance=ToDigits(printed.digits))
    tensors = {argument: value for argument, value in changed.items() if isinstance(value, Tensor)}
    [dtype] = {value.dtype for value in tensors.values()}
    variation = InDtype(original.id, DtypeTest((*tensors,), original), dtype, about_indices)
    return Case(f"{original.id}.{name}", call, original.clause, expected, original.entry, variation)
