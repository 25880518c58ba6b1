"""Long calls whose last index is out of bounds: what works in chunks finds the error behind the first of them, after much is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conformance.specification.applied import Applied
from conformance.specification.axes import axes_of
from conformance.specification.indices.kinds import Mask
from conformance.specification.literals import LiteralError, Tensor, tensor
from conformance.specification.model import Behaves, Call, Clause, Observed, Operation, Raises, WrittenCall

CHUNK = 8192
"""The number of elements that NumPy's buffered iterators take at once; other frameworks have powers of two too."""
MOST = 64
"""The maximum number of elements of a tensor that is written behind them."""


def chunk_calls(operation: Operation) -> Iterator[tuple[Clause, Sequence[WrittenCall]]]:
    """``form.behind-8192``: the first call of each clause with an index that is too large, behind so many indices of zero.

    They expect what the call in the spec does. Data along the axis of the index are ones there.
    """
    if operation.layout is None:
        return
    for clause in operation.clauses:
        if clause.family == "example" or clause.relation is not None:
            continue
        made = (_behind_many(operation, written) for written in clause.written_calls if written.device is None)
        found = next(filter(None, made), None)
        if found is not None:
            yield clause, [found]


def _behind_many(operation: Operation, written: WrittenCall) -> WrittenCall | None:
    """The call with all that lies along the axis of its index behind as many others; None if it has no such axis."""
    if not isinstance(written.expected, Raises | Behaves | Observed) or written.about_dtype or written.breaks:
        return None
    call = Applied(operation, written.call)
    group = _group_of_index(call)
    if group is None:
        return None
    longer = _longer(call, group)
    fixed = written.fixed
    if fixed is not None:
        control = _longer(Applied(operation, fixed), group)
        fixed = (
            control if control is not None and _group_of_index(Applied(operation, fixed), valid=True) == group else None
        )
    if longer is None or (fixed is None) != (written.fixed is None):
        return None
    if Applied(operation, longer).broken_rules != call.broken_rules:  # an axis may be too long for the others
        return None
    return replace(written, name=f"form.behind-{CHUNK}", call=longer, fixed=fixed)


def _group_of_index(call: Applied, *, valid: bool = False) -> str | None:
    """The group of the first axis of the only index, which no target has; None if the index is not too large, unless it is valid."""
    groups, geometries = axes_of(call), call.geometries
    layout = call.operation.layout
    if groups is None or layout is None or len(geometries) != 1:
        return None
    [(name, geometry)] = geometries.items()
    if isinstance(geometry.indexing, Mask) or not geometry.fits or not geometry.bounds or not groups.get(name):
        return None
    bounds = np.array(geometry.bounds)
    is_outside = bool((geometry.vectors >= bounds).any()) and bool((geometry.vectors >= 0).all())
    group = groups[name][0]
    is_own = group not in {part.group for part in layout.target(name)}
    return group if is_own and (is_outside or valid) else None


def _longer(call: Applied, group: str) -> Call | None:
    """The call with many more places along the first axis of each tensor that has this group; None if another axis has it."""
    groups = axes_of(call)
    assert groups is not None
    changed: dict[str, Tensor] = {}
    for name, value in call.tensors.items():
        of_tensor = list(groups.get(name, ()))
        if group not in of_tensor:
            continue
        if of_tensor.index(group) or of_tensor.count(group) > 1 or value.size > MOST:
            return None
        filler = "zeros" if call.operation.arguments[name].indexing is not None else "ones"
        try:
            before = f"{filler}({[CHUNK, *value.shape[1:]]})"
            changed[name] = tensor(value.dtype, f"concat(0, {before}, {value.array.tolist()})")
        except LiteralError:
            return None
    return call.call.with_arguments(changed)
