"""The situation that a call is in, such as an index past the end: what is unusual about it, if it is one thing only.

It is determined by the arguments of the call and what the spec declares about them, never by names. A call in which two
things are unusual is in no situation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conformance.findings.conditions import has_subnormal, is_shorter
from conformance.findings.recorded_call import RecordedCall, recorded_call
from conformance.results.file import Results
from conformance.results.records import CaseRecord
from conformance.results.table import Table
from conformance.results.variations import TransformedRecord
from conformance.specification.indices.geometry import IndexGeometry
from conformance.specification.literals import LiteralError, Tensor, argument


@dataclass(frozen=True)
class Situation:
    """A row of the behaviour table."""

    name: str
    title: str
    kind: str = ""
    """The name of the situation that it is a special form of; empty if it is none."""
    detail: str = ""
    """What is special: a dtype, or arguments such as ``reduce=add``."""

    @property
    def of(self) -> str:
        """The name of its general form."""
        return self.kind or self.name


PAST_THE_END = Situation("past-the-end", "index past the end")
BELOW_ZERO = Situation("below-zero", "negative index")
FAR_OUTSIDE = Situation("far-outside", "index far outside")
TWICE = Situation("written-twice", "positions written twice")
TOO_FEW = Situation("too-few-updates", "too few updates")
TOO_MANY = Situation("too-many-updates", "too many updates")
BROADCAST = Situation("broadcastable-updates", "updates that would broadcast")
RESHAPED = Situation("reshaped-updates", "updates of another shape")
SHORTER_INDEX = Situation("shorter-index", "an index shorter along another axis")
NO_INDICES = Situation("no-indices", "no indices")
EMPTY_AXIS = Situation("empty-axis", "an axis of length 0")
DEPTH_ZERO = Situation("depth-zero", "index vectors of length 0")
NO_AXES = Situation("no-axes", "a tensor without axes")
MIXED_DTYPES = Situation("mixed-dtypes", "tensors of different dtypes")
NEGATIVE_AXIS = Situation("negative-axis", "an axis counted from the end")
NON_FINITE = Situation("non-finite", "NaN and infinities")
SUBNORMAL = Situation("subnormal", "numbers below the normal ones")
USUAL = Situation("usual", "nothing unusual")
ARGUMENTS = Situation("arguments", "arguments after the call")

INDEX_DTYPE = "index-dtype"
ORDER = (
    *(PAST_THE_END, BELOW_ZERO, FAR_OUTSIDE, TWICE, SHORTER_INDEX, TOO_FEW, BROADCAST, TOO_MANY, RESHAPED),
    *(NO_INDICES, EMPTY_AXIS, DEPTH_ZERO, NO_AXES, NEGATIVE_AXIS, MIXED_DTYPES, NON_FINITE, SUBNORMAL),
)
"""In the order of the table; those about the dtype of indices come between these and the last."""
OUTSIDE = (PAST_THE_END, BELOW_ZERO, FAR_OUTSIDE)
LAST = (USUAL, ARGUMENTS)
USUAL_INDEX_DTYPES = ("int32", "int64")


def index_dtype(dtype: str) -> Situation:
    """The situation that nothing but the dtype of the indices is in question."""
    return Situation(f"{dtype}-indices", f"{dtype} indices", INDEX_DTYPE, dtype)


def written_twice(choices: Sequence[str]) -> Situation:
    """The situation that positions are written twice, for a choice of arguments such as ``reduce=add``."""
    if not choices:
        return TWICE
    return Situation(
        "-".join((TWICE.name, *choices)), ", ".join((TWICE.title, *choices)), TWICE.name, ", ".join(choices)
    )


def choices(case: CaseRecord) -> Sequence[str]:
    """The arguments of a call that choose what it does: ``["reduce=add"]``."""
    return [f"{name}={value}" for name, value in case.call.items() if isinstance(value, str)]


@dataclass(frozen=True, slots=True)
class Place:
    """The situation of a case, and its index argument."""

    situation: Situation
    case: CaseRecord
    index: str | None
    index_dtype: str | None
    """None without an index argument."""

    @property
    def writes_twice(self) -> bool:
        """Whether positions are written twice and nothing else is unusual."""
        return self.situation.of == TWICE.name


def places(table: Table) -> dict[str, Place]:
    """Case to its situation; a case without one is left out."""
    results = table.results
    roles: dict[str, _Roles] = {}
    found: dict[str, Place] = {}
    violations: list[tuple[Place, _Violation]] = []
    known: dict[str, _Shown | None] = {}
    for case in results.cases.values():
        # What a program returns, or a derivative, is no result of the call.
        if case.program is not None or isinstance(case.variation, TransformedRecord):
            continue
        first = table.alike.first(case)
        if first.id not in known:
            call = recorded_call(first)
            known[first.id] = None if call is None else _shown(call)
            if call is not None:
                roles.setdefault(case.operation, _Roles(set(), set())).add(call)
        shown = known[first.id]
        if shown is None or _is_relation(results, case):
            continue
        if shown.features is None:
            call = recorded_call(case) if case.control is not None else None
            violation = None if call is None else _violation(call)
            violations += [] if violation is None else [(shown.place(USUAL, case), violation)]
        else:
            situation = shown.situation(case)
            if situation is not None:
                found[case.id] = shown.place(situation, case)
    for place, violation in violations:
        situation = violation.situation(roles[place.case.operation])
        if situation is not None:
            found[place.case.id] = replace(place, situation=situation)
    return found


def _is_relation(results: Results, case: CaseRecord) -> bool:
    clause = results.clauses.get(case.clause)
    return clause is not None and clause.family == "relation"


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a call shows, and every one that is like it."""

    index: str | None
    """The index argument."""
    index_dtype: str | None
    has_usual_index: bool
    features: Sequence[Situation] | None
    """What is unusual about a call that fits its layout; None for one that does not."""

    def place(self, situation: Situation, case: CaseRecord) -> Place:
        return Place(situation, case, self.index, self.index_dtype)

    def situation(self, case: CaseRecord) -> Situation | None:
        """What is unusual about a call that fits its layout, if it is one thing."""
        assert self.features is not None
        if len(self.features) == 1 and self.has_usual_index:
            return self.features[0]
        return USUAL if not self.features and _is_valid(case) else None


def _shown(call: RecordedCall) -> _Shown:
    index = _index_argument(call)
    return _Shown(
        index,
        call.tensors[index].dtype if index else None,
        # Some frameworks take other dtypes for masks, so such an index is unusual too.
        bool(call.index and call.tensors[call.index].dtype in (*USUAL_INDEX_DTYPES, "bool")),
        None if call.geometry is None else tuple(_features(call)),
    )


def _index_argument(call: RecordedCall) -> str | None:
    """The index argument, or the first one if there are several."""
    name = call.index or next(iter(call.points), None)
    return name if name in call.tensors else None


@dataclass(frozen=True)
class _Roles:
    """The arguments of an operation that are indices, and those that are written."""

    indices: set[str]
    written: set[str]

    def add(self, call: RecordedCall) -> None:
        self.indices.update([call.index] if call.index else [])
        self.written.update([call.moved] if call.moved in call.tensors and call.moved else [])


def _is_valid(case: CaseRecord) -> bool:
    return "returns" in case.expectation and case.control is None


def _features(call: RecordedCall) -> Iterator[Situation]:
    """What is unusual about a call that fits its layout."""
    geometry = call.geometry
    assert geometry is not None
    yield from _outside(geometry)
    yield from _lengths(geometry)
    if call.moved in call.tensors and geometry.has_duplicates:
        yield written_twice(choices(call.case))
    if _is_negative(call.case.call.get(geometry.indexing.axis or "")):
        yield NEGATIVE_AXIS
    data = [tensor for name, tensor in call.tensors.items() if name != call.index and name in call.axes]
    if len({tensor.dtype for tensor in data}) > 1:
        yield MIXED_DTYPES
    floats = [tensor.array for tensor in data if tensor.kind == "float"]
    if not all(np.isfinite(array.astype(float)).all() for array in floats):
        yield NON_FINITE
    if any(has_subnormal(array) for array in floats):
        yield SUBNORMAL


def _lengths(geometry: IndexGeometry) -> Iterator[Situation]:
    if 0 in geometry.batch:
        yield NO_INDICES
    if geometry.depth == 0:
        yield DEPTH_ZERO
    if 0 in geometry.shape:
        yield EMPTY_AXIS
    if not geometry.shape:
        yield NO_AXES
    if is_shorter(geometry):
        yield SHORTER_INDEX


def _outside(geometry: IndexGeometry) -> Iterator[Situation]:
    """How far indices are out of bounds: by less than a length, or by more."""
    columns = [(geometry.vectors[..., column], bound) for column, bound in enumerate(geometry.bounds)]
    if any(((column < -bound) | (column >= 2 * bound)).any() for column, bound in columns):
        yield FAR_OUTSIDE
        return
    if any((column >= bound).any() for column, bound in columns):
        yield PAST_THE_END
    if any((column < 0).any() for column, _ in columns):
        yield BELOW_ZERO


def _is_negative(value: object) -> bool:
    return isinstance(value, int) and value < 0


@dataclass(frozen=True, slots=True)
class _Violation:
    """What is wrong with a call that differs from its control in one argument only. Arrays would need much memory."""

    name: str
    of_index: Situation | None
    """The situation if the argument is an index."""
    of_written: Situation | None
    """The situation if it is written."""

    def situation(self, roles: _Roles) -> Situation | None:
        """The situation, once all calls have told which arguments are indices."""
        if self.name in roles.indices and self.of_index is not None:
            return self.of_index
        return self.of_written if self.name in roles.written else None


def _violation(call: RecordedCall) -> _Violation | None:
    changed = dict(_changed(call))
    if len(changed) != 1:
        return None
    [(name, (tensor, control))] = changed.items()
    same_dtype, same_shape = tensor.dtype == control.dtype, tensor.shape == control.shape
    return _Violation(
        name,
        index_dtype(tensor.dtype) if same_shape and not same_dtype else None,
        _shapes(tensor, control) if same_dtype and not same_shape else None,
    )


def _shapes(tensor: Tensor, control: Tensor) -> Situation:
    if _broadcasts(tensor.shape, control.shape):
        return BROADCAST
    if tensor.array.size == control.array.size:
        return RESHAPED
    return TOO_FEW if tensor.array.size < control.array.size else TOO_MANY


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def _changed(call: RecordedCall) -> Iterator[tuple[str, tuple[Tensor, Tensor]]]:
    """The arguments in which a call differs from its control, if all of them are tensors."""
    control: Mapping[str, Any] = call.case.control or {}
    names = [name for name in call.case.call if call.case.call[name] != control.get(name)]
    try:
        fixed = {name: argument(control[name]) for name in names if name in control}
    except (LiteralError, TypeError, ValueError):
        return
    pairs = [(name, (call.tensors.get(name), fixed.get(name))) for name in names]
    if all(isinstance(first, Tensor) and isinstance(second, Tensor) for _, (first, second) in pairs):
        yield from pairs  # type: ignore[misc] # checked in the line above
