"""Checks that a call which should raise is only wrong in the way that its clause describes.

An implementation may read arguments in more than one way. A boolean index whose shape is not that of a mask is rejected
even by an implementation that takes masks, so its error proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.specification.indexing import IndexGeometry
from conformance.specification.literals import Tensor
from conformance.specification.model import Operation, WrittenCall


def other_faults(operation: Operation, written_call: WrittenCall) -> Iterator[str]:
    """Messages about what else an implementation may reject in the call, under another reading of its arguments."""
    arguments = written_call.call.arguments
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    indices = {name: value for name, value in tensors.items() if operation.arguments[name].index}
    for name, index in indices.items():
        if index.kind == "bool":
            yield from _mask(operation, written_call, name, index)
    for name, value in tensors.items():
        if "vector" in operation.arguments[name].kinds:
            yield from _dtype_of_vector(name, value, indices)


def _mask(operation: Operation, written_call: WrittenCall, name: str, index: Tensor) -> Iterator[str]:
    as_integers = written_call.call.with_arguments({name: index.cast("int64")})
    geometry = operation.geometries(as_integers).get(name)
    if geometry is not None and index.shape != _mask_shape(geometry):
        shape = list(_mask_shape(geometry))
        yield f"{name} is bool, but an implementation that takes masks needs one of shape {shape}"
    if _reads_data(operation, written_call, name) and not index.array.all():
        yield f"{name} is bool with false elements, but a mask selects as many positions as there are data if all are true"
    fixed = written_call.fixed.arguments.get(name) if written_call.fixed else None
    if isinstance(fixed, Tensor) and fixed.shape != index.shape:
        yield f"{name} is bool with shape {list(index.shape)}, but fix changes the shape too; change only the dtype"


def _mask_shape(geometry: IndexGeometry) -> tuple[int, ...]:
    if geometry.indexing.by_elements:
        return geometry.shape
    length = geometry.bounds[:1]
    return (*length, 1) if geometry.indexing.by_vectors else length


def _reads_data(operation: Operation, written_call: WrittenCall, index: str) -> bool:
    """Whether a tensor of the call holds data for the selected positions."""
    indexing = operation.arguments[index].indexing
    others = [
        name for name, value in written_call.call.arguments.items() if isinstance(value, Tensor) and name != index
    ]
    return any(indexing is None or name != indexing.into for name in others)


def _dtype_of_vector(name: str, value: Tensor, indices: dict[str, Tensor]) -> Iterator[str]:
    for index_name, index in indices.items():
        if index.kind == value.kind == "integer" and index.dtype != value.dtype:
            yield f"{name} is a tensor of {value.dtype}, but {index_name} has dtype {index.dtype}; some APIs need both in one dtype"
