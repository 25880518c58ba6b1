"""Draws valid calls that fit a tensor which is there, as the statements of a program do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np

from conformance.cases.draws.choices import Choose, Rejected, choose_item
from conformance.cases.draws.elements import as_tensor, fill
from conformance.cases.draws.geometry import Geometry, layout_of, plain_arguments, related
from conformance.specification.applied import Applied
from conformance.specification.indices.keys import key_of
from conformance.specification.literals import Argument
from conformance.specification.model import Call, Operation

INDEX_DTYPE = "int64"
"""The one that each API takes."""
MOST_ELEMENTS = 36
"""The maximum number of elements of a tensor."""


def fitting(choose: Choose, operation: Operation, shape: tuple[int, ...], dtype: str) -> Applied:
    """A valid call of an operation whose main argument has a shape; Rejected if there is none."""
    layout = layout_of(operation)
    if layout.in_key is not None:
        return _keyed(choose, operation, shape, dtype)
    main = operation.main_argument
    parts = [part.group for part in layout.arguments[main]]
    ranks = [range(layout.groups[name].low, layout.groups[name].high + 1) for name in parts]
    counts = [each for each in product(*ranks) if sum(each) == len(shape)]
    if not counts or any(layout.groups[name].other for name in parts):
        raise Rejected
    chosen, lengths, start = choose_item(choose, counts), {}, 0
    for name, count in zip(parts, chosen, strict=True):
        lengths[name] = shape[start : start + count]
        start += count
    for group in layout.groups.values():
        if group.name in lengths:
            continue
        if group.other is not None:
            lengths[group.name] = related(choose, group, lengths)
        else:
            lengths[group.name] = tuple(
                choose(1, 3) for _ in range(choose(max(group.low, min(1, group.high)), min(group.high, 2)))
            )
    geometry = Geometry(
        {name: lengths[name] for name in layout.groups}, _small(plain_arguments(choose, operation)), dtype, INDEX_DTYPE
    )
    if any(math.prod(geometry.shape(layout, name)) > MOST_ELEMENTS for name in layout.arguments):
        raise Rejected
    return fill(choose, operation, geometry)


def _small(plain: Mapping[str, Argument]) -> dict[str, Argument]:
    """Without a mean, which is rounded, or cut in integers."""
    if plain.get("reduce") == "mean":
        raise Rejected
    return dict(plain)


def _keyed(choose: Choose, operation: Operation, shape: tuple[int, ...], dtype: str) -> Applied:
    """A call with indices in a key; layouts have as many axes as the longest key needs."""
    plain = plain_arguments(choose, operation)
    key = key_of(str(plain["key"]))
    layout = layout_of(operation)
    has_axes = any(layout.groups[part.group].high for name in layout.indices for part in layout.arguments[name])
    picked = tuple(choose(1, 3) for _ in range(choose(1, 2))) if has_axes else ()
    try:
        axes = key.axes(len(shape))
        selected = key.shape(shape, *(picked for _ in key.names))
    except (ValueError, LookupError):
        raise Rejected from None
    if math.prod(selected) > MOST_ELEMENTS or not math.prod(selected):
        raise Rejected
    arguments: dict[str, Argument] = {}
    for name, spec in operation.arguments.items():
        if spec.index and name not in axes:
            continue
        if spec.index:
            numbers = [choose(0, shape[axes[name]] - 1) for _ in range(math.prod(picked))]
            arguments[name] = as_tensor(INDEX_DTYPE, np.array(numbers).reshape(picked))
        elif name in plain:
            arguments[name] = plain[name]
        elif "tensor" in spec.kinds:
            arguments[name] = as_tensor(dtype, np.ones(shape if name == operation.main_argument else selected))
    call = Applied(operation, Call(arguments))
    if call.broken_rules:
        raise Rejected
    return call
