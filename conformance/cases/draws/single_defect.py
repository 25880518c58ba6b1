"""Geometries in which a mutation is the only defect of a call, however an implementation may read the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.cases.draws.choices import Rejected
from conformance.cases.draws.geometry import Geometry, layout_of
from conformance.cases.draws.mutations import Mutation
from conformance.specification.indices.kinds import Along, Elements, Flat, InKey, Vectors
from conformance.specification.layout import Layout
from conformance.specification.model import Operation


def suited(operation: Operation, geometry: Geometry, mutation: Mutation) -> Geometry:
    """The geometry of a control that the mutation fits; Rejected if it cannot be changed so that it does."""
    spec = operation.arguments.get(mutation.target)
    if spec is None:
        return geometry
    if spec.index and mutation.kind == "as-bool":
        return _with_mask_lengths(layout_of(operation), geometry, mutation.target)
    if "vector" in spec.kinds and mutation.kind in ("as-an-int32-tensor", "as-an-int64-tensor"):
        # An implementation may require the same dtype of both.
        return replace(geometry, index_dtype="int64" if "int64" in mutation.kind else "int32")
    return geometry


def _with_mask_lengths(layout: Layout, geometry: Geometry, name: str) -> Geometry:
    """The geometry with an index as long as what it indexes, as a mask must be."""
    indexing = layout.indices[name].indexing
    index, target = ([part.group for part in parts] for parts in (layout.arguments[name], layout.target(name)))
    lengths = dict(geometry.lengths)
    match indexing:
        case Vectors():
            lengths |= _mask_of_vectors(lengths, index[:-1], target[0])
        case Elements():
            lengths |= {part: lengths[full] for part, full in zip(index, target, strict=True)}
        case Flat() if len(index) == 1:
            lengths[index[0]] = lengths[target[0]]
        case InKey():
            length = geometry.shape(layout, indexing.into)[geometry.along(layout, name) or 0]
            lengths |= dict.fromkeys(index[:-1], ()) | {index[-1]: (length,)}
        case Along() if len(index) == 1:
            lengths[index[0]] = lengths[target[1]]
    return replace(geometry, lengths=_with_relations(layout, lengths))


def _mask_of_vectors(
    lengths: Mapping[str, tuple[int, ...]], batch: list[str], outer: str
) -> dict[str, tuple[int, ...]]:
    """One row for each element of the first axis; two columns or more also match the second axis."""
    if sum(len(lengths[group]) for group in batch) != 1 or not lengths[outer]:
        raise Rejected
    first, *rest = lengths[outer]
    changed: dict[str, tuple[int, ...]] = {group: (first,) for group in batch if lengths[group]}
    return {**changed, outer: (first, len(rest) + 1, *rest[1:])} if rest else changed


def _with_relations(layout: Layout, lengths: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    for group in layout.groups.values():
        if group.other is not None:
            pick = min if group.comparison == "at most" else max
            lengths[group.name] = tuple(map(pick, lengths[group.name], lengths[group.other]))
    return lengths
