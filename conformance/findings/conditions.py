"""The conditions of a call, such as duplicate indices, under which implementations may agree or disagree.

They are those of what the call receives. If an operation has several index arguments, each has conditions of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from ml_dtypes import finfo

from conformance.findings.recorded_call import Points, RecordedCall, recorded_call
from conformance.results.records import CaseRecord, ClauseRecord
from conformance.results.variations import TransformedRecord, is_meant_to_break
from conformance.specification.indices.geometry import IndexGeometry
from conformance.specification.literals import Tensor

INDEX_RANGE, INDEX_DTYPES, EMPTINESS, FORMS = "index range", "index dtypes", "emptiness", "forms of arguments"
RULES, CLAUSES = "rules", "clauses"

Conditions = Callable[[RecordedCall], Iterator[str]]
Forms = Mapping[str, str]
"""Argument to its usual form in the calls of an operation: a tensor, a list, a shape, a number or a string."""


_TRANSFORMED = {
    "derivative": "a derivative",
    "batch": "a batch",
    "nested": "a derivative of a batch",
    "second": "a second derivative",
}
"""By kind of variation, the condition of a transform."""


def conditions_of(
    case: CaseRecord, clause: ClauseRecord | None, usual: Forms, points: Points | None = None
) -> dict[str, str]:
    """The conditions of a case, each with its question. The last is the clause, for what no other condition describes.

    points: the index arguments of its operation; None for those that the case names.
    """
    return {**conditions_of_call(case, usual, points), **conditions_beside(case, clause)}


def conditions_of_call(case: CaseRecord, usual: Forms, points: Points | None = None) -> dict[str, str]:
    """Those of its conditions that every case has whose call is like it."""
    call = recorded_call(case, points)
    conditions: dict[str, str] = {}
    if call is not None:
        conditions = {name: question for question, conditions_in in VOCABULARY.items() for name in conditions_in(call)}
    return {**conditions, **dict.fromkeys(_unusual(case, usual), FORMS)}


def conditions_beside(case: CaseRecord, clause: ClauseRecord | None) -> dict[str, str]:
    """Those of its conditions that follow from what is around the call, or expected of it."""
    conditions: dict[str, str] = {}
    if case.program is not None:
        conditions["a program around the call"] = FORMS
    if isinstance(case.variation, TransformedRecord):
        conditions[_TRANSFORMED[case.variation.kind]] = FORMS
    if (
        clause is not None
        and clause.family == "rule"
        and ("raises" in case.expectation or is_meant_to_break(case.variation))
    ):
        conditions[f"breaks rule {clause.name}"] = RULES
    return {**conditions, f"other calls of {case.clause}": CLAUSES}


def points_of(cases: Iterable[CaseRecord]) -> Points:
    """The index arguments of an operation, as its cases name them."""
    return {name: declared for case in cases for name, declared in case.points.items()}


def usual_forms(calls: Iterable[tuple[CaseRecord, int]]) -> Forms:
    """The most common form of each argument in the calls of an operation, of each kind one with the number of those like it."""
    counts: dict[str, Counter[str]] = {}
    for case, number in calls:
        for name, value in case.call.items():
            counts.setdefault(name, Counter()).update({_form(value): number} if value is not None else {})
    return {name: count.most_common(1)[0][0] for name, count in counts.items() if count}


def _form(value: Any) -> str:
    if isinstance(value, dict):
        return "a list" if "list" in value else "a bool" if "scalar" in value else "a tensor"
    if isinstance(value, list):
        return "a shape"
    return "a string" if isinstance(value, str) else "a number"


def _unusual(case: CaseRecord, usual: Forms) -> Iterator[str]:
    for name, form in usual.items():
        value = case.call.get(name)
        if value is None:
            yield f"no {name}"
        elif _form(value) != form:
            yield f"{name} as {_form(value)}"


def _index_range(call: RecordedCall) -> Iterator[str]:
    for name, geometry in call.geometries.items():
        vectors, bounds = geometry.vectors, np.array(geometry.bounds)
        masks = {
            "a negative index in range": (vectors < 0) & (vectors >= -bounds),
            "a negative index out of bounds": vectors < -bounds,
            "an index equal to the length": vectors == bounds,
            "an index greater than the length": vectors > bounds,
        }
        unusual = [condition for condition, mask in masks.items() if mask.any()]
        for condition in unusual or ["every index in range"] if vectors.size else ():
            yield of_index(call.points, name, condition)


def of_index(points: Points, name: str, condition: str) -> str:
    """The condition of an index argument, with its name if the operation has several."""
    return f"index {name}: {condition}" if len(points) > 1 else condition


def _duplicates(call: RecordedCall) -> Iterator[str]:
    """Whether two index vectors, or two indices along the same line, are equal, and whether the result shows the winner.

    Indices in one key select together.
    """
    geometry = next(iter(call.geometries.values()), None)
    if geometry is None or not geometry.vectors.size:
        return
    if not geometry.has_duplicates:
        yield "no duplicates"
    else:
        yield "duplicate indices" if _moves_different_elements(call) else "duplicate indices with equal elements"


def _moves_different_elements(call: RecordedCall) -> bool:
    """Whether elements are read, or not all elements to write are equal."""
    if call.moved is None or call.moved not in call.tensors:
        return True
    elements = call.tensors[call.moved].array.reshape(-1)
    return bool((elements != elements[:1]).any())


def _emptiness(call: RecordedCall) -> Iterator[str]:
    for name, geometry in call.geometries.items():
        if 0 in geometry.batch:
            yield of_index(call.points, name, "no indices")
        if geometry.vectors.shape[-1] == 0:
            yield of_index(call.points, name, "index vectors of length 0")
    shapes = [tensor.shape for name, tensor in call.tensors.items() if name not in call.geometries]
    shapes += [tuple(value) for value in call.case.call.values() if isinstance(value, list)]
    if any(0 in shape for shape in shapes):
        yield "an axis of length zero"
    if any(length < 0 for shape in shapes for length in shape):
        yield "a negative length"


def _values(call: RecordedCall) -> Iterator[str]:
    floats = [tensor.array for tensor in call.tensors.values() if tensor.kind == "float"]
    arrays = [array.astype(float) for array in floats]
    if any(not np.isfinite(array).all() for array in arrays):
        yield "non-finite values"
    if any((np.signbit(array) & (array == 0)).any() for array in arrays):
        yield "negative zero"
    if any(map(has_subnormal, floats)):
        yield "subnormal values"


def has_subnormal(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array of floats has an element between zero and the smallest normal number of its dtype."""
    normal = float(finfo(array.dtype).smallest_normal)  # type: ignore[no-untyped-call]
    exact = array.astype(float)
    return bool(((exact != 0) & (np.abs(exact) < normal)).any())


def _arguments(call: RecordedCall) -> Iterator[str]:
    for name, value in call.case.call.items():
        if isinstance(value, str):
            yield f"{name} {value}"
        elif isinstance(value, int) and value < 0:
            yield f"negative {name}"


def _views(call: RecordedCall) -> Iterator[str]:
    views = {tensor.view for tensor in call.tensors.values() if tensor.view}
    yield from sorted(f"a view: {view}" for view in views)
    if not views:
        yield "no views"


def _data_dtypes(call: RecordedCall) -> Iterator[str]:
    data = {tensor.dtype for name, tensor in call.tensors.items() if call.indices and name not in call.indices}
    if data:
        yield f"data in {data.pop()}" if len(data) == 1 else "data in several dtypes"


def _index_dtypes(call: RecordedCall) -> Iterator[str]:
    for name in call.indices:
        yield index_dtype_condition(call.points, name, call.tensors[name].dtype)


def index_dtype_condition(points: Points, name: str, dtype: str) -> str:
    """The condition that the indices of an argument have this dtype."""
    return of_index(points, name, f"indices in {dtype}")


def cast_condition(condition: str) -> str:
    """The condition that indices of a dtype were cast for some implementations and not for others."""
    return f"{condition}, cast for some of them"


def _ranks(call: RecordedCall) -> Iterator[str]:
    for name, geometry in call.geometries.items():
        yield f"a target of rank {len(geometry.shape)}"
        lengths = _lengths(call, geometry) if geometry.indexing.is_aligned else ()
        for condition in (*geometry.words, *lengths):
            yield of_index(call.points, name, condition)


def _lengths(call: RecordedCall, geometry: IndexGeometry) -> Iterator[str]:
    relation = "shorter than" if is_shorter(geometry) else "as long as"
    yield f"an index {relation} the input along the other axes"
    source: Tensor | None = call.tensors.get(call.moved or "")
    if source is not None:
        yield "a source as long as the index" if source.shape == geometry.taken else "a source longer than the index"


def is_shorter(geometry: IndexGeometry) -> bool:
    """Whether an index, each element of which has a position of its own, has fewer of them than the target along another axis.

    Some APIs select from the part of the target that the index covers, others broadcast, and others refuse the call.
    """
    if not geometry.indexing.is_aligned:
        return False
    lengths = enumerate(zip(geometry.index.shape, geometry.shape, strict=True))
    return any(index < target for axis, (index, target) in lengths if axis not in geometry.axes)


def _fit(call: RecordedCall) -> Iterator[str]:
    if not call.fits:
        yield "incompatible arguments"


VOCABULARY: Mapping[str, Conditions] = {
    INDEX_RANGE: _index_range,
    "duplicates": _duplicates,
    "data dtypes": _data_dtypes,
    INDEX_DTYPES: _index_dtypes,
    "ranks and lengths": _ranks,
    EMPTINESS: _emptiness,
    "values": _values,
    "views": _views,
    "arguments": _arguments,
    "fit": _fit,
}
"""Question to the conditions that answer it for a call."""
QUESTIONS = (*VOCABULARY, FORMS, RULES, CLAUSES)
