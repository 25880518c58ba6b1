"""Cases of a transform of another one: the derivative of each call of a batch, and the derivative of a batch.

``CASE.vmap-vjp.ARGUMENT.STACKED`` and ``CASE.vjp-vmap.ARGUMENT.STACKED`` have a batch as ``conformance.cases.variants.batches`` makes it, which
stacks ``STACKED``, and a cotangent for the result of each of its calls. The matrix of a batch consists of those of its calls: one
beside the other for what they share, each for its own part of the argument otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import get_args

import numpy as np

from conformance.cases.expectations import Choice, Returning, ReturnsDerivative
from conformance.cases.model import Case
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.cases.variants.batches import SIZE, Found, batch_of, batches_of, calls_with, dtype_of, form_of
from conformance.cases.variants.derivatives import FACTORS, has_transforms, shapes_of, spread, tensor_of
from conformance.cases.variants.linear_maps import Array, Linear, derivatives, linear_maps
from conformance.cases.variants.permitted import MOST_RESULTS, Permitted, permitted_by
from conformance.cases.variants.programs import OF_TRANSFORMS
from conformance.cases.variation import Alike, InProgram, NestedTransform, Turn, Written, taking_turns
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Derivative, Nested, Operation, around_of
from conformance.specification.vocabulary import Nesting


def nested_cases(operation: Operation, cases: Iterable[Case], reference: Reference) -> Iterator[Case]:
    """The nested transforms of the calls of cases, all of one operation: of those that differ in data only, of one."""
    yield from taking_turns(operation.name, _of_cases(cases, permitted_by(reference)))


def _of_cases(cases: Iterable[Case], permitted: Permitted) -> Iterator[Alike[Case]]:
    """Those of the same kind by the same argument are alike.

    Each written call has one batch, by turns. Others have it if they add something to the sample.
    """
    seen: set[object] = set()
    sampled: set[object] = set()
    for number, case in enumerate(case for case in cases if has_transforms(case)):
        aspects = {
            (kind, of): _aspects(case, kind, of, is_its_turn=turn == number % len(get_args(Nesting)))
            for turn, kind in enumerate(get_args(Nesting))
            for of in case.call.data
        }
        wanted = isinstance(case.variation, Written) or any(not one <= sampled for one in aspects.values())
        form = dtype_of(case.call), form_of(case.call)
        if form in seen or not wanted:
            continue
        seen.add(form)
        for kind, of, batch, choices in _exact(case, number, permitted):
            yield Alike((kind, of), partial(_case, case, kind, batch, choices), aspects[kind, of] <= sampled)
            sampled |= aspects[kind, of]


def _aspects(case: Case, kind: Nesting, of: str, *, is_its_turn: bool) -> set[object]:
    """What a sample has at least one of: each kind by each argument and with each reduction, in each form that an API may have alone.

    With one kind, each clause and dtype too.
    """
    others = tuple(value for value in case.call.arguments.values() if isinstance(value, str))
    has_form = (kind, others, shapes_of(case.call))
    return {(kind, of), (kind, others), has_form, *({case.clause.id, dtype_of(case.call)} if is_its_turn else ())}


def nested_program_cases(operation: Operation, programs: Iterable[Case], reference: Reference) -> Iterator[Case]:
    """The nested transforms of programs around calls that have them, in float32; the calls of a batch share their index."""
    yield from taking_turns(operation.name, _of_programs(programs, reference))


def _of_programs(programs: Iterable[Case], reference: Reference) -> Iterator[Alike[Case]]:
    """Those of the same kind by the same argument around the same program are alike."""
    for case in programs:
        assert isinstance(case.variation, InProgram)
        kinds = case.variation.transforms
        if kinds and dtype_of(case.call) == OF_TRANSFORMS:
            for kind, of, batch, choices in _around(case, reference):
                if kind in kinds:
                    series = case.variation.manner.program.text, kind, of
                    yield Alike(series, partial(_case, case, kind, batch, choices))


def _around(case: Case, reference: Reference) -> Sequence[_Made]:
    """As ``_exact``, of a program, which has one result for any data; each call has data of its own."""

    def permitted(call: Applied) -> Sequence[Tensor]:
        try:
            return [reference(call)]
        except ReferenceFailed:
            return []

    for factors in ((), FACTORS):
        calls = calls_with(factors, case.call, permitted)
        batch = batch_of(calls, [*case.call.data], "first") if calls.is_exact else None
        found = [*_found(batch, permitted, is_distinct=not factors)] if batch is not None else []
        if found:
            return found
    return ()


_Made = tuple[Nesting, str, "_Batch", tuple[Choice, ...]]


def _exact(case: Case, number: int, permitted: Permitted) -> Sequence[_Made]:
    """The nested transforms of a call, as far as they are exact: with distinct integers, or with factors."""
    for factors in ((), FACTORS):
        calls = calls_with(factors, case.call, permitted)
        batch = next(batches_of(case, calls, number), None) if calls.is_exact else None
        if batch is not None and prod(map(len, batch.permitted)) <= MOST_RESULTS:
            found = [*_found(batch, permitted, is_distinct=not factors)]
            if found:
                return found
    return ()


def _found(batch: Found, permitted: Permitted, *, is_distinct: bool) -> Iterator[_Made]:
    for of in batch.call.data:
        maps = [linear_maps(call, of, permitted) for call in batch.single]
        # A result that is chosen among equal elements has no derivative.
        is_chosen = any(one.influence is not None for each in maps for one in each)
        if not all(maps) or (is_chosen and not is_distinct):
            continue
        found = _Batch(batch, of)
        for kind in get_args(Nesting):
            choices = found.choices(kind, maps)
            if choices is not None:
                yield kind, of, found, choices


@dataclass(frozen=True)
class _Batch:
    """A batch whose derivatives are taken."""

    found: Found
    of: str

    @property
    def _argument(self) -> Tensor:
        return self.found.call.data[self.of]

    @property
    def seed(self) -> Tensor:
        """A cotangent for the result of each call."""
        shape = (SIZE, *self.found.permitted[0][0].shape)
        return tensor_of(1 + spread(prod(shape)), shape, self._argument.dtype)

    def manner(self, kind: Nesting) -> Nested:
        return Nested(kind, Derivative("vjp", self.of, self.seed), self.found.manner, around_of(self.found.call.manner))

    def choices(self, kind: Nesting, maps: Sequence[Sequence[Linear]]) -> tuple[Choice, ...] | None:
        """Permitted results of all calls with the derivative that belongs to them; None if one is not exact in the dtype.

        maps: of each call its permitted results.
        """
        manner, argument = self.manner(kind), self._argument
        shape = (SIZE, *argument.shape) if manner.is_of_each else argument.shape
        of = Tensor(argument.dtype, frozen(np.zeros(shape, argument.array.dtype)), None)
        joined = [_joined(each, is_of_each=manner.is_of_each) for each in product(*maps)]
        found = derivatives(joined, of, self.seed)
        return found if found is None or manner.axis == 0 else tuple(_along_last_axis(one) for one in found)


def _joined(maps: Sequence[Linear], *, is_of_each: bool) -> Linear:
    """The results of several calls along a first axis, with the matrix of an argument of which each has its own, or which they share."""
    join = _diagonal if is_of_each else np.concatenate
    influence = None
    if any(each.influence is not None for each in maps):
        influence = join([(each.matrix != 0) * 1.0 if each.influence is None else each.influence for each in maps])
    return Linear(np.stack([each.result for each in maps]), join([each.matrix for each in maps]), influence)


def _diagonal(matrices: Sequence[Array]) -> Array:
    """These matrices along the diagonal of one."""
    rows, columns = matrices[0].shape
    array = np.zeros((len(matrices), rows, len(matrices), columns))
    for number, matrix in enumerate(matrices):
        array[number, :, number] = matrix
    return array.reshape(len(matrices) * rows, len(matrices) * columns)


def _along_last_axis(choice: Choice) -> Choice:
    """The same where the derivatives of the calls lie along a last axis."""
    derivative = choice.derivative
    moved = np.ascontiguousarray(np.moveaxis(derivative.array, 0, -1))
    bounds = None if choice.bounds is None else np.ascontiguousarray(np.moveaxis(choice.bounds, 0, -1))
    return Choice(choice.result, Tensor(derivative.dtype, frozen(moved), None), bounds)


def _case(case: Case, kind: Nesting, batch: _Batch, choices: tuple[Choice, ...], turn: Turn) -> Case:
    manner = batch.manner(kind)
    return Case(
        f"{case.id}.{kind}.{manner.of}",
        batch.found.call.made(manner),
        case.clause,
        ReturnsDerivative(choices),
        case.entry,
        NestedTransform(case.id, manner, turn, not isinstance(case.expectation, Returning)),
    )
