"""What is particular about a call, in words: the conditions under which implementations may agree or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from ml_dtypes import finfo

from conformance.findings.recorded_call import RecordedCall, recorded_call
from conformance.results.records import CaseRecord, ClauseRecord
from conformance.specification.indexing import IndexGeometry
from conformance.specification.literals import Tensor

INDICES_IN = "indices in "
CALLS_OF = "the calls of "
FORMS, RULES, CLAUSES = "forms of arguments", "rules", "clauses"

Ask = Callable[[RecordedCall], Iterator[str]]
Forms = Mapping[str, str]
"""Argument to what it usually is in the calls of an operation: a tensor, a shape, a number or a word."""


def conditions_of(case: CaseRecord, clause: ClauseRecord | None, usual: Forms) -> dict[str, str]:
    """The conditions of a case, each with the question that it answers; the last is its clause, for what no word says."""
    call = recorded_call(case)
    found = {condition: question for question, ask in VOCABULARY.items() for condition in (ask(call) if call else ())}
    found |= dict.fromkeys(_unusual(case, usual), FORMS)
    if clause is not None and clause.family == "rule" and ("raises" in case.expectation or case.breaks):
        found[f"a broken rule: {clause.name}"] = RULES
    return {**found, f"{CALLS_OF}{case.clause}": CLAUSES}


def usual_forms(cases: Iterable[CaseRecord]) -> Forms:
    """What each argument is in most of these calls that have it."""
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        for name, value in case.call.items():
            counts.setdefault(name, Counter()).update([_form(value)] if value is not None else [])
    return {name: count.most_common(1)[0][0] for name, count in counts.items() if count}


def _form(value: Any) -> str:
    if isinstance(value, dict):
        return "a list" if "list" in value else "a tensor"
    if isinstance(value, list):
        return "a shape"
    return "a word" if isinstance(value, str) else "a number"


def _unusual(case: CaseRecord, usual: Forms) -> Iterator[str]:
    for name, form in usual.items():
        value = case.call.get(name)
        if value is None:
            yield f"no {name}"
        elif _form(value) != form:
            yield f"{name} as {_form(value)}"


def _index_range(call: RecordedCall) -> Iterator[str]:
    geometry = call.geometry
    if geometry is None or not geometry.vectors.size:
        return
    vectors, bounds = geometry.vectors, np.array(geometry.bounds)
    tests = {
        "an index below zero, counted from the end": (vectors < 0) & (vectors >= -bounds),
        "an index below minus the length": vectors < -bounds,
        "an index at the length": vectors == bounds,
        "an index past the length": vectors > bounds,
    }
    outside = [name for name, where in tests.items() if where.any()]
    yield from outside or ["every index in range"]


def _duplicates(call: RecordedCall) -> Iterator[str]:
    """Whether two index vectors are the same, or two indices along the same line."""
    if call.geometry is not None and call.geometry.vectors.size:
        yield "an index twice" if call.geometry.has_duplicates else "no index twice"


def _emptiness(call: RecordedCall) -> Iterator[str]:
    if call.geometry is not None:
        if 0 in call.geometry.batch:
            yield "no index at all"
        if call.geometry.vectors.shape[-1] == 0:
            yield "index vectors without a component"
    shapes = [tensor.shape for name, tensor in call.tensors.items() if name != call.index]
    shapes += [tuple(value) for value in call.case.call.values() if isinstance(value, list)]
    if any(0 in shape for shape in shapes):
        yield "an axis of length zero"
    if any(length < 0 for shape in shapes for length in shape):
        yield "an axis of a length below zero"


def _values(call: RecordedCall) -> Iterator[str]:
    floats = [tensor.array for tensor in call.tensors.values() if tensor.kind == "float"]
    real = [(array.astype(float), _normal(array)) for array in floats]
    if any(not np.isfinite(array).all() for array, _ in real):
        yield "values that are not finite"
    if any((np.signbit(array) & (array == 0)).any() for array, _ in real):
        yield "minus zero among the values"
    if any(((array != 0) & (np.abs(array) < normal)).any() for array, normal in real):
        yield "values that are subnormal"


def _normal(array: np.ndarray[Any, Any]) -> float:
    """The smallest normal number of an array's dtype."""
    return float(finfo(array.dtype).smallest_normal)  # type: ignore[no-untyped-call]


def _arguments(call: RecordedCall) -> Iterator[str]:
    for name, value in call.case.call.items():
        if isinstance(value, str):
            yield f"{name} {value}"
        elif isinstance(value, int) and value < 0:
            yield f"{name} below zero"


def _views(call: RecordedCall) -> Iterator[str]:
    views = {tensor.view for tensor in call.tensors.values() if tensor.view}
    yield from sorted(f"a view: {view}" for view in views)
    if not views:
        yield "tensors of their own"


def _dtypes(call: RecordedCall) -> Iterator[str]:
    pointing = call.index or next(iter(call.case.points), None)
    if pointing is None or pointing not in call.tensors:
        return
    data = {tensor.dtype for name, tensor in call.tensors.items() if name in call.axes and name != pointing}
    if data:
        yield f"data in {data.pop()}" if len(data) == 1 else "data in several dtypes"
    yield f"{INDICES_IN}{call.tensors[pointing].dtype}"


def _ranks(call: RecordedCall) -> Iterator[str]:
    geometry = call.geometry
    if geometry is None:
        return
    rank = len(geometry.shape)
    yield f"a target of rank {rank}"
    if geometry.indexing.by_vectors:
        yield f"{len(geometry.batch)} batch {'axis' if len(geometry.batch) == 1 else 'axes'}"
        yield f"index vectors of {len(geometry.axes)}"
        yield "single elements" if len(geometry.axes) == rank else "slices"
    else:
        yield "along the last axis" if geometry.axes[0] == rank - 1 else "along another axis than the last"
        yield from _lengths(call, geometry)


def _lengths(call: RecordedCall, geometry: IndexGeometry) -> Iterator[str]:
    if not geometry.indexing.by_elements:
        return
    pairs = enumerate(zip(geometry.index.shape, geometry.shape, strict=True))
    shorter = any(mine < its for axis, (mine, its) in pairs if axis not in geometry.axes)
    yield "an index shorter off its axis" if shorter else "an index as long off its axis"
    source: Tensor | None = call.tensors.get(call.moved or "")
    if source is not None:
        yield "a source as long as the index" if source.shape == geometry.taken else "a source longer than the index"


def _fit(call: RecordedCall) -> Iterator[str]:
    if call.case.axes == {}:
        yield "arguments that do not fit each other"


VOCABULARY: Mapping[str, Ask] = {
    "index range": _index_range,
    "duplicates": _duplicates,
    "dtypes": _dtypes,
    "ranks and lengths": _ranks,
    "emptiness": _emptiness,
    "values": _values,
    "views": _views,
    "arguments": _arguments,
    "fit": _fit,
}
"""What is asked of every call; each question gives the conditions that hold."""
QUESTIONS = (*VOCABULARY, FORMS, RULES, CLAUSES)
