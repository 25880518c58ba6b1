"""Cases of batches: several calls of an operation that a target's own transform makes as one.

``CASE.vmap.ARGUMENT+ARGUMENT`` stacks these arguments of ``SIZE`` calls along a first axis, or along a last one with ``.last``, and
expects the results of the single calls. Each call has other data and other indices: the second counts those of the case from the
other end of the axis, the third adds one. So duplicates remain duplicates, and what is out of bounds remains out of bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from conformance.cases.duplicates import is_written
from conformance.cases.expectations import Returning, ReturnsBatch
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.variants.derivatives import FACTORS, has_transforms, spread, tensor_of
from conformance.cases.variants.linear_maps import PRECISION, ROUNDINGS, Array
from conformance.cases.variants.permitted import Permitted, permitted_by
from conformance.cases.variation import Alike, Batched, Turn, Written, taking_turns
from conformance.specification.applied import Applied
from conformance.specification.indices.geometry import IndexGeometry
from conformance.specification.indices.kinds import Mask
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Batch, Operation
from conformance.specification.vocabulary import BatchAxis

SIZE = 3
"""The number of calls of a batch: the least of which a reversed order differs from a rotated one."""
WAYS = 3
"""The number of ways to batch a call in another dtype or in a form, or with an index out of bounds."""
_NARROW = 24
"""Dtypes that hold integers of fewer bits have only small factors as data."""


def batch_cases(operation: Operation, cases: Iterable[Case], reference: Reference) -> Iterator[Case]:
    """The batches of the calls of cases, all of one operation: of those with the same shapes and indices, of one."""
    yield from taking_turns(operation.name, _of_cases(cases, permitted_by(reference)))


def _of_cases(cases: Iterable[Case], permitted: Permitted) -> Iterator[Alike[Case]]:
    """Those in which the same arguments are batched are alike."""
    seen: set[object] = set()
    sampled: set[object] = set()
    for number, case in enumerate(case for case in cases if has_transforms(case)):
        form = {dtype_of(case.call), form_of(case.call)}
        calls = None if form <= seen else calls_of(case.call, permitted)
        seen |= form
        if calls is None:
            continue
        for found in batches_of(case, calls, number):
            aspects = _aspects(case, found, calls.dtype)
            yield Alike((found.manner.of,), partial(_case, case, found, calls.dtype), aspects <= sampled)
            sampled |= aspects


def dtype_of(call: Applied) -> str:
    """The dtype of the data, which are of one."""
    return next(iter(call.data.values())).dtype


def form_of(call: Applied) -> str:
    """What of a call its batches depend on, apart from the dtype of the data, which are replaced."""
    return repr(
        [
            (value.shape, None if name in call.data else value.array.tolist()) if isinstance(value, Tensor) else value
            for name, value in call.arguments.items()
        ]
    )


@dataclass(frozen=True)
class Found:
    """A batch of which the permitted results of each call are known."""

    single: Sequence[Applied]
    """Its calls."""
    manner: Batch
    permitted: tuple[tuple[Tensor, ...], ...]

    @property
    def call(self) -> Applied:
        """The first of its calls."""
        return self.single[0]


def _aspects(case: Case, found: Found, dtype: str) -> set[object]:
    """What a sample of batches has at least one of: each clause, dtype and way to batch, and each kind of call with something open."""
    others = tuple(value for value in case.call.arguments.values() if isinstance(value, str))
    kind = max(map(len, found.permitted)), bool(case.policies), others
    return {kind, case.clause.id, ("dtype", dtype), ("of", found.manner.of)}


@dataclass(frozen=True)
class Calls:
    """The calls of a batch."""

    call: Applied
    tensors: Sequence[Mapping[str, Tensor]]
    """The tensors of each."""
    dtype: str
    """That of the data."""
    permitted: Permitted

    def with_batched(self, names: Sequence[str]) -> list[Applied]:
        """The calls if only these arguments differ."""
        [first, *_] = self.tensors
        return [self.call.with_arguments({**first, **{name: one[name] for name in names}}) for one in self.tensors]

    @cached_property
    def is_exact(self) -> bool:
        """Whether every result, and all on the way to it, is a number that the dtype holds, whatever the order of adding."""
        most = max(
            float(np.abs(one[name].array.astype(float)).max(initial=0.0))
            for one in self.tensors
            for name in self.call.data
        )
        largest = {
            name: tensor_of(np.full(value.shape, most), value.shape, "float64")
            for name, value in self.tensors[0].items()
            if name in self.call.data
        }
        results = self.permitted(self.with_batched(())[0].with_arguments(largest))
        size = max((_largest(one.array) for one in results), default=np.inf)
        return size <= 2.0 ** PRECISION[self.dtype]


def _largest(array: Array) -> float:
    """The largest magnitude, apart from the limits of float64: every dtype has its own, as for a maximum of nothing."""
    size = np.abs(array)
    return float(np.nanmax(np.where(size == np.finfo(np.float64).max, 0.0, size), initial=0.0))


def calls_of(call: Applied, permitted: Permitted) -> Calls | None:
    """The calls of a batch; None if their results are not known, or not exact."""
    ways = ((), FACTORS) if PRECISION[dtype_of(call)] >= _NARROW else (FACTORS,)
    return next((calls for factors in ways if (calls := calls_with(factors, call, permitted)).is_exact), None)


def calls_with(factors: Sequence[int], call: Applied, permitted: Permitted) -> Calls:
    """The calls of a batch with distinct data, or with these by turns."""
    tensors = [_data(call, number, factors) | _indices(call, number) for number in range(SIZE)]
    return Calls(call, tensors, dtype_of(call), permitted)


def _data(call: Applied, number: int, factors: Sequence[int]) -> dict[str, Tensor]:
    """The data of one of the calls: integers around zero, distinct in the whole batch, a single one positive, or the factors by turns."""
    size = sum(value.array.size for value in call.data.values())
    if factors:
        numbers = np.resize(np.roll(factors, -number), size)
    else:
        # A single zero would be what a scatter leaves where it writes nothing.
        least = -size if size > 1 else 1
        numbers = (spread(SIZE * size) + least)[number * size : (number + 1) * size]
    ends = np.cumsum([value.array.size for value in call.data.values()])
    return {
        name: tensor_of(numbers[end - value.array.size : end], value.shape, value.dtype)
        for (name, value), end in zip(call.data.items(), ends, strict=True)
    }


def _indices(call: Applied, number: int) -> dict[str, Tensor]:
    """The other tensors of one of the calls, without views."""
    tensors = {
        name: replace(value, view=None)
        for name, value in call.arguments.items()
        if isinstance(value, Tensor) and name not in call.data
    }
    geometries = {name: one for name, one in call.geometries.items() if name in tensors and one.fits}
    moved = {name: tensors[name] for name in geometries}
    for name, geometry in geometries.items():
        array = _moved(geometry, number)
        array = (
            _moved_mask(geometry.index, number)
            if isinstance(geometry.indexing, Mask)
            else array.reshape(geometry.index.shape)
        )
        if geometry.indexing.is_ordered:
            array = np.sort(array.reshape(-1)).reshape(array.shape)
        dtype = tensors[name].array.dtype
        if _holds(dtype, array):  # an index in a narrow dtype stays if another does not fit
            moved[name] = Tensor(tensors[name].dtype, frozen(array.astype(dtype)), None)
    other = call.with_arguments(moved)
    # The results are stacked, and their shape may depend on the indices.
    is_alike = other.broken_rules == call.broken_rules and other.result_shape == call.result_shape
    return {**tensors, **moved} if is_alike else tensors


def _holds(dtype: np.dtype[Any], numbers: Array) -> bool:
    """Whether a dtype holds all of these integers, or truths; NumPy 1 would only warn of others."""
    if dtype.kind not in "iu" or not numbers.size:
        return True
    limits = np.iinfo(dtype)
    return bool(limits.min <= numbers.min() and numbers.max() <= limits.max)


def _moved(geometry: IndexGeometry, number: int) -> Array:
    """The indices of one of the calls; those out of bounds stay."""
    vectors, bounds = geometry.vectors.astype(object), np.array(geometry.bounds, dtype=object)
    ways = [vectors, bounds - 1 - vectors, (vectors + 1) % np.maximum(bounds, 1)]
    return np.where((vectors >= 0) & (vectors < bounds), ways[number], vectors)


def _moved_mask(mask: Array, number: int) -> Array:
    """The mask of one of the calls, which selects as many elements."""
    return [mask, np.flip(mask), np.roll(mask, 1)][number]


def batches_of(case: Case, calls: Calls, number: int) -> Iterator[Found]:
    """The batches of a call, for each subset of the tensors and each axis by turns: for a call as it is written, all of them."""
    batched = calls.tensors[0].keys() - _shaping(case.call)
    names = [name for name in case.call.arguments if name in batched]
    ways = [
        (chosen, axis)
        for size in range(1, len(names) + 1)
        for chosen in combinations(names, size)
        for axis in _axes(calls.tensors[0][name].rank for name in chosen)
    ]
    start = number % len(ways)
    ways = [*ways[start:], *ways[:start]]
    is_plain = isinstance(case.variation, Written) and not case.policies
    for chosen, axis in ways if is_plain else ways[:WAYS]:
        batch = batch_of(calls, chosen, axis)
        if batch is not None:
            yield batch


def _shaping(call: Applied) -> set[str]:
    """The masks that shapes follow from, those that a tensor is read by and those in a key: the calls differ in them."""
    geometries = call.geometries.items()
    reading = {name for name, one in geometries if one.indexing.counts_from_data and not is_written(call, one)}
    return reading | call.masks_in_key


def _axes(ranks: Iterable[int]) -> Sequence[BatchAxis]:
    """The positions of an axis in tensors of these numbers of axes: if they have none, the first is the last."""
    return ("first", "last") if any(ranks) else ("first",)


def batch_of(calls: Calls, names: Sequence[str], axis: BatchAxis) -> Found | None:
    """The batch of these arguments; None if the results of a call are not known."""
    single = calls.with_batched(names)
    results = [tuple(calls.permitted(call)) for call in single]
    if not all(results):
        return None
    stacks = {name: stack([one[name] for one in calls.tensors], 0 if axis == "first" else -1) for name in names}
    return Found(single, Batch(stacks, axis), tuple(results))


def _case(case: Case, found: Found, dtype: str, turn: Turn) -> Case:
    value = stack([first for first, *_ in found.permitted], 0)
    return Case(
        f"{case.id}.vmap.{found.manner.of}",
        found.call.made(found.manner),
        case.clause,
        ReturnsBatch(value, found.permitted, _bounds(value, dtype)),
        case.entry,
        Batched(case.id, found.manner, turn, not isinstance(case.expectation, Returning)),
    )


def stack(tensors: Sequence[Tensor], axis: int) -> Tensor:
    array = np.ascontiguousarray(np.stack([one.array for one in tensors], axis))
    return Tensor(tensors[0].dtype, frozen(array), None)


def _bounds(value: Tensor, dtype: str) -> Array | None:
    """The allowed differences of a mean, which is divided; None if all are integers, and bits are compared."""
    wide = value.array.astype(np.float64)
    fractions = np.nan_to_num(wide % 1)
    return np.nan_to_num(ROUNDINGS * np.abs(wide) / 2.0 ** PRECISION[dtype]) if fractions.any() else None
