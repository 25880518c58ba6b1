"""Makes the calls of forms: valid calls of a geometry, the same each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from conformance.cases.data_in_dtype import data_of
from conformance.cases.draws.choices import Recorder, Rejected, seeded
from conformance.cases.draws.elements import Invalid, as_tensor, fill
from conformance.cases.draws.geometry import Geometry
from conformance.cases.expectations import Returns
from conformance.cases.forms.geometries import Lengths
from conformance.cases.forms.values import drawn_as, may_have_own_values, with_own_values
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.cases.vacuous import vacuous
from conformance.specification.applied import Applied
from conformance.specification.indices.kinds import Mask
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Operation

ORDINARY = "float32"
"""The dtype of the data of a form that does not test a dtype."""
ATTEMPTS = 10
"""The maximum number of attempts to find elements with which only the operation has the result of a call."""


@dataclass(frozen=True)
class FormCall:
    """A call in a form."""

    name: str
    """A part of the id of its case: ``empty-batch``, ``one-inner.float64``."""
    call: Applied
    control: Applied
    """A valid call of the same dtypes in an ordinary form."""
    open: bool = False
    """No rule says whether an API takes this form."""
    about_dtype: tuple[str, ...] = ()
    """As of a ``DtypeTest``."""
    base: Applied | None = None
    """If it tests a dtype: the call in an ordinary dtype, which differs from it in nothing else but its values."""
    meaning: Applied | None = None
    """The call whose result is expected, if it has an argument in another dtype."""
    observed: str | None = None
    """Why the outcome is only observed, whatever rules say; None if it is judged."""
    is_python: bool = False
    """An argument is an ordinary Python value, of which no rule speaks: those of ``meaning`` decide, and no error is required."""
    is_mistake: bool = False
    """It may break several rules, of which one that requires an error is enough."""


Accepts = Callable[[Applied], bool]


def form_in_dtype(name: str, call: Applied, dtype: str) -> FormCall:
    """A valid call with data of a dtype, which it tests unless the dtype is the ordinary one."""
    if dtype == ORDINARY:
        return FormCall(name, call, call)
    tensors = data_of(call).tensors
    # With other values, since float32 does not hold those of every dtype; only whether the call is refused is of interest.
    ordinary = {
        name: as_tensor(ORDINARY, 1 + np.arange(value.array.size).reshape(value.shape))
        for name, value in tensors.items()
    }
    return FormCall(name, call, call, about_dtype=tuple(tensors), base=call.with_arguments(ordinary))


def calls_of(
    operation: Operation, lengths: Lengths, dtype: str, turn: int, seed: str, *, factors: bool = True
) -> Iterator[Applied]:
    """Calls of these lengths with other elements each, whether rules are kept or not; optional arguments take turns.

    factors: whether an optional number may be given, with which products may not be exact.
    """
    plain = plain_arguments(operation, turn, dtype, factors=factors and dtype != "bool")
    for attempt in range(ATTEMPTS):
        choose = Recorder(seeded(f"{operation.name} {seed} {attempt}"))
        geometry = Geometry(lengths, plain, dtype, "int64")
        try:
            yield fill(choose, operation, geometry)
        except Invalid as invalid:
            yield invalid.call
        except Rejected:
            return


def telling_call(
    operation: Operation,
    reference: Reference,
    lengths: Lengths,
    dtype: str,
    turn: int,
    seed: str,
    *,
    own_values: bool = False,
) -> Applied | None:
    """The first valid call whose result only the operation has; None if there is none."""
    for made in calls_of(
        operation, lengths, drawn_as(dtype) if own_values else dtype, turn, seed, factors=not own_values
    ):
        call = made
        if call.broken_rules:
            return None
        if own_values and may_have_own_values(call):
            call = with_own_values(call, dtype)
        elif own_values:
            continue
        try:
            result = reference(call)
        except ReferenceFailed:
            return None
        if all(map(all, lengths.values())) and not all(value.size for value in (result, *call.tensors.values())):
            continue  # the key selects nothing
        if vacuous(call, Returns(result, accumulates=False)) is None and not _has_constant_mask(call):
            return call
    return None


def _has_constant_mask(call: Applied) -> bool:
    """Whether a mask selects all of several elements, or none, which forms of their own are about."""
    indexings = ((name, spec.indexing) for name, spec in call.operation.arguments.items())
    masks = (call.arguments.get(name) for name, indexing in indexings if isinstance(indexing, Mask))
    arrays = [mask.array for mask in masks if isinstance(mask, Tensor) and mask.array.size]
    return any(not array.any() or (array.size > 1 and array.all()) for array in arrays)


def plain_arguments(operation: Operation, turn: int, dtype: str, *, factors: bool) -> Mapping[str, Argument]:
    """The choices and free numbers of a turn: each optional argument is left out in one turn."""
    layout = operation.layout
    assert layout is not None
    plain: dict[str, Argument] = {}
    for name, spec in operation.arguments.items():
        if spec.choices:
            values: list[Argument] = [*([None] if spec.optional else []), *spec.choices]
            value = values[0 if dtype == "bool" else turn % len(values)]
        elif "scalar" in spec.kinds and not layout.has(name):
            among_truths = dtype == "bool" and "tensor" in spec.kinds
            value = None if spec.optional and (turn % 2 == 0 or not factors) else True if among_truths else 3
        else:
            continue
        if value is not None:
            plain[name] = value
    return plain
